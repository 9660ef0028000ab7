import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { createNodeClient } from '@rampart/node-client';
import { REFERENCE_KEY, ReferenceNode, ReferenceRefusal, selfSigned } from '@rampart/node-client/testing';
import { until } from '@rampart/testing';
import { ChangeFeed } from '../../change-events/change-feed.js';
import { nextRevision } from '../../database/revision.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import type { User } from '../../user-store/entities/user.entity.js';
import { Node } from '../store/node.entity.js';
import { announceNodeChange, sendNodeCommand } from '../store/node-channel.js';
import { DoubleConnector, NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { CounterReading } from '../traffic/counter-reading.entity.js';
import { NodeSyncManager } from './node-sync-manager.js';

const MB = 1_000_000n;
let certificate: Awaited<ReturnType<typeof selfSigned>>;
beforeAll(async () => {
  certificate = await selfSigned({ names: ['127.0.0.1'] });
});

const emailOf = ({ id, username }: User): string => nodeEmail(id, username);

const WIRES = ['grpc', 'rest'] as const;
type Wire = (typeof WIRES)[number];

/** A database with one user and one node, and what tests ask of them. */
async function install(wire: Wire) {
  const database = await createMigratedDatabase();
  const fixture = new NodeFixture(database);
  const group = await fixture.createGroup();
  const alice = await fixture.createUser('alice', group);
  const node = new ReferenceNode(wire, certificate);
  const port = await node.listen();
  const row = await fixture.createNode({ port, connectionType: wire });
  const replicas: NodeSyncManager[] = [];

  const open = () => {
    const tls = { ca: certificate.cert };
    return createNodeClient({ transport: wire, host: '127.0.0.1', port, apiKey: REFERENCE_KEY, tls, timeoutMs: 5_000 });
  };

  /** Starts another replica of management. */
  function manage(timing = QUICK_TIMING): NodeSyncManager {
    const manager = new NodeSyncManager(fixture.contextOf(new DoubleConnector(open)), timing, new ChangeFeed());
    replicas.push(manager);
    manager.onApplicationBootstrap();
    return manager;
  }

  async function end(manager: NodeSyncManager): Promise<void> {
    replicas.splice(replicas.indexOf(manager), 1);
    await manager.beforeApplicationShutdown();
  }

  const status = async () => {
    const { status, message, corePending } = await fixture.readNode(row.id);
    return { status, message, corePending };
  };
  const connects = () => until(async (saw) => saw(await status()).status === 'connected');
  const count = (route: string) => node.calls.filter((call) => call === route).length;
  /** Waits for so many readings that traffic not recorded by then never would be. */
  const readsOn = async (times = 3) => {
    const before = count('GET /stats');
    await until((saw) => saw(count('GET /stats')) >= before + 2 * times);
  };
  const untilRecorded = (bytes: bigint) =>
    until(async (saw) => saw(await fixture.usedTraffic(alice)) === Number(bytes));
  /** The recorded traffic of the user and of the node. */
  const recordedTraffic = async () => {
    const { uplink, downlink } = await fixture.readNode(row.id);
    return { used: await fixture.usedTraffic(alice), uplink, downlink };
  };

  /** A replica that has recorded 5 MB. */
  async function connectedOnce(): Promise<NodeSyncManager> {
    const manager = manage();
    await connects();
    node.core.uptime = 100;
    node.traffic(emailOf(alice), 2n * MB, 3n * MB);
    await untilRecorded(5n * MB);
    return manager;
  }

  async function close(): Promise<void> {
    await Promise.all(replicas.splice(0).map((replica) => replica.beforeApplicationShutdown()));
    await node.close();
  }

  return {
    database,
    fixture,
    group,
    alice,
    node,
    row,
    open,
    manage,
    end,
    status,
    connects,
    count,
    readsOn,
    untilRecorded,
    recordedTraffic,
    connectedOnce,
    close,
  };
}

type Installation = Awaited<ReturnType<typeof install>>;

const losing =
  (route: 'GET /stats' | 'GET /stats/backend') =>
  async ({
    alice,
    node,
    manage,
    connects,
    count,
    readsOn,
    untilRecorded,
    recordedTraffic,
  }: Installation): Promise<void> => {
    manage();
    await connects();
    for (let round = 1n; round <= 3n; round += 1n) {
      node.lose(route);
      node.traffic(emailOf(alice), 2n * MB, 3n * MB);
      await untilRecorded(5n * MB * round);
    }
    await readsOn();
    expect(await recordedTraffic()).toEqual({ used: 15_000_000, uplink: 6_000_000, downlink: 9_000_000 });
    expect(count('POST /start')).toBe(1);
  };

/** Most of a test is waiting, so it runs over both wires at the same time. */
const outcomes = new Map<number, Promise<PromiseSettledResult<void>[]>>();
const closing: Promise<void>[] = [];
afterAll(() => Promise.all(closing));

async function run(wire: Wire, work: (installation: Installation) => Promise<void>): Promise<void> {
  const installation = await install(wire);
  try {
    await work(installation);
  } finally {
    // A replica may take a second to stop.
    closing.push(installation.close());
  }
}

describe.each(WIRES)('a node of another implementation over %s', (wire) => {
  let tests = 0;
  const over = (work: (installation: Installation) => Promise<void>) => {
    const test = tests;
    tests += 1;
    return async () => {
      const started = outcomes.get(test) ?? Promise.allSettled(WIRES.map((each) => run(each, work)));
      outcomes.set(test, started);
      const outcome = (await started)[WIRES.indexOf(wire)];
      if (outcome?.status === 'rejected') throw outcome.reason;
    };
  };

  it(
    'a node of another implementation stays connected, and gets changes and the restart of its core',
    over(async ({ database, fixture, group, alice, node, row, manage, status, connects, count, readsOn }) => {
      manage();
      await connects();
      await readsOn();
      expect(await status()).toEqual({ status: 'connected', message: null, corePending: false });
      const bob = await fixture.createUser('bob', group);
      await until((saw) => saw(node.users).has(emailOf(bob)));
      await fixture.deleteUser(alice);
      await until((saw) => !saw(node.users).has(emailOf(alice)));

      const before = node.config;
      await database.transaction(async (manager) => {
        await fixture.changeCore({ log: { loglevel: 'error' } }, manager);
        await manager.update(Node, { id: row.id }, { startRevision: await nextRevision(manager) });
      });
      await until((saw) => saw(count('POST /start')) === 2);
      expect(node.config).not.toBe(before);
      await readsOn();
      expect(await status()).toEqual({ status: 'connected', message: null, corePending: false });
      expect([count('PUT /users/sync'), count('POST /start'), node.users.size]).toEqual([0, 2, 1]);
    }),
  );

  it(
    'security row 36: a node of another implementation is told of its own users alone, and has the same after another replica took over',
    over(async ({ database, fixture, group, alice, node, row, manage, end, connects, count }) => {
      const elsewhere = await fixture.createGroup(['elsewhere']);
      const eve = await fixture.createUser('eve', elsewhere);
      const bob = await fixture.createUser('bob', group);
      const first = manage();
      await connects();
      await fixture.changeUser(eve, { note: 'changed' });
      await fixture.changeUser(alice, { note: 'changed' });
      await sendNodeCommand(database.manager, [row.id], 'sync');
      await until((saw) => saw(count('PUT /users/sync')) === 1);
      await end(first);
      await fixture.deleteUser(alice);
      manage();
      await until((saw) => saw(count('POST /start')) === 2);
      const dave = await fixture.createUser('dave', group);
      await until((saw) => saw(node.users).has(emailOf(dave)));
      await fixture.moveUser(bob, elsewhere);
      await fixture.deleteUser(eve);
      await fixture.deleteUser(dave);
      await until((saw) => saw(node.users).size === 0);
      const names = new Set(node.users.told.map(({ email }) => email));
      expect(names).toEqual(new Set([alice, bob, dave].map(emailOf)));
      const kinds = node.users.told.map(({ proxies }) =>
        Object.entries(proxies ?? {}).flatMap(([kind, value]) => (value ? [kind] : [])),
      );
      expect(new Set(kinds.map((kind) => kind.join()))).toEqual(new Set(['shadowsocks', '']));
    }),
  );

  it(
    'a node of another implementation is asked for its batches once after each Start, and not with each reading',
    over(async ({ database, node, row, manage, connects, count, readsOn }) => {
      const asked = () => node.unknownCalls.filter((call) => /collect/i.test(call)).length;
      manage();
      await connects();
      await readsOn(10);
      expect([count('POST /start'), asked()]).toEqual([1, 1]);
      await database.transaction(async (manager) => {
        await manager.update(Node, { id: row.id }, { startRevision: await nextRevision(manager) });
      });
      await until((saw) => saw(count('POST /start')) === 2);
      await readsOn(10);
      expect([count('POST /start'), asked()]).toEqual([2, 2]);
    }),
  );

  it(
    'a node of another implementation gets no full sets again and again although it reports no digest',
    over(async ({ manage, connects, count, readsOn }) => {
      manage({ ...QUICK_TIMING, compareMs: 10 });
      await connects();
      await readsOn(10);
      expect([count('PUT /users/sync'), count('POST /start')]).toEqual([0, 1]);
    }),
  );

  it(
    'a node of another implementation has its counters read without a reset, and 5 MB recorded once',
    over(async ({ alice, node, manage, connects, readsOn, untilRecorded, recordedTraffic }) => {
      manage();
      await connects();
      node.traffic(emailOf(alice), 2n * MB, 3n * MB);
      await untilRecorded(5n * MB);
      await readsOn();
      expect(await recordedTraffic()).toEqual({ used: 5_000_000, uplink: 2_000_000, downlink: 3_000_000 });
      expect(node.core.counters.get(`user>>>${emailOf(alice)}>>>traffic>>>downlink`)).toBe(3n * MB);
      node.traffic(emailOf(alice), 1n, 2n);
      await untilRecorded(5n * MB + 3n);
    }),
  );

  it(
    'a node of another implementation loses and repeats nothing when the answer to GET /stats gets lost',
    over(losing('GET /stats')),
  );

  it(
    'a node of another implementation loses and repeats nothing when the answer to GET /stats/backend gets lost',
    over(losing('GET /stats/backend')),
  );

  it(
    'a node of another implementation has the same counter recorded again after a restart of its engine, because it is other traffic',
    over(async ({ alice, node, manage, connects, readsOn, untilRecorded, recordedTraffic }) => {
      manage();
      await connects();
      node.core.uptime = 100;
      node.traffic(emailOf(alice), 2n * MB, 3n * MB);
      await untilRecorded(5n * MB);
      await readsOn();
      node.restartEngine();
      node.traffic(emailOf(alice), 2n * MB, 3n * MB);
      await untilRecorded(10n * MB);
      await readsOn();
      expect(await recordedTraffic()).toEqual({ used: 10_000_000, uplink: 4_000_000, downlink: 6_000_000 });
    }),
  );

  it(
    'a node of another implementation has the traffic of other users recorded once when somebody else resets the counter of one',
    over(async ({ fixture, group, alice, node, manage, connects, readsOn, untilRecorded }) => {
      const bob = await fixture.createUser('bob', group);
      manage();
      await connects();
      node.traffic(emailOf(bob), 1n, 1n);
      node.traffic(emailOf(alice), 2n * MB, 3n * MB);
      await untilRecorded(5n * MB);
      await readsOn();
      for (const direction of ['uplink', 'downlink']) {
        node.core.counters.set(`user>>>${emailOf(alice)}>>>traffic>>>${direction}`, 7n);
      }
      await untilRecorded(5n * MB + 14n);
      await readsOn();
      expect(await fixture.usedTraffic(bob)).toBe(2);
    }),
  );

  it(
    'a node of another implementation has the traffic of a management outage recorded before its engine restarts',
    over(async ({ alice, node, manage, end, count, readsOn, untilRecorded, recordedTraffic, connectedOnce }) => {
      await end(await connectedOnce());
      node.traffic(emailOf(alice), 2n * MB, 3n * MB);
      manage();
      await untilRecorded(10n * MB);
      await until((saw) => saw(count('POST /start')) === 2);
      await readsOn();
      expect(node.core.starts).toBe(2);
      node.traffic(emailOf(alice), 0n, 1n);
      await untilRecorded(10n * MB + 1n);
      expect(await recordedTraffic()).toEqual({ used: 10_000_001, uplink: 4_000_000, downlink: 6_000_001 });
    }),
  );

  it(
    'a node of another implementation is taken over by another replica without losing a byte',
    over(async ({ fixture, alice, node, manage, end, count, readsOn, untilRecorded, connectedOnce }) => {
      const first = await connectedOnce();
      manage();
      node.traffic(emailOf(alice), 1n, 0n);
      node.lose('GET /stats');
      await end(first);
      await until((saw) => saw(count('POST /start')) === 2);
      node.traffic(emailOf(alice), 1n, 0n);
      await untilRecorded(5n * MB + 2n);
      await readsOn();
      expect(await fixture.usedTraffic(alice)).toBe(5_000_002);
    }),
  );

  it(
    'a node of another implementation has traffic from before our first Start ignored',
    over(async ({ alice, node, open, manage, connects, readsOn, untilRecorded, recordedTraffic }) => {
      const stranger = open();
      await stranger.start({ config: '{}', users: [] });
      node.core.uptime = 1_000;
      node.traffic(emailOf(alice), 2n * MB, 3n * MB);
      await stranger.close();
      manage();
      await connects();
      await readsOn();
      expect(await recordedTraffic()).toEqual({ used: 0, uplink: 0, downlink: 0 });
      node.traffic(emailOf(alice), 3n * MB, 3n * MB);
      await untilRecorded(6n * MB);
    }),
  );

  it(
    'a node of another implementation has its counters read before a full set, which restarts its engine',
    over(async ({ database, alice, node, row, manage, connects, count, untilRecorded }) => {
      manage({ ...QUICK_TIMING, collectMs: 60_000 });
      await connects();
      node.traffic(emailOf(alice), 2n * MB, 3n * MB);
      await sendNodeCommand(database.manager, [row.id], 'sync');
      await until((saw) => saw(count('PUT /users/sync')) === 1);
      await untilRecorded(5n * MB);
    }),
  );

  it(
    'a node of another implementation has its last traffic recorded and is stopped when it goes out of service',
    over(async ({ database, fixture, alice, node, manage, untilRecorded }) => {
      manage({ ...QUICK_TIMING, collectMs: 60_000 });
      await until(async (saw) => saw(await database.manager.count(CounterReading)) === 1);
      node.traffic(emailOf(alice), 2n * MB, 3n * MB);
      await database.query('DELETE FROM nodes');
      await announceNodeChange(database.manager);
      await untilRecorded(5n * MB);
      await until((saw) => saw(node.config) === undefined);
      expect(await fixture.usedTraffic(alice)).toBe(5_000_000);
    }),
  );

  it(
    'a node of another implementation whose Start takes longer than the call says so, and connects with more time',
    over(async ({ node, manage, status, connects }) => {
      const open = node.starts.hold();
      manage({ ...QUICK_TIMING, longCallMs: 100 });
      const message =
        'a Start was given up after 0.4 s, which ends the engine of this node: the next one may take 0.4 s; ' +
        'if the node still does not connect, give it fewer users or inbounds, or a faster machine';
      await until(async (saw) => saw(await status()).message === message);
      expect(await status()).toEqual({ status: 'error', message, corePending: false });
      expect(node.core.starts).toBe(0);
      open();
      await connects();
      expect(await status()).toEqual({ status: 'connected', message: null, corePending: false });
    }),
  );

  it(
    'a node of another implementation serves its users when its counters cannot be read, which its message reports',
    over(async ({ fixture, group, node, manage, status, connects }) => {
      manage();
      await connects();
      const query = node.core.query.bind(node.core);
      node.core.query = () => {
        throw new ReferenceRefusal(500, 13, 'received message larger than max');
      };
      await until(async (saw) => saw(await status()).message !== null);
      const { status: state, message } = await status();
      expect([state, message]).toEqual([
        'connected',
        expect.stringMatching(/^its traffic could not be read: .*received message larger than max/),
      ]);
      const bob = await fixture.createUser('bob', group);
      await until((saw) => saw(node.users).has(emailOf(bob)));
      node.core.query = query;
      await until(async (saw) => saw(await status()).message === null);
    }),
  );
});
