import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import type { Group } from '../../groups/group.entity.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import type { User } from '../../user-store/entities/user.entity.js';
import { UserTombstone } from '../../user-store/entities/user-tombstone.entity.js';
import { after } from '../../user-store/served/served-users.js';
import { forgetTombstones } from '../../user-store/served/tombstones.js';
import type { Node } from '../store/node.entity.js';
import { NodeDouble } from '../testing/node-double.js';
import { INBOUND_TAG, NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { CoreView } from './core-view.js';
import { ExpectedUsers } from './expected-users.js';
import { NodeSyncWorker } from './node-sync.worker.js';

const emailOf = ({ id, username }: User): string => nodeEmail(id, username);

describe('the users on a node', () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let group: Group;
  let alice: User;
  let bob: User;
  let node: NodeDouble;
  let row: Node;
  let worker: NodeSyncWorker;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    group = await fixture.createGroup();
    [alice, bob] = (await fixture.createUsers(['alice', 'bob'], group)) as [User, User];
    node = new NodeDouble();
    row = await fixture.createNode();
  });

  afterEach(() => worker.stop());

  async function serve(timing = { ...QUICK_TIMING, compareMs: 20 }): Promise<void> {
    worker = new NodeSyncWorker(row.id, fixture.context(node), timing);
    await until(async (saw) => saw(await fixture.readNode(row.id)).status === 'connected');
  }

  const fullSets = () => node.calls.filter((call) => call === 'syncUsers').length;
  const emails = () => [...node.users.keys()].sort();
  /** Waits for several comparisons. */
  const goesOn = async () => {
    const before = node.calls.length;
    await until((saw) => saw(node.calls).length > before + 20);
  };

  it('are not replaced while they are the expected ones, whatever changes', async () => {
    await serve();
    await goesOn();
    const carol = await fixture.createUser('carol', group);
    await fixture.changeUser(alice, { status: 'disabled' });
    await fixture.deleteUser(bob);
    await until((saw) => saw(node.users).size === 1);
    await goesOn();
    expect([emails(), fullSets(), node.starts.length]).toEqual([[emailOf(carol)], 0, 1]);
    expect(await fixture.readNode(row.id)).toMatchObject({ driftCount: 0, driftFoundAt: null });
  });

  it.each([
    ['lacks a user', () => node.users.delete(emailOf(alice))],
    [
      'holds a user who is not served',
      () => node.users.set('99.eve', { ...node.users.get(emailOf(bob))!, email: '99.eve' }),
    ],
    [
      'holds an older credential',
      () => node.users.set(emailOf(bob), { ...node.users.get(emailOf(bob))!, proxies: undefined }),
    ],
  ])('are replaced when the node %s', async (_, spoil) => {
    await serve();
    const right = new Map(node.users);
    spoil();
    await until((saw) => saw(fullSets()) === 1);
    await goesOn();
    expect([node.users, fullSets(), node.starts.length]).toEqual([right, 1, 1]);
    expect(await fixture.readNode(row.id)).toMatchObject({
      status: 'connected',
      driftCount: 1,
      driftFoundAt: expect.any(Date),
    });
  });

  it('are the expected ones without users whom the engine refuses', async () => {
    node.poison.set(emailOf(alice), 'bad key');
    await serve();
    await goesOn();
    expect([emails(), fullSets()]).toEqual([[emailOf(bob)], 0]);
  });

  it('are not compared on another implementation, which reports no digest', async () => {
    node.tellsDigest = false;
    await serve();
    node.users.clear();
    await goesOn();
    expect(fullSets()).toBe(0);
  });

  it('are replaced only after the expected users were read again', async () => {
    await serve();
    await goesOn();
    // The digests in memory become wrong, because the deletion has no revision.
    await database.query('DELETE FROM users WHERE id = $1', [bob.id]);
    node.users.delete(emailOf(bob));
    await goesOn();
    expect([emails(), fullSets()]).toEqual([[emailOf(alice)], 0]);
    expect(await database.manager.count(UserTombstone)).toBe(0);
  });

  it('are compared after a failure, and replaced at once on command', async () => {
    await serve({ ...QUICK_TIMING, compareMs: 60_000 });
    node.users.delete(emailOf(alice));
    node.fail('info', 'before');
    await until((saw) => saw(fullSets()) === 1);
    node.users.clear();
    node.fail('syncUsers', 'after');
    worker.runCommand('sync');
    await until((saw) => saw(fullSets()) === 3);
    expect(emails()).toEqual([emailOf(alice), emailOf(bob)].sort());
  });
});

describe('the expected users of a node', () => {
  it('include deletions, whose tombstones are kept until then', async () => {
    const database = await createMigratedDatabase();
    const fixture = new NodeFixture(database);
    const [, bob] = (await fixture.createUsers(['alice', 'bob'], await fixture.createGroup())) as [User, User];
    const wanted = new ExpectedUsers(database);
    const view = new CoreView(new Map([[INBOUND_TAG, 'shadowsocks']]));
    const node = new NodeDouble();
    node.running = true;
    /** Sends the changes, and returns whether the node then holds the expected users. */
    const compare = async () => {
      const { changes, matches } = (await wanted.expectedAt(view, after(0n), 1_000, new AbortController().signal))!;
      await node.syncUser(changes.map((user) => view.nodeUser(user)));
      return matches(await node.info());
    };
    const tombstones = async () => {
      await forgetTombstones(database, wanted.followedRevision);
      return database.manager.count(UserTombstone);
    };
    expect(wanted.followedRevision).toBeUndefined();
    expect(await compare()).toBe(true);
    await fixture.deleteUser(bob);
    expect(await tombstones()).toBe(1);
    expect(await compare()).toBe(true);
    expect(await tombstones()).toBe(0);
    expect([await compare(), node.users.size]).toEqual([true, 1]);
  });
});
