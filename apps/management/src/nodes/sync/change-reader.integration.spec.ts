import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { asDatabase } from '../../database/database.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { after } from '../../user-store/served/served-users.js';
import { NodeFixture } from '../testing/node-fixture.js';
import { ChangeReader } from './change-reader.js';
import { NodeSyncRepository } from './node-sync.repository.js';

describe(ChangeReader.name, () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let changes: ChangeReader;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    changes = new ChangeReader(database, new NodeSyncRepository());
  });

  it('reads once for 20 nodes with the same position, and again after the next change', async () => {
    const group = await fixture.createGroup();
    const query = jest.spyOn(asDatabase(database).reads, 'query');
    const read = () => Promise.all(Array.from({ length: 20 }, () => changes.changesAfter(after(0n))));
    await fixture.createUser('alice', group);
    query.mockClear();
    expect((await read()).map((users) => users.map(({ email }) => email))).toEqual(Array(20).fill(['1.alice']));
    expect(query).toHaveBeenCalledTimes(1);
    await fixture.createUser('bob', group);
    query.mockClear();
    expect((await read()).map((users) => users.map(({ email }) => email))).toEqual(
      Array(20).fill(['1.alice', '2.bob']),
    );
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('looks once for the small changes that 20 nodes with the same position may send ahead', async () => {
    await fixture.createUser('alice', await fixture.createGroup());
    const query = jest.spyOn(asDatabase(database).reads, 'query');
    const found = await Promise.all(Array.from({ length: 20 }, () => changes.smallChangesAfter(0n)));
    const expected = { users: [expect.objectContaining({ email: '1.alice' })], newest: 1n, more: false };
    expect(found).toEqual(Array(20).fill(expected));
    expect(query).toHaveBeenCalledTimes(2);
  });

  it('reads a full batch once for nodes that come one after another', async () => {
    const group = await fixture.createGroup();
    await fixture.createUsers(
      Array.from({ length: 1_500 }, (_, n) => `user${n}`),
      group,
    );
    const query = jest.spyOn(asDatabase(database).reads, 'query');
    const [first, second] = [await changes.changesAfter(after(0n)), await changes.changesAfter(after(0n))];
    expect([first.length, second, query.mock.calls.length]).toEqual([1_000, first, 1]);
    const rest = { revision: 1n, userId: 1_000 };
    expect([await changes.changesAfter(rest), await changes.changesAfter(rest)].map(({ length }) => length)).toEqual([
      500, 500,
    ]);
    expect(query.mock.calls.length).toBe(3);
  });

  it('reads the start revisions of all nodes at once, and knows none of a deleted node', async () => {
    const [one, other] = [await fixture.createNode({ startRevision: 7n }), await fixture.createNode()];
    const query = jest.spyOn(asDatabase(database).reads, 'query');
    const ids = [one.id, other.id, 4_711];
    expect(await Promise.all(ids.map((id) => changes.startRevisionOf(id)))).toEqual([7n, 0n, undefined]);
    expect(query).toHaveBeenCalledTimes(1);
  });
});
