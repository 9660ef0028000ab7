import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { Admin } from '../../admins/store/admin.entity.js';
import { TestManagement } from '../../testing/test-management.js';
import { deleteAllUsage, insertUsageHours } from '../../usage/testing/usage-fixture.js';
import { User } from '../../user-store/entities/user.entity.js';
import { changedUsersAfter } from '../../user-store/served/served-users.js';
import { NodeDouble } from '../testing/node-double.js';
import { NodeFixture, trafficStores } from '../testing/node-fixture.js';
import { TrafficCollector } from '../traffic/traffic-collector.js';

const HOUR_MS = 3_600_000;

let management: TestManagement;
let fixture: NodeFixture;
let lying: number;
let honest: number;
let owner: number;

beforeAll(async () => {
  management = await TestManagement.start();
  fixture = new NodeFixture(management.database);
  lying = (await fixture.createNode({ status: 'disabled' })).id;
  honest = (await fixture.createNode({ status: 'disabled' })).id;
  await management.plainAdmin('owner');
  owner = (await management.database.manager.findOneByOrFail(Admin, { username: 'owner' })).id;
});
afterAll(() => management?.close());

const query = (sql: string, parameters: unknown[] = []) => management.database.query(sql, parameters);

beforeEach(async () => {
  await deleteAllUsage(management.database);
  await query('DELETE FROM users');
  await query('DELETE FROM admin_traffic_resets');
  await query('UPDATE admins SET used_traffic = 0, past_traffic = 0');
  await query('UPDATE nodes SET uplink = 0, downlink = 0');
});

/** The beginning of the hour that began so many hours before the present one. */
const hour = (ago: number): string =>
  new Date((Math.floor(Date.now() / HOUR_MS) - ago) * HOUR_MS).toISOString().replace('.000Z', 'Z');

async function users(...names: string[]): Promise<User[]> {
  const created = await fixture.createUsers(names, await fixture.createGroup());
  await query('UPDATE users SET admin_id = $1', [owner]);
  return created;
}

/** Traffic as it was recorded some hours ago, without what has become of it since. */
async function recorded(user: User, nodeId: number, ago: number, bytes: number): Promise<void> {
  await insertUsageHours(management.database, [{ userId: user.id, adminId: owner, nodeId, hour: hour(ago), bytes }]);
  await query('UPDATE users SET used_traffic = used_traffic + $2 WHERE id = $1', [user.id, bytes]);
  await query('UPDATE admins SET used_traffic = used_traffic + $2 WHERE id = $1', [owner, bytes]);
  await query('UPDATE nodes SET uplink = uplink + $2, downlink = downlink + $3 WHERE id = $1', [
    nodeId,
    2 * bytes,
    3 * bytes,
  ]);
}

/** A reset of the counter of a user in the middle of an hour. */
async function reset({ id }: User, ago: number): Promise<void> {
  await query(
    `WITH logged AS (
       INSERT INTO user_traffic_resets (user_id, used_traffic, reset_at)
       SELECT id, used_traffic, $2::timestamptz + interval '30 minutes' FROM users WHERE id = $1)
     UPDATE users SET past_traffic = past_traffic + used_traffic, used_traffic = 0 WHERE id = $1`,
    [id, hour(ago)],
  );
}

const revert = (from: number, to: number, others = {}) =>
  management.call('POST', `/api/node/${lying}/usage/revert`, { from: hour(from), to: hour(to), ...others });

async function counters(): Promise<unknown> {
  const rows = await query(
    `SELECT 'user ' || username AS name, used_traffic AS used, past_traffic AS past FROM users
     UNION ALL SELECT 'admin ' || username, used_traffic, past_traffic FROM admins WHERE username = 'owner'
     UNION ALL SELECT 'node', uplink, downlink FROM nodes WHERE id = $1 ORDER BY name`,
    [lying],
  );
  return Object.fromEntries(rows.map(({ name, used, past }: never) => [name, [Number(used), Number(past)]]));
}

