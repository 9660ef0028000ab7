import { beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_INT32 } from '@rampart/domain';
import type { DataSource } from 'typeorm';
import { type PreparedQuery, preparedQuery } from '../database/prepared.js';
import type { Group } from '../groups/group.entity.js';
import { NodeFixture } from '../nodes/testing/node-fixture.js';
import { createMigratedDatabase } from '../testing/migrated-database.js';
import { findSubscribers } from './subscriber.js';

let database: DataSource;
let query: PreparedQuery;
let group: Group;
let [alice, bob] = [0, 0];

beforeAll(async () => {
  database = await createMigratedDatabase();
  query = preparedQuery(database);
  const fixture = new NodeFixture(database);
  group = await fixture.createGroup();
  [alice = 0, bob = 0] = (await fixture.createUsers(['alice', 'bob'], group)).map(({ id }) => id);
});

describe(findSubscribers.name, () => {
  it('returns one result for each subject in order: repeated subjects, deleted users and revoked tokens included', async () => {
    const found = await findSubscribers(query, [
      { userId: bob, generation: 0 },
      { userId: MAX_INT32, generation: 0 },
      { userId: alice, generation: 1 },
      { userId: alice, generation: 0 },
      { userId: bob, generation: 0 },
    ]);
    expect(found.map((subscriber) => subscriber?.username)).toEqual(['bob', undefined, undefined, 'alice', 'bob']);
    expect(found[0]).toEqual(found[4]);
    expect(found[3]).toMatchObject({ status: 'active', groupIds: [group.id], adminUsername: null });
  });

  it('is planned once, regardless of the number of calls', async () => {
    for (let turn = 0; turn < 10; turn += 1) await findSubscribers(query, [{ userId: bob, generation: 0 }]);
    const [statement] = await database.query(
      "SELECT generic_plans > 0 AS is_generic, custom_plans <= 5 AS is_kept FROM pg_prepared_statements WHERE name = 'subscribers'",
    );
    expect(statement).toEqual({ is_generic: true, is_kept: true });
  });
});
