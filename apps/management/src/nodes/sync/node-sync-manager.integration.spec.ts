import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { Group } from '../../groups/group.entity.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { UserTombstone } from '../../user-store/entities/user-tombstone.entity.js';
import { Node } from '../store/node.entity.js';
import { announceNodeChange, sendNodeCommand } from '../store/node-channel.js';
import { NodeDouble } from '../testing/node-double.js';
import { DoubleConnector, NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { NodeSyncManager } from './node-sync-manager.js';

/** Only announcements can be as quick as the tests are. */
const PATIENT = { ...QUICK_TIMING, healthMs: 60_000, collectMs: 60_000, scanMs: 60_000 };

describe('NodeSyncManager', () => {
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

  /** A replica with its own idea of each node, so that one sees who calls. */
  function replica(timing = QUICK_TIMING): Map<number, NodeDouble> {
    const nodes = new Map<number, NodeDouble>();
    const connector = new DoubleConnector((id) => {
      const node = nodes.get(id) ?? new NodeDouble();
      nodes.set(id, node);
      return node;
    });
    const manager = new NodeSyncManager(fixture.contextOf(connector), timing);
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
  const hasScanned = async () => {
    const rows = await database.query(`SELECT FROM pg_stat_activity WHERE application_name = 'rampart-coordination'
      AND datname = current_database() AND query LIKE '%pg_try_advisory_lock%'`);
    return rows.length === 1;
  };
  const breakCoordination = () =>
    database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'rampart-coordination' AND datname = current_database()`);

  it('hears of a new node and of every change by announcement', async () => {
    const nodes = replica(PATIENT);
    await until(hasScanned);
    const { id } = await fixture.createNode();
    await announceNodeChange(database.manager);
    await until(() => started(nodes).length === 1);
    const alice = await fixture.createUser('alice', group);
    await until(() => nodes.get(id)!.users.has(nodeEmail(alice.id, 'alice')));
    await fixture.deleteUser(alice);
    await until(() => nodes.get(id)!.users.size === 0);
    expect(nodes.get(id)!.starts).toHaveLength(1);
  });

  it('serves each node by exactly one of two replicas, and hands over when one of them ends', async () => {
    const ids = [(await fixture.createNode()).id, (await fixture.createNode()).id, (await fixture.createNode()).id];
    const first = replica();
    await until(() => started(first).length === 3);
    const second = replica();
    const late = (await fixture.createNode()).id;
    await until(() => started(first).includes(late) || started(second).includes(late));
    expect([...started(first), ...started(second)].sort()).toEqual([...ids, late]);

    await replicas.shift()?.beforeApplicationShutdown();
    await until(() => started(second).length === 4);
    expect(await locks()).toEqual([...ids, late]);
    expect([...first.values()].map(({ stops }) => stops).every((stops) => stops === 0)).toBe(true);
  });

  it('lets its nodes go when its connection breaks, and wins them again', async () => {
    const { id } = await fixture.createNode();
    const nodes = replica();
    await until(() => started(nodes).length === 1);
    await breakCoordination();
    await until(() => nodes.get(id)!.starts.length === 2);
    expect(await locks()).toEqual([id]);
    const alice = await fixture.createUser('alice', group);
    await until(() => nodes.get(id)!.users.has(nodeEmail(alice.id, 'alice')));
  });

  it('leaves alone what is disabled, and lets go what is removed', async () => {
    const off = await fixture.createNode({ status: 'disabled' });
    const on = await fixture.createNode();
    const nodes = replica();
    await until(() => started(nodes).length === 1);
    expect(nodes.has(off.id)).toBe(false);
    expect(await locks()).toEqual([on.id]);
    await database.manager.delete(Node, { id: on.id });
    await until(async () => (await locks()).length === 0);
    expect(nodes.get(on.id)!.stops).toBe(1);
  });

  it('books the last traffic of a node that is removed, before its engine ends', async () => {
    const alice = await fixture.createUser('alice', group);
    const { id } = await fixture.createNode();
    const nodes = replica(PATIENT);
    await until(() => nodes.get(id)?.calls.includes('collectTraffic') ?? false);
    const node = nodes.get(id)!;
    node.traffic(nodeEmail(alice.id, 'alice'), 3n, 4n);
    let usedAtStop = 0;
    node.stop = async () => {
      usedAtStop = await fixture.usedTraffic(alice);
    };
    await database.manager.delete(Node, { id });
    await announceNodeChange(database.manager);
    await until(async () => (await locks()).length === 0);
    expect(usedAtStop).toBe(7);
  });

  it('ends the engine of a node that is removed and does not hand over its last traffic', async () => {
    const { id } = await fixture.createNode();
    const nodes = replica(PATIENT);
    await until(() => nodes.get(id)?.calls.includes('collectTraffic') ?? false);
    nodes.get(id)!.fail('collectTraffic', 'before', 'TIMEOUT', 'no answer');
    await database.manager.delete(Node, { id });
    await announceNodeChange(database.manager);
    await until(async () => (await locks()).length === 0);
    expect([nodes.get(id)!.stops, nodes.get(id)!.closed]).toEqual([1, 1]);
  });

  it('has the commands of any replica obeyed by the one that serves the node', async () => {
    const first = replica(PATIENT);
    await until(hasScanned);
    const { id } = await fixture.createNode();
    await announceNodeChange(database.manager);
    await until(() => started(first).length === 1);
    const second = replica(PATIENT);
    await sendNodeCommand(database.manager, [id, 4711], 'reconnect');
    await until(async () => first.get(id)!.starts.length === 2 && (await fixture.readNode(id)).status === 'connected');
    await sendNodeCommand(database.manager, [id], 'sync');
    await until(() => first.get(id)!.calls.includes('syncUsers'));
    expect([...second.keys()]).toEqual([]);
    expect(first.get(id)!.closed).toBe(1);
  });

  it('ends the engine of a node that is disabled, and starts it with all users when it is enabled', async () => {
    const { id } = await fixture.createNode();
    const nodes = replica(PATIENT);
    await until(() => started(nodes).length === 1);
    await database.manager.update(Node, { id }, { status: 'disabled' });
    await announceNodeChange(database.manager);
    await until(async () => (await locks()).length === 0);
    expect([nodes.get(id)!.stops, nodes.get(id)!.closed]).toEqual([1, 1]);
    const alice = await fixture.createUser('alice', group);
    await database.manager.update(Node, { id }, { status: 'connecting' });
    await announceNodeChange(database.manager);
    await until(() => nodes.get(id)!.users.has(nodeEmail(alice.id, 'alice')));
    expect(await locks()).toEqual([id]);
  });

  it('forgets deleted users when every node has heard of them', async () => {
    const [alice, bob] = await fixture.createUsers(['alice', 'bob'], group);
    const ids = [(await fixture.createNode()).id, (await fixture.createNode()).id];
    await fixture.createNode({ status: 'disabled' });
    const nodes = replica();
    await until(() => started(nodes).length === 2);
    await fixture.deleteUser(alice!);
    await fixture.deleteUser(bob!);
    await until(async () => (await database.manager.count(UserTombstone)) === 0);
    for (const id of ids) {
      expect((await fixture.readNode(id)).syncedRevision).toBe(3n);
      expect(nodes.get(id)!.users.size).toBe(0);
    }
  });

  it('keeps the tombstones that a node has not heard of', async () => {
    const alice = await fixture.createUser('alice', group);
    const bob = await fixture.createUser('bob', group);
    await fixture.deleteUser(alice);
    const { id } = await fixture.createNode();
    const nodes = replica();
    await until(() => started(nodes).length === 1);
    await until(async () => (await database.manager.count(UserTombstone)) === 0);
    for (let n = 0; n < 1_000; n += 1) nodes.get(id)!.fail('syncUser', 'before');
    await fixture.deleteUser(bob);
    await until(async () => (await fixture.readNode(id)).status === 'error');
    const scans = nodes.get(id)!.calls.length;
    await until(() => nodes.get(id)!.calls.length > scans + 10);
    expect(await database.manager.find(UserTombstone)).toEqual([
      { userId: bob.id, email: `${bob.id}.bob`, revision: 4n },
    ]);
  });
});
