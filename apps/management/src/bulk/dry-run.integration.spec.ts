import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LEAF } from '../nodes/testing/certificates.js';
import { TestManagement } from '../testing/test-management.js';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
  const plain = await management.plainAdmin('plain');
  await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP'] });
  await management.call('POST', '/api/user_template', { name: 't', group_ids: [1] });
  for (const username of ['one', 'two', 'three']) await management.call('POST', '/api/user', { username }, plain);
  await management.call('PUT', '/api/user/three', { status: 'disabled' });
  await management.database.query(`UPDATE users SET used_traffic = 7 WHERE username <> 'one'`);
  for (const name of ['near', 'far'])
    await management.call('POST', '/api/node', {
      name,
      address: '127.0.0.1',
      port: name === 'near' ? 9 : 10,
      connection_type: 'grpc',
      server_ca: LEAF,
      keep_alive: 60,
      core_config_id: 1,
      api_key: '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11',
    });
  await management.call('PUT', '/api/node/2', { status: 'disabled' });
});
afterAll(() => management?.close());

const everything = async () =>
  Promise.all(
    ['users', 'user_revisions', 'audit_entries', 'bulk_operations', 'counters'].map((table) =>
      management.database.query(`SELECT * FROM ${table} ORDER BY 1`),
    ),
  ).then(async (rows) => [
    ...rows,
    await management.database.query('SELECT id, name, status = $1 FROM nodes', ['disabled']),
  ]);

const USERS = { user_template_id: 1, count: 4, strategy: 'sequence', username: 'on', start_number: 1 };

describe('dry_run', () => {
  it.each<['POST' | 'DELETE', string, object | undefined, object]>([
    ['POST', '/api/admin/plain/users/disable?dry_run=true', undefined, { dry_run: true, affected_users: 2 }],
    ['POST', '/api/admin/plain/users/activate?dry_run=true', undefined, { dry_run: true, affected_users: 1 }],
    ['DELETE', '/api/admin/plain/users?dry_run=true', undefined, { dry_run: true, affected_users: 3 }],
    ['POST', '/api/users/reset?dry_run=true', undefined, { dry_run: true, affected_users: 2 }],
    ['POST', '/api/users/bulk/from_template', { ...USERS, dry_run: true }, { subscription_urls: [], created: 4 }],
    ['POST', '/api/nodes/reconnect?dry_run=true', undefined, { dry_run: true, affected_nodes: 1 }],
    ['POST', '/api/nodes/bulk/delete', { ids: [1, 2, 3], dry_run: true }, { nodes: ['near', 'far'], count: 2 }],
    ['POST', '/api/nodes/bulk/disable', { ids: [1, 2], dry_run: true }, { nodes: ['near'], count: 1 }],
    ['POST', '/api/nodes/bulk/enable', { ids: [1, 2], dry_run: true }, { nodes: ['far'], count: 1 }],
    ['POST', '/api/nodes/bulk/reconnect', { ids: [1, 2], dry_run: true }, { nodes: ['near'], count: 1 }],
  ])('of %s %s tells what would change, and changes nothing', async (method, url, body, expected) => {
    const before = await everything();
    const status = url.includes('from_template') ? 201 : 200;
    expect(await management.call(method, url, body)).toEqual({ status, body: expected });
    expect(await everything()).toEqual(before);
  });

  it('is checked like every other member', async () => {
    const wrong = {
      status: 422,
      body: { detail: { dry_run: 'Input should be true or false' }, code: 'INVALID_FIELDS' },
    };
    expect(await management.call('POST', '/api/users/reset?dry_run=maybe')).toEqual(wrong);
    expect(await management.call('DELETE', '/api/admin/plain/users?dry_run=maybe')).toEqual(wrong);
    expect(await management.call('POST', '/api/nodes/bulk/delete', { ids: [], dry_run: 'yes' })).toEqual(wrong);
    expect((await management.call('DELETE', '/api/admin/plain/users?dryrun=true')).status).toBe(422);
    expect((await management.call('DELETE', '/api/admin/nobody/users?dry_run=true')).status).toBe(404);
  });
});
