import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { Group } from '../groups/group.entity.js';
import { NodeFixture } from '../nodes/testing/node-fixture.js';
import { writeUpdates } from '../subscriptions/updates/write-updates.js';
import { createMigratedDatabase } from '../testing/migrated-database.js';
import type { User } from './entities/user.entity.js';

const TABLES = ['user_groups', 'user_searches', 'user_revisions', 'user_proxy_settings', 'user_subscription_updates'];

let database: DataSource;
let fixture: NodeFixture;
let [alice, bob]: User[] = [];
let group: Group;

beforeAll(async () => {
  database = await createMigratedDatabase();
  fixture = new NodeFixture(database);
});

beforeEach(async () => {
  await database.query('DELETE FROM users');
  group = await fixture.createGroup();
  [alice, bob] = await fixture.createUsers(['alice', 'bob'], group);
  const fetches = [alice!.id, bob!.id, alice!.id].map((userId, day) => ({
    userId,
    userAgent: `App/${day}`,
    at: new Date(Date.UTC(2026, 0, 1 + day)),
  }));
  await writeUpdates(database.manager, fetches);
});

const owners = (table: string): Promise<number[]> =>
  database.query(`SELECT user_id FROM ${table} ORDER BY 1`).then((rows) => rows.flatMap(Object.values));

describe('the rows that belong to a user', () => {
  it.each(TABLES)('the rows of a user in %s are deleted with the user', async (table) => {
    expect(await owners(table)).toEqual([alice!.id, bob!.id]);
    await database.query('DELETE FROM users WHERE id = $1', [alice!.id]);
    expect(await owners(table)).toEqual([bob!.id]);
  });

  it('are counted', async () => {
    const counted = () => database.query(`SELECT value::integer FROM counters WHERE name = 'users'`);
    expect(await counted()).toEqual([{ value: 2 }]);
    await fixture.createUser('cara', group);
    expect(await counted()).toEqual([{ value: 3 }]);
    await database.query('DELETE FROM users WHERE id = ANY ($1)', [[alice!.id, bob!.id]]);
    expect(await counted()).toEqual([{ value: 1 }]);
  });
});

describe('memberships', () => {
  const join = (userId: number, groupId: number) =>
    database.query('INSERT INTO user_groups (user_id, group_id) VALUES ($1, $3), ($2, $3)', [userId, bob!.id, groupId]);
  const refusal = 'a user or a group of these memberships does not exist';

  it('exist only for users and groups that exist', async () => {
    const other = await fixture.createGroup();
    await expect(join(4711, other.id)).rejects.toThrow(refusal);
    await expect(join(alice!.id, 4711)).rejects.toThrow(refusal);
    expect(await owners('user_groups')).toEqual([alice!.id, bob!.id]);
    await join(alice!.id, other.id);
    expect(await owners('user_groups')).toEqual([alice!.id, alice!.id, bob!.id, bob!.id]);
  });

  it('are counted, and are deleted with their group', async () => {
    const total = () => database.manager.findOneByOrFail(Group, { id: group.id });
    expect((await total()).totalUsers).toBe(2);
    await database.query('DELETE FROM users WHERE id = $1', [alice!.id]);
    expect((await total()).totalUsers).toBe(1);
    await database.query('DELETE FROM groups WHERE id = $1', [group.id]);
    expect(await owners('user_groups')).toEqual([]);
  });
});
