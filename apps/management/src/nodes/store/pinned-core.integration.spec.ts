import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { nextRevision } from '../../database/revision.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { NodeSyncWorker } from '../sync/node-sync.worker.js';
import { NodeDouble } from '../testing/node-double.js';
import { NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { Node } from './node.entity.js';

describe('a core that changes under a node', () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let node: NodeDouble;
  let row: Node;
  let worker: NodeSyncWorker | undefined;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    node = new NodeDouble();
    row = await fixture.createNode();
    serve();
    await until(async (saw) => saw(await fixture.readNode(row.id)).status === 'connected');
  });

  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });

  function serve(timing = QUICK_TIMING): void {
    worker = new NodeSyncWorker(row.id, fixture.context(node), timing);
  }

  const levels = () => node.starts.map(({ config }) => JSON.parse(config).log.loglevel);

  async function change(loglevel: string): Promise<void> {
    await database.transaction(async (manager) => {
      await fixture.nodeCores.pinCore(manager, await fixture.readCore(manager));
      await fixture.changeCore({ log: { loglevel } }, manager);
    });
  }

  async function restart(): Promise<void> {
    await database.transaction(async (manager) => {
      await fixture.nodeCores.restartNodesOfCore(manager, 1, await nextRevision(manager));
    });
    worker?.wake();
  }

  const pending = async () => (await fixture.readNode(row.id)).corePending;

  it('is not sent to the node, also after a reconnect or a restart of the node', async () => {
    await change('debug');
    await worker?.stop();
    serve();
    await until((saw) => saw(node.starts).length === 2);
    node.restart('ledger-2');
    await until((saw) => saw(node.starts).length === 3);
    expect(levels()).toEqual(['warning', 'warning', 'warning']);
    expect(await pending()).toBe(true);
  });

  it('keeps running on the node after it was deleted', async () => {
    const core = await fixture.cores.insertCore(database.manager, await fixture.readCore());
    await database.manager.update(Node, { id: row.id }, { coreConfigId: core.id });
    await database.transaction(async (manager) => {
      await fixture.nodeCores.pinCore(manager, core);
      await fixture.cores.deleteCore(manager, core.id);
    });
    await worker?.stop();
    serve();
    await until((saw) => saw(node.starts).length === 2);
    expect(await fixture.readNode(row.id)).toMatchObject({ coreConfigId: null, corePending: true });
  });

  it('is started once when a restart is ordered, without waiting for the next health check', async () => {
    await worker?.stop();
    serve({ ...QUICK_TIMING, healthMs: 60_000, collectMs: 60_000 });
    await until((saw) => saw(node.starts).length === 2);
    await change('debug');
    await change('error');
    await restart();
    await until(async (saw) => !saw(await pending()));
    expect(levels()).toEqual(['warning', 'warning', 'error']);
    await fixture.createUser('alice', await fixture.createGroup());
    worker?.wake();
    await until((saw) => saw(node.users).size === 1);
    expect(node.starts).toHaveLength(3);
  });

  it('is not sent by a restart that was ordered before the change', async () => {
    await change('debug');
    await restart();
    await until((saw) => saw(node.starts).length === 2);
    await change('error');
    await worker?.stop();
    serve();
    await until((saw) => saw(node.starts).length === 3);
    expect(levels()).toEqual(['warning', 'debug', 'debug']);
    expect(await pending()).toBe(true);
  });

  it('does not keep changes of users from a node that refuses it', async () => {
    const start = node.start.bind(node);
    let refuses = true;
    node.start = (backend) => {
      if (refuses) node.fail('start', 'before', 'CONFIG_REFUSED', 'the engine says no');
      return start(backend);
    };
    await change('debug');
    await restart();
    await until(async (saw) => saw(await fixture.readNode(row.id)).message === 'the engine says no');
    const alice = await fixture.createUser('alice', await fixture.createGroup());
    await until((saw) => saw(node.users).has(nodeEmail(alice.id, alice.username)));
    expect(await pending()).toBe(true);
    expect(node.starts).toHaveLength(1);
    refuses = false;
    await until(async (saw) => !saw(await pending()));
    expect(levels()).toEqual(['warning', 'debug']);
    expect(node.users.size).toBe(1);
  });

  it('is started on a node that has lost its state in the meantime', async () => {
    await change('debug');
    node.restart('ledger-2');
    await fixture.createUser('alice', await fixture.createGroup());
    await restart();
    await until(async (saw) => !saw(await pending()));
    expect(levels().at(-1)).toBe('debug');
    expect(node.users.size).toBe(1);
  });

  it.each([
    ['change', () => change('debug')],
    ['restart', restart],
  ])('nodes are locked in the order of their ids: %s', async (_, work) => {
    await worker?.stop();
    const second = await fixture.createNode();
    // A scan of the table finds the second node first.
    await database.query('CREATE INDEX backwards ON nodes (id DESC)');
    await database.query('CLUSTER nodes USING backwards');
    const changed = await database.transaction(async (other) => {
      await other.query('SELECT FROM nodes WHERE id = $1 FOR UPDATE', [row.id]);
      const changing = work();
      await until(
        async (saw) =>
          saw(await database.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).length > 0,
      );
      await other.query('SELECT FROM nodes WHERE id = $1 FOR UPDATE NOWAIT', [second.id]);
      return { changing };
    });
    await changed.changing;
    expect(
      await database.query('SELECT count(DISTINCT (core_pending, start_revision))::integer AS n FROM nodes'),
    ).toEqual([{ n: 1 }]);
  });
});
