import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { nextRevision } from '../../database/revision.js';
import type { Group } from '../../groups/group.entity.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import type { Node } from '../store/node.entity.js';
import { NodeDouble } from '../testing/node-double.js';
import { NodeFixture, QUICK_TIMING } from '../testing/node-fixture.js';
import { ExpectedUsers } from './expected-users.js';
import { NodeSyncWorker } from './node-sync.worker.js';

/** A pause that does not end within a test. */
const LONG_PAUSE = { ...QUICK_TIMING, compareMs: 20, firstSetPauseMs: 600_000, maxSetPauseMs: 600_000 };
const PAUSED =
  /^it has needed the full set of users 7 times lately: it gets the next one after 20\d\d-\d\d-\d\dT[\d:]+Z$/;

describe('a node that needs full sets again and again', () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let group: Group;
  let node: NodeDouble;
  let row: Node;
  let worker: NodeSyncWorker;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    group = await fixture.createGroup();
    await fixture.createUser('alice', group);
    node = new NodeDouble();
    row = await fixture.createNode();
  });

  afterEach(() => worker.stop());

  const serve = (timing = LONG_PAUSE) => {
    worker = new NodeSyncWorker(row.id, fixture.context(node), timing);
  };
  const state = async () => {
    const { status, message, messageCode } = await fixture.readNode(row.id);
    return { status, message, messageCode };
  };
  const paused = () => until(async (saw) => /gets the next one after/.test(saw((await state()).message ?? '')));
  /** Waits for some more steps of the worker. */
  const goesOn = async () => {
    const before = node.calls.length;
    await until((saw) => saw(node.calls).length > before + 20);
  };
  const fullSets = () => node.calls.filter((call) => call === 'syncUsers').length;

  /** The node says after each good step that it does not run. */
  const neverRuns = () => {
    const info = node.info.bind(node);
    node.info = async () => ({ ...(await info()), running: false });
  };
  /** The node takes its users and answers the collection of traffic with an error that asks for a Start. */
  const losesItsEngine = () => {
    const collect = node.collectTraffic.bind(node);
    node.collectTraffic = (request) => {
      node.fail('collectTraffic', 'before', 'BACKEND_NOT_RUNNING', 'the engine does not run');
      return collect(request);
    };
  };
  const refusesStarts = () => {
    const start = node.start.bind(node);
    node.start = (request) => {
      node.fail('start', 'before', 'CONFIG_REFUSED', 'the engine says no');
      return start(request);
    };
  };

  it.each([
    ['says that it does not run', neverRuns, 8, PAUSED, 'TOO_MANY_FULL_SETS'],
    [
      'loses its engine after each step',
      losesItsEngine,
      8,
      /^the engine does not run\nit has needed the full set/,
      'BACKEND_NOT_RUNNING',
    ],
    ['refuses each Start', refusesStarts, 0, /^the engine says no\nit has needed the full set/, 'CORE_REFUSED'],
  ])(
    'security row 69: a node that %s is started eight times, and then has to wait',
    async (_, behave, starts, message, code) => {
      behave();
      serve();
      await paused();
      await goesOn();
      expect(await state()).toEqual({
        status: 'error',
        message: expect.stringMatching(message),
        messageCode: code,
      });
      expect([node.starts.length, node.calls.filter((call) => call === 'start').length]).toEqual([starts, 8]);
      expect(worker.figures.fullSetPauseSeconds).toBeGreaterThan(500);
    },
  );

  it('security row 69: a node that answers a wrong digest gets seven full sets, and then changes alone, with a note', async () => {
    const info = node.info.bind(node);
    node.info = async () => ({ ...(await info()), usersDigest: Buffer.alloc(32, 7) });
    serve();
    await paused();
    await goesOn();
    expect(await state()).toEqual({
      status: 'connected',
      message: expect.stringMatching(PAUSED),
      messageCode: 'TOO_MANY_FULL_SETS',
    });
    expect([fullSets(), node.starts.length]).toEqual([7, 1]);
    const bob = await fixture.createUser('bob', group);
    await until((saw) => saw(node.users).has(nodeEmail(bob.id, 'bob')));
    expect(fullSets()).toBe(7);
  });

  it('security row 69: a node whose digest is wrong once after each failure has its users read anew seven times', async () => {
    const expectedAt = jest.spyOn(ExpectedUsers.prototype, 'expectedAt');
    const isReadAnew = ([, , , , doubted]: Parameters<ExpectedUsers['expectedAt']>): boolean => doubted !== undefined;
    const info = node.info.bind(node);
    node.info = async () => {
      const last = expectedAt.mock.calls.at(-1);
      return { ...(await info()), ...(last && !isReadAnew(last) ? { usersDigest: Buffer.alloc(32, 7) } : {}) };
    };
    serve();
    await paused();
    await goesOn();
    expect(expectedAt.mock.calls.filter(isReadAnew)).toHaveLength(7);
    expect([fullSets(), node.starts.length]).toEqual([0, 1]);
    expectedAt.mockRestore();
  });

  it('security row 69: a node that fails each full set gets no eighth one', async () => {
    const info = node.info.bind(node);
    node.info = async () => ({ ...(await info()), usersDigest: Buffer.alloc(32, 7) });
    const replace = node.syncUsers.bind(node);
    node.syncUsers = (request) => {
      node.fail('syncUsers', 'after', 'INTERNAL', 'something broke');
      return replace(request);
    };
    serve();
    await paused();
    await goesOn();
    expect([fullSets(), node.starts.length]).toEqual([7, 1]);
  });

  it('a node that has to wait gets what admins order at once, and the next one after its time', async () => {
    neverRuns();
    serve();
    await paused();
    const starts = () => node.starts.length;
    const one = starts() + 1;
    worker.runCommand('reconnect');
    await until((saw) => saw(starts()) === one);
    await goesOn();
    expect(starts()).toBe(one);
    await database.transaction(async (manager) => {
      await fixture.nodeCores.restartNode(manager, row.id, await nextRevision(manager));
    });
    await until((saw) => saw(starts()) === one + 1);
    await goesOn();
    expect(starts()).toBe(one + 1);
    await fixture.changeCore({ log: { loglevel: 'error' } });
    await until((saw) => saw(starts()) === one + 2);
    await goesOn();
    expect(starts()).toBe(one + 2);
  });

  it('a node that has to wait gets the full set that admins order at once', async () => {
    const info = node.info.bind(node);
    node.info = async () => ({ ...(await info()), usersDigest: Buffer.alloc(32, 7) });
    serve();
    await paused();
    worker.runCommand('sync');
    await until((saw) => saw(fullSets()) === 8);
    await goesOn();
    expect(fullSets()).toBe(8);
  });

  it('a node is served again when its pause is over, and says nothing of it', async () => {
    const info = node.info.bind(node);
    neverRuns();
    serve({ ...LONG_PAUSE, firstSetPauseMs: 500, maxSetPauseMs: 500 });
    await paused();
    node.info = info;
    node.running = false;
    await until(() => node.running);
    await until(async (saw) => saw(await state()).message === null);
    expect(await state()).toEqual({ status: 'connected', message: null, messageCode: null });
  });
});
