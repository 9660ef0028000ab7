import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { nodeEmail } from '@rampart/domain';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { ChangeFeed } from '../../change-events/change-feed.js';
import { Group } from '../../groups/group.entity.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { UserTombstone } from '../../user-store/entities/user-tombstone.entity.js';
import { Node } from '../store/node.entity.js';
import { announceNodeChange, sendNodeCommand } from '../store/node-channel.js';
import { NodeDouble } from '../testing/node-double.js';
import { DoubleConnector, NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { NodeSyncManager } from './node-sync-manager.js';

/** Intervals that are so long that only notifications can cause what the tests wait for. */
const PATIENT = { ...QUICK_TIMING, healthMs: 60_000, collectMs: 60_000, scanMs: 60_000 };

describe(NodeSyncManager.name, () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let group: Group;
  const replicas: NodeSyncManager[] = [];

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    group = await fixture.createGroup();
  });

  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.beforeApplicationShutdown()));
  });

  /** A replica with its own doubles of the nodes, which show who calls. */
  function replica(timing = QUICK_TIMING): Map<number, NodeDouble> {
    const nodes = new Map<number, NodeDouble>();
    const connector = new DoubleConnector((id) => {
      const node = nodes.get(id) ?? new NodeDouble();
      nodes.set(id, node);
      return node;
    });
    const manager = new NodeSyncManager(fixture.contextOf(connector), timing, new ChangeFeed());
    replicas.push(manager);
    manager.onApplicationBootstrap();
    return nodes;
  }

  const locks = async (): Promise<number[]> => {
    const rows =
      await database.query(`SELECT objid::int AS id FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY id`);
    return rows.map(({ id }: { id: number }) => id);
  };
  const started = (nodes: Map<number, NodeDouble>) =>
    [...nodes].filter(([, { starts }]) => starts.length > 0).map(([id]) => id);
  /** The nodes whose workers a replica runs. */
  const served = (index: number): number[] => replicas[index]!.figures.map(({ nodeId }) => nodeId);
  const hasScanned = async () => {
    const rows = await database.query(`SELECT FROM pg_stat_activity WHERE application_name = 'rampart-coordination'
      AND datname = current_database() AND query LIKE '%FROM pg_locks%'`);
    return rows.length === 1;
  };
  const breakCoordination = () =>
    database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'rampart-coordination' AND datname = current_database()`);

  it('is notified of a new node and of every change', async () => {
    const nodes = replica(PATIENT);
    await until(hasScanned);
    const { id } = await fixture.createNode();
    await announceNodeChange(database.manager);
    await until((saw) => saw(started(nodes)).length === 1);
    const alice = await fixture.createUser('alice', group);
    await until((saw) => saw(nodes.get(id)!.users).has(nodeEmail(alice.id, 'alice')));
    await fixture.deleteUser(alice);
    await until((saw) => saw(nodes.get(id)!.users).size === 0);
    expect(nodes.get(id)!.starts).toHaveLength(1);
  });

  it('serves each node by exactly one of two replicas, and by the other one when the first stops', async () => {
    const ids = [(await fixture.createNode()).id, (await fixture.createNode()).id, (await fixture.createNode()).id];
    const first = replica();
    await until((saw) => saw(started(first)).length === 3);
    const second = replica();
    const late = (await fixture.createNode()).id;
    await until((saw) => saw(started(first)).includes(late) || saw(started(second)).includes(late));
    await until((saw) => saw(served(0)).length === 2 && saw(served(1)).length === 2);
    expect([...served(0), ...served(1)].sort()).toEqual([...ids, late]);

    await replicas.shift()?.beforeApplicationShutdown();
    await until((saw) => saw(started(second)).length === 4);
    expect(await locks()).toEqual([...ids, late]);
    expect([...first.values()].map(({ stops }) => stops).every((stops) => stops === 0)).toBe(true);
  });

  it('shares the nodes evenly among three replicas, and again when one of them is replaced by another', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 7; n += 1) ids.push((await fixture.createNode()).id);
    const first = replica(PATIENT);
    await until((saw) => saw(started(first)).length === 7);
    replica(PATIENT);
    const third = replica(PATIENT);
    const sizes = () => replicas.map((_, index) => served(index).length).sort();
    await until((saw) => saw(String(sizes())) === '1,3,3' || saw(String(sizes())) === '2,2,3');
    expect(replicas.flatMap((_, index) => served(index)).sort()).toEqual(ids);
    expect(await locks()).toEqual(ids);
    expect([...first.values()].every(({ stops }) => stops === 0)).toBe(true);

    await replicas.pop()?.beforeApplicationShutdown();
    expect([...third.values()].every(({ stops }) => stops === 0)).toBe(true);
    replica(PATIENT);
    await until((saw) => saw(replicas.flatMap((_, index) => served(index))).length === 7);
    expect(replicas.flatMap((_, index) => served(index)).sort()).toEqual(ids);
  });

  it('releases its nodes when its connection breaks, and locks them again', async () => {
    const { id } = await fixture.createNode();
    const nodes = replica();
    await until((saw) => saw(started(nodes)).length === 1);
    await breakCoordination();
    await until((saw) => saw(nodes.get(id)!.starts).length === 2);
    expect(await locks()).toEqual([id]);
    const alice = await fixture.createUser('alice', group);
    await until((saw) => saw(nodes.get(id)!.users).has(nodeEmail(alice.id, 'alice')));
  });

  it('does not serve disabled nodes, and releases deleted ones', async () => {
    const off = await fixture.createNode({ status: 'disabled' });
    const on = await fixture.createNode();
    const nodes = replica();
    await until((saw) => saw(started(nodes)).length === 1);
    expect(nodes.has(off.id)).toBe(false);
    expect(await locks()).toEqual([on.id]);
    await database.manager.delete(Node, { id: on.id });
    await until(async (saw) => saw(await locks()).length === 0);
    expect(nodes.get(on.id)!.stops).toBe(1);
  });

  it('records the last traffic of a deleted node before it stops the engine', async () => {
    const alice = await fixture.createUser('alice', group);
    const { id } = await fixture.createNode();
    const nodes = replica(PATIENT);
    await until(() => nodes.get(id)?.calls.includes('collectTraffic') ?? false);
    const node = nodes.get(id)!;
    node.traffic(nodeEmail(alice.id, 'alice'), 3n, 4n);
    // A batch may be older than the last bytes; the node counts them when it is asked for its figures.
    let batchesBefore = 0;
    Object.assign(node, {
      stats: async () => {
        batchesBefore = node.calls.filter((call) => call === 'collectTraffic').length;
        return { stats: [] };
      },
    });
    let usedAtStop = 0;
    node.stop = async () => {
      usedAtStop = await fixture.usedTraffic(alice);
    };
    await database.manager.delete(Node, { id });
    await announceNodeChange(database.manager);
    await until(async (saw) => saw(await locks()).length === 0);
    expect(usedAtStop).toBe(7);
    const batches = node.calls.filter((call) => call === 'collectTraffic').length;
    expect([batchesBefore > 0, batches - batchesBefore]).toEqual([true, 2]);
  });

  it('stops the engine of a deleted node also when its last traffic cannot be collected', async () => {
    const { id } = await fixture.createNode();
    const nodes = replica(PATIENT);
    await until(() => nodes.get(id)?.calls.includes('collectTraffic') ?? false);
    nodes.get(id)!.fail('collectTraffic', 'before', 'TIMEOUT', 'no answer');
    await database.manager.delete(Node, { id });
    await announceNodeChange(database.manager);
    await until(async (saw) => saw(await locks()).length === 0);
    expect([nodes.get(id)!.stops, nodes.get(id)!.closed]).toEqual([1, 1]);
  });

  it('carries out commands of any replica in the one that serves the node', async () => {
    const first = replica(PATIENT);
    await until(hasScanned);
    const { id } = await fixture.createNode();
    await announceNodeChange(database.manager);
    await until((saw) => saw(started(first)).length === 1);
    const second = replica(PATIENT);
    await sendNodeCommand(database.manager, [id, 4711], 'reconnect');
    await until(
      async (saw) => saw(first.get(id)!.starts).length === 2 && saw(await fixture.readNode(id)).status === 'connected',
    );
    await sendNodeCommand(database.manager, [id], 'sync');
    await until((saw) => saw(first.get(id)!.calls).includes('syncUsers'));
    expect([...second.keys()]).toEqual([]);
    expect(first.get(id)!.closed).toBe(1);
  });

  it.each(['info', 'syncUser', 'collectTraffic'] as const)(
    'a reconnect does not wait for the call %s to a node that does not answer, and is no failure of the node',
    async (call) => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      const { id } = await fixture.createNode();
      const nodes = replica();
      await until((saw) => saw(started(nodes)).length === 1);
      const node = nodes.get(id)!;
      node.hang(call);
      const before = node.calls.length;
      await fixture.createUser('alice', group);
      await until((saw) => saw(node.calls.slice(before)).includes(call) && saw(node.calls).at(-1) === call);
      await sendNodeCommand(database.manager, [id], 'reconnect');
      await until(
        async (saw) => saw(node.starts).length === 2 && saw(await fixture.readNode(id)).status === 'connected',
      );
      const ofNode = warn.mock.calls.filter(([line]) => String(line).startsWith('node '));
      expect([node.closed, ofNode]).toEqual([1, []]);
      warn.mockRestore();
    },
  );

  it('stops the engine of a disabled node, and starts it with all users when it is enabled', async () => {
    const { id } = await fixture.createNode();
    const nodes = replica(PATIENT);
    await until((saw) => saw(started(nodes)).length === 1);
    await database.manager.update(Node, { id }, { status: 'disabled' });
    await announceNodeChange(database.manager);
    await until(async (saw) => saw(await locks()).length === 0);
    expect([nodes.get(id)!.stops, nodes.get(id)!.closed]).toEqual([1, 1]);
    const alice = await fixture.createUser('alice', group);
    await database.manager.update(Node, { id }, { status: 'connecting' });
    await announceNodeChange(database.manager);
    await until((saw) => saw(nodes.get(id)!.users).has(nodeEmail(alice.id, 'alice')));
    expect(await locks()).toEqual([id]);
  });

  it('security row 86: waits for no node out of service that does not answer, and has one worker for each node at a time', async () => {
    const { id } = await fixture.createNode();
    const nodes = replica(PATIENT);
    await until(() => nodes.get(id)?.calls.includes('collectTraffic') ?? false);
    const node = nodes.get(id)!;
    node.hang('collectTraffic');
    const before = node.calls.length;
    await database.manager.update(Node, { id }, { status: 'disabled' });
    await announceNodeChange(database.manager);
    await until((saw) => saw(node.calls).length > before);
    const other = await fixture.createNode();
    await announceNodeChange(database.manager);
    await until((saw) => saw(started(nodes)).includes(other.id));
    expect([await locks(), served(0)]).toEqual([[id, other.id], [other.id]]);
    expect([node.closed, node.stops, node.starts.length]).toEqual([0, 0, 1]);
    // In service again: its next worker does not wait for the answer.
    await database.manager.update(Node, { id }, { status: 'connecting' });
    await announceNodeChange(database.manager);
    await until((saw) => saw(node.starts).length === 2);
    // Afterwards the worker goes on with its rounds.
    const calls = node.calls.slice(before, before + 3);
    expect([node.closed, node.stops, calls]).toEqual([1, 0, ['collectTraffic', 'info', 'start']]);
    expect(await locks()).toEqual([id, other.id]);
  });

  it('deletes tombstones when every node has received them', async () => {
    const [alice, bob] = await fixture.createUsers(['alice', 'bob'], group);
    const ids = [(await fixture.createNode()).id, (await fixture.createNode()).id];
    await fixture.createNode({ status: 'disabled' });
    const nodes = replica();
    await until((saw) => saw(started(nodes)).length === 2);
    await fixture.deleteUser(alice!);
    await fixture.deleteUser(bob!);
    await until(async (saw) => saw(await database.manager.count(UserTombstone)) === 0);
    for (const id of ids) {
      expect((await fixture.readNode(id)).syncedRevision).toBe(3n);
      expect(nodes.get(id)!.users.size).toBe(0);
    }
  });

  it('keeps tombstones that a node has not received', async () => {
    const alice = await fixture.createUser('alice', group);
    const bob = await fixture.createUser('bob', group);
    await fixture.deleteUser(alice);
    const { id } = await fixture.createNode();
    const nodes = replica();
    await until((saw) => saw(started(nodes)).length === 1);
    await until(async (saw) => saw(await database.manager.count(UserTombstone)) === 0);
    for (let n = 0; n < 1_000; n += 1) nodes.get(id)!.fail('syncUser', 'before');
    await fixture.deleteUser(bob);
    await until(async (saw) => saw(await fixture.readNode(id)).status === 'error');
    const scans = nodes.get(id)!.calls.length;
    await until((saw) => saw(nodes.get(id)!.calls).length > scans + 10);
    expect(await database.manager.find(UserTombstone)).toEqual([
      { userId: bob.id, email: `${bob.id}.bob`, revision: 4n },
    ]);
  });
});
