import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../testing/test-management.js';
import { User } from '../user-store/entities/user.entity.js';

let management: TestManagement;
let plain: string;

const STATUSES = ['active', 'active', 'on_hold', 'disabled', 'expired', 'limited', 'limited'] as const;

beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
  for (const [index, status] of STATUSES.entries()) await user(`root${index}`, status, index * 50);
  await user('plain0', 'active', 0, plain);
  await user('plain1', 'disabled', undefined, plain);
  await management.database.query(
    `INSERT INTO nodes (name, address, port, connection_type, server_ca, keep_alive, api_key_encrypted, uplink, downlink, status)
     SELECT 'node ' || n, '127.0.0.1', 9, 'grpc', 'none', 0, '', 10 ^ n, 2 * 10 ^ n, 'disabled' FROM generate_series(1, 2) n`,
  );
});
afterAll(() => management?.close());

/** Creates a user who was last online some seconds ago, or never. */
async function user(username: string, status: User['status'], seconds: number | undefined, token?: string) {
  await management.call('POST', '/api/user', { username }, token);
  await management.database.query(
    'UPDATE users SET status = $2, online_at = now() - make_interval(secs => $3) WHERE username = $1',
    [username, status, seconds ?? null],
  );
}

const get = async (query = '', token?: string) =>
  management.call('GET', `/api/system${query === '' ? '' : `?${query}`}`, undefined, token);

const NOBODY = {
  total_user: 0,
  online_users: 0,
  active_users: 0,
  on_hold_users: 0,
  disabled_users: 0,
  expired_users: 0,
  limited_users: 0,
};
const OWN = { ...NOBODY, total_user: 2, online_users: 1, active_users: 1, disabled_users: 1 };
const OF_ROOT = {
  total_user: 7,
  online_users: 3,
  active_users: 2,
  on_hold_users: 1,
  disabled_users: 1,
  expired_users: 1,
  limited_users: 2,
};

describe('GET /api/system', () => {
  it('returns the version, the machine, users and traffic', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const { blocks, bsize } = await statfs(management.folder);
    const { status, body } = await get();
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        version,
        mem_total: totalmem(),
        mem_used: expect.any(Number),
        disk_total: blocks * bsize,
        disk_used: expect.any(Number),
        cpu_cores: cpus().length,
        cpu_usage: expect.any(Number),
        uptime_seconds: expect.any(Number),
        total_user: 9,
        online_users: 4,
        active_users: 3,
        on_hold_users: 1,
        disabled_users: 2,
        expired_users: 1,
        limited_users: 2,
        incoming_bandwidth: 110,
        outgoing_bandwidth: 220,
        unsettled_users: [],
        credential_clashes: [],
      },
    });
    const { mem_total, mem_used, disk_total, disk_used, cpu_usage, uptime_seconds } = Object(body);
    for (const [least, figure, most] of [
      [1, mem_used, mem_total],
      [1, disk_used, disk_total],
      [0, cpu_usage, 100],
      [1, uptime_seconds, process.uptime()],
    ]) {
      expect(figure).toBeGreaterThanOrEqual(least);
      expect(figure).toBeLessThanOrEqual(most);
    }
  });

  it('still counts the traffic of deleted nodes', async () => {
    const totals = { incoming_bandwidth: 110, outgoing_bandwidth: 220 };
    expect((await management.call('DELETE', '/api/node/1')).status).toBe(204);
    expect(await get()).toMatchObject({ status: 200, body: totals });
    expect((await management.call('POST', '/api/nodes/bulk/delete', { ids: [2, 3] })).status).toBe(200);
    expect(await management.database.query('SELECT count(*)::integer AS nodes FROM nodes')).toEqual([{ nodes: 0 }]);
    expect(await get()).toMatchObject({ status: 200, body: totals });
  });

  it.each([
    ['root', OF_ROOT],
    ['plain', OWN],
    ['nobody', NOBODY],
  ])('counts the users of %s', async (admin, counts) => {
    expect(await get(`admin_username=${admin}`)).toMatchObject({ status: 200, body: counts });
  });

  it('counts only their own users for plain admins', async () => {
    expect(await get('', plain)).toMatchObject({ status: 200, body: OWN });
    expect(await get('admin_username=plain', plain)).toMatchObject({ status: 200, body: OWN });
    expect(await get('admin_username=root', plain)).toMatchObject({ status: 200, body: NOBODY });
  });

  it('security row 54: shows plain admins neither the traffic of others nor the machine', async () => {
    await management.database.query(`UPDATE admins SET used_traffic = 7, past_traffic = 5 WHERE username = 'plain'`);
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await get('', plain)).toEqual({
      status: 200,
      body: {
        version,
        ...OWN,
        mem_total: 0,
        mem_used: 0,
        disk_total: 0,
        disk_used: 0,
        cpu_cores: 0,
        cpu_usage: 0,
        uptime_seconds: 0,
        incoming_bandwidth: 0,
        outgoing_bandwidth: 12,
        unsettled_users: [],
        credential_clashes: [],
      },
    });
  });

  it('refuses a name that no admin can have', async () => {
    expect(await get(`admin_username=${'x'.repeat(129)}`)).toEqual({
      status: 422,
      body: { detail: { admin_username: 'Input should have at most 128 characters' }, code: 'INVALID_FIELDS' },
    });
  });
});
