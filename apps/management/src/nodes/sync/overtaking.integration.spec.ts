import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { NodeClientError } from '@rampart/node-client';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import type { Group } from '../../groups/group.entity.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import type { User } from '../../user-store/entities/user.entity.js';
import { NodeDouble } from '../testing/node-double.js';
import { NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { NodeSyncWorker } from './node-sync.worker.js';

const USERS = 2_500;
const emailOf = ({ id, username }: User): string => nodeEmail(id, username);

describe('a change of one user while many users of another change are sent', () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let group: Group;
  let node: NodeDouble;
  let worker: NodeSyncWorker;
  /** The e-mails of each call with users, in the order in which they arrived. */
  let calls: string[][];
  /** Has the first call of 1,000 users end. */
  let endFirstBatch: (error?: Error) => void;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    group = await fixture.createGroup();
    node = new NodeDouble();
    calls = [];
    const sync = node.syncUser.bind(node);
    const ended = new Promise<Error | undefined>((resolve) => {
      endFirstBatch = resolve;
    });
    node.syncUser = async (users) => {
      const batch = [...users];
      calls.push(batch.map(({ email }) => email));
      const error =
        batch.length === 1_000 && calls.filter(({ length }) => length === 1_000).length === 1 && (await ended);
      await sync(batch);
      if (error) throw error;
    };
    const row = await fixture.createNode();
    worker = new NodeSyncWorker(row.id, fixture.context(node), { ...QUICK_TIMING, rereadMs: 60_000 });
    await until(async (saw) => saw(await fixture.readNode(row.id)).status === 'connected');
  });

  afterEach(() => worker.stop());

  async function beginManyUsers(): Promise<User[]> {
    const users = await fixture.createUsers(
      Array.from({ length: USERS }, (_, n) => `user${n}`),
      group,
    );
    worker.announceChange();
    await until((saw) => saw(calls).length === 1);
    return users;
  }

  const isDone = () => until((saw) => saw(calls.at(-1)!).length < 1_000 && saw(calls.flat()).length > USERS);

  it('a change of one user reaches the node before the call with many users has ended, and again in its turn', async () => {
    const many = (await beginManyUsers()).map(emailOf);
    const alice = await fixture.createUser('alice', group);
    worker.announceChange();
    await until((saw) => saw(node.users).has(emailOf(alice)));
    expect(calls.map(({ length }) => length)).toEqual([1_000, 1]);
    endFirstBatch();
    await isDone();
    expect(calls).toEqual([
      many.slice(0, 1_000),
      [emailOf(alice)],
      many.slice(1_000, 2_000),
      [...many.slice(2_000), emailOf(alice)],
    ]);
    expect(node.starts).toHaveLength(1);
  });

  it('the older word on a user who has overtaken is never sent, and is no failure where it was on its way', async () => {
    const many = await beginManyUsers();
    const [onItsWay, later] = [many[5]!, many[1_500]!];
    await fixture.changeUser(onItsWay, { status: 'disabled' });
    await fixture.changeUser(later, { note: 'changed' });
    worker.announceChange();
    await until((saw) => saw(calls.flat()).filter((email) => email === emailOf(later)).length === 1);
    endFirstBatch(new NodeClientError('STALE_REVISION', '1 users not changed'));
    await until((saw) => saw(calls.at(-1)!).includes(emailOf(later)) && saw(calls).length > 3);
    expect(calls.filter((emails) => emails.includes(emailOf(later))).map(({ length }) => length)).not.toContain(1_000);
    await until((saw) => saw(node.users).size === USERS - 1);
    expect([node.users.has(emailOf(onItsWay)), node.users.has(emailOf(later))]).toEqual([false, true]);
    expect(node.starts).toHaveLength(1);
  });

  it('security row 36: the node never hears of a user of the many who is deleted before their turn comes', async () => {
    const many = await beginManyUsers();
    const [onItsWay, later] = [many[5]!, many[1_500]!];
    await fixture.deleteUser(onItsWay);
    await fixture.deleteUser(later);
    const last = await fixture.createUser('last', group);
    worker.announceChange();
    await until((saw) => saw(node.users).has(emailOf(last)));
    endFirstBatch();
    await isDone();
    await until((saw) => saw(node.users).size === USERS - 1);
    const sizesWith = (user: User) =>
      calls.filter((emails) => emails.includes(emailOf(user))).map(({ length }) => length);
    // The batch that was on its way may bring the first one back, so its removal is sent again in its turn.
    expect([sizesWith(onItsWay), sizesWith(later)]).toEqual([[1_000, 2, 501], []]);
  });
});