const history = () =>
  query(
    `SELECT (SELECT sum(used_traffic)::integer FROM node_user_usages) AS users,
       (SELECT sum(used_traffic)::integer FROM admin_usages) AS admins,
       (SELECT sum(used_traffic)::integer FROM node_usages) AS nodes`,
  );

describe('POST /api/node/{id}/usage/revert', () => {
  it('security row 40: takes back exactly what the node has reported in these hours, once', async () => {
    const [alice, bob] = (await users('alice', 'bob')) as [User, User];
    await recorded(alice, lying, 5, 1);
    await recorded(alice, lying, 4, 10);
    await recorded(alice, lying, 3, 100);
    await recorded(alice, honest, 3, 1_000);
    await recorded(bob, lying, 3, 10_000);
    await recorded(bob, lying, 2, 100_000);
    await query(`UPDATE users SET data_limit = 5000, status = 'limited' WHERE username = 'bob'`);
    await query(`UPDATE users SET data_limit = 1050, status = 'limited' WHERE username = 'alice'`);
    const before = [await counters(), await history()];
    const answer = {
      from: `${hour(4).slice(0, 19)}.000Z`,
      to: `${hour(2).slice(0, 19)}.000Z`,
      affected_users: 2,
      affected_admins: 1,
      user_bytes: 10_110,
      admin_bytes: 10_110,
      uplink: 20_220,
      downlink: 30_330,
      reactivated_users: 1,
      possible_holds: [],
    };
    const newest = await query(`SELECT value FROM counters WHERE name = 'revision'`);
    expect(await revert(4, 2, { dry_run: true })).toEqual({ status: 200, body: { ...answer, dry_run: true } });
    expect([await counters(), await history()]).toEqual(before);
    expect(await query(`SELECT value FROM counters WHERE name = 'revision'`)).toEqual(newest);

    expect(await revert(4, 2)).toEqual({ status: 200, body: { ...answer, dry_run: false } });
    expect(await counters()).toEqual({
      'user alice': [1_001, 0],
      'user bob': [100_000, 0],
      'admin owner': [101_001, 0],
      node: [200_002, 300_003],
    });
    expect(await history()).toEqual([{ users: 101_001, admins: 101_001, nodes: 101_001 }]);
    expect(await query('SELECT username, status FROM users ORDER BY 1')).toEqual([
      { username: 'alice', status: 'active' },
      { username: 'bob', status: 'limited' },
    ]);
    const position = { revision: BigInt(newest[0].value), userId: 2 ** 31 - 1 };
    const changed = await changedUsersAfter(management.database.manager, position, 10);
    expect(changed.map(({ email }) => email)).toEqual([nodeEmail(alice.id, 'alice')]);
    const [entry] = await query(`SELECT actor, action, target, difference FROM audit_entries ORDER BY id DESC LIMIT 1`);
    expect(entry).toMatchObject({ actor: 'root', action: 'node.revert_usage', target: `node/${lying}` });
    expect(entry.difference).toMatchObject({ user_bytes: { after: 10_110 }, affected_users: { after: 2 } });

    const after = [await counters(), await history()];
    const nothing = { affected_users: 0, affected_admins: 0, user_bytes: 0, admin_bytes: 0, uplink: 0, downlink: 0 };
    expect((await revert(4, 2)).body).toMatchObject({ ...nothing, reactivated_users: 0 });
    expect([await counters(), await history()]).toEqual(after);
  });

  it('security row 40: takes what was counted before a reset from the past, and the rest from the present', async () => {
    const [alice] = (await users('alice')) as [User];
    await recorded(alice, lying, 6, 1);
    await recorded(alice, honest, 5, 10);
    await recorded(alice, lying, 5, 100);
    await reset(alice, 5);
    // The second half of the hour of the reset.
    await query(`UPDATE node_user_usages SET used_traffic = used_traffic + 1000 WHERE node_id = $1 AND hour = $2`, [
      lying,
      hour(5),
    ]);
    await query('UPDATE users SET used_traffic = used_traffic + 1000');
    await recorded(alice, honest, 4, 10_000);
    await recorded(alice, lying, 4, 100_000);
    expect(await counters()).toMatchObject({ 'user alice': [111_000, 111] });
    expect((await revert(6, 3)).body).toMatchObject({ affected_users: 1, user_bytes: 101_101 });
    expect(await counters()).toMatchObject({ 'user alice': [10_000, 10] });
  });

  it('security row 40: takes nothing from what was counted since a later reset', async () => {
    const [alice] = (await users('alice')) as [User];
    await recorded(alice, lying, 6, 500);
    await reset(alice, 5);
    await recorded(alice, honest, 4, 7);
    await revert(6, 5);
    expect(await counters()).toMatchObject({ 'user alice': [7, 0] });
  });

  it('security row 40: leaves no counter below zero', async () => {
    const [alice] = (await users('alice')) as [User];
    await recorded(alice, lying, 6, 500);
    await query('UPDATE users SET used_traffic = 100');
    await query('UPDATE admins SET used_traffic = 100');
    await query('UPDATE nodes SET uplink = 100');
    await revert(6, 5);
    expect(await counters()).toEqual({ 'user alice': [0, 0], 'admin owner': [0, 0], node: [0, 0] });
  });

  it('names users whose hold may have been ended by the traffic', async () => {
    const [alice, bob] = (await users('alice', 'bob')) as [User, User];
    await recorded(alice, lying, 1, 500);
    await recorded(bob, lying, 1, 500);
    await recorded(bob, honest, 1, 500);
    await query(`UPDATE users SET status = 'disabled'`);
    await query(`UPDATE users SET status = 'active', expire = now() + interval '3 days'`);
    expect((await revert(1, 0)).body).toMatchObject({ possible_holds: ['alice'] });
  });

  it('security row 40: takes back what was reported a moment ago, for many users', async () => {
    const names = Array.from({ length: 2_500 }, (_, index) => `user${index}`);
    const many = await users(...names);
    for (const user of [many[0]!, many[2_400]!]) await recorded(user, lying, 3, 1_000);
    const node = new NodeDouble();
    const collector = new TrafficCollector(trafficStores(management.database), lying);
    for (const { id, username } of many) node.traffic(nodeEmail(id, username), 3n, 4n);
    await collector.collectTraffic(node, {});
    const body = { from: hour(4) };
    const { body: answer } = await management.call('POST', `/api/node/${lying}/usage/revert`, body);
    expect(answer).toMatchObject({
      affected_users: 2_500,
      user_bytes: 2_500 * 7 + 2_000,
      admin_bytes: 2_500 * 7 + 2_000,
    });
    const left = await query('SELECT count(*)::integer AS n FROM users WHERE used_traffic + past_traffic > 0');
    expect([left, await history()]).toEqual([[{ n: 0 }], [{ users: null, admins: null, nodes: null }]]);
    node.traffic(nodeEmail(many[0]!.id, 'user0'), 1n, 0n);
    await collector.collectTraffic(node, {});
    expect(await query('SELECT used_traffic FROM users WHERE used_traffic > 0')).toEqual([{ used_traffic: '1' }]);
  });

  it.each([
    [{}, 'from', 'Field required'],
    [{ from: '2026-01-01T10:30:00Z' }, 'from', 'as usage is kept by hours'],
    [{ from: '2026-01-01T10:00:00Z', to: '2026-01-01T10:00:00Z' }, 'to', 'Input should be after from'],
    [{ from: '2026-01-01T10:00:00Z', dry_run: 'no' }, 'dry_run', 'Input should be true or false'],
    [{ from: '2026-01-01T10:00:00Z', users: ['alice'] }, 'users', ''],
  ])('refuses %j', async (body, field, message) => {
    const answer = await management.call('POST', `/api/node/${lying}/usage/revert`, body);
    expect(answer).toMatchObject({ status: 422, body: { detail: { [field]: expect.stringContaining(message) } } });
  });

  it('is for sudo admins, and for nodes that exist', async () => {
    const body = { from: hour(2) };
    expect((await management.call('POST', '/api/node/4711/usage/revert', body)).status).toBe(404);
    const token = await management.login('owner', 'correct horse battery');
    expect((await management.call('POST', `/api/node/${lying}/usage/revert`, body, token)).status).toBe(403);
  });
});
