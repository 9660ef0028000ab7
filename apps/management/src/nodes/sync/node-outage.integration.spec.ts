import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../app/data-source.js';
import { openDatabase } from '../../app/open-database.js';
import { ChangeFeed } from '../../change-events/change-feed.js';
import { EmbeddedPostgres } from '../../database/embedded/embedded-postgres.js';
import { migrate } from '../../database/migrate.js';
import { DatabaseProxy } from '../../testing/database-proxy.js';
import { NodeDouble } from '../testing/node-double.js';
import { DoubleConnector, NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { NodeSyncManager } from './node-sync-manager.js';

describe('a database outage', () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let database: DataSource;
  let manager: NodeSyncManager;

  const startServer = () => EmbeddedPostgres.start({ dataDir: folder, log: () => undefined });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rampart-outage-'));
    server = await startServer();
    database = await createDataSource(server.url).initialize();
    await migrate(database);
  });

  afterEach(async () => {
    await manager.beforeApplicationShutdown();
    await database.destroy();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('stops no engine; afterwards each node gets the changes, and no byte is counted twice', async () => {
    const fixture = new NodeFixture(database);
    const group = await fixture.createGroup();
    const alice = await fixture.createUser('alice', group);
    const ids = [(await fixture.createNode()).id, (await fixture.createNode()).id];
    const nodes = new Map(ids.map((id) => [id, new NodeDouble()]));
    const all = [...nodes.values()];
    manager = new NodeSyncManager(
      fixture.contextOf(new DoubleConnector((id) => nodes.get(id)!)),
      QUICK_TIMING,
      new ChangeFeed(),
    );
    manager.onApplicationBootstrap();
    await until((saw) => saw(all).every(({ starts }) => starts.length === 1));
    for (const node of all) node.traffic(nodeEmail(alice.id, 'alice'), 3n, 4n);
    await until(async (saw) => saw(await fixture.usedTraffic(alice)) === 14);

    const url = server.url;
    for (const node of all) node.traffic(nodeEmail(alice.id, 'alice'), 1n, 1n);
    await server.stop();
    // The workers have ended with their locks, so nobody calls the nodes any more.
    await until((saw) => saw(all).every(({ closed }) => closed > 0));
    expect(all.map(({ running, stops, users }) => [running, stops, users.size])).toEqual([
      [true, 0, 1],
      [true, 0, 1],
    ]);

    server = await startServer();
    expect(server.url).toBe(url);
    const bob = await fixture.createUser('bob', group);
    await until((saw) => saw(all).every(({ users }) => users.has(nodeEmail(bob.id, 'bob'))));
    await until(async (saw) => saw(await fixture.usedTraffic(alice)) === 18);
    for (const id of ids) await until(async (saw) => saw(await fixture.readNode(id)).status === 'connected');
    expect(all.map(({ stops }) => stops)).toEqual([0, 0]);
    expect(await fixture.usedTraffic(alice)).toBe(18);
  });

  it('by a hanging connection releases the nodes within ten seconds, and they are served again afterwards', async () => {
    const proxy = await DatabaseProxy.before(server.url);
    const opened = await openDatabase({ databaseUrl: proxy.url, dataDir: folder }, () => undefined);
    try {
      const fixture = new NodeFixture(database);
      const group = await fixture.createGroup();
      const { id } = await fixture.createNode();
      const node = new NodeDouble();
      manager = new NodeSyncManager(
        fixture.contextOf(new DoubleConnector(() => node), opened.dataSource),
        QUICK_TIMING,
        new ChangeFeed(),
      );
      manager.onApplicationBootstrap();
      await until((saw) => saw(node.starts).length === 1);
      proxy.hang();
      const began = performance.now();
      await until((saw) => saw(node.closed) > 0, 12_000);
      expect(performance.now() - began).toBeLessThan(10_000);
      expect([node.running, node.stops]).toEqual([true, 0]);
      proxy.resume();
      const carol = await fixture.createUser('carol', group);
      await until((saw) => saw(node.users).has(nodeEmail(carol.id, 'carol')), 12_000);
      await until(async (saw) => saw(await fixture.readNode(id)).status === 'connected', 12_000);
      expect(node.stops).toBe(0);
    } finally {
      proxy.resume();
      await manager.beforeApplicationShutdown();
      await opened.close();
      await proxy.close();
    }
  }, 60_000);
});
