import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { BackendFixture, rawUsers } from '../testing/test-backend.js';

const ANN = '11111111-1111-4111-8111-111111111111';
const BOB = '22222222-2222-4222-8222-222222222222';
const EVE = '33333333-3333-4333-8333-333333333333';
const MINUTE = 60_000;
/** How long an engine has to run for its state to count as good. */
const STABLE_MS = 30_000;
const user = (email: string, id: string) => ({ email, proxies: { vless: { id } }, inbounds: ['raw'] });

interface FallBack {
  readonly good?: object;
  readonly goodUsers?: Parameters<BackendFixture['start']>[1];
  readonly wanted: object;
  readonly users?: Parameters<BackendFixture['start']>[1];
}

const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z';

describe('the supervisor', () => {
  let web: LocalWeb;
  let port: number;
  const clients: EngineClient[] = [];
  const backends: BackendFixture[] = [];

  const config = (number: number, listen = port) => ({
    // With its access log, in which it refuses users.
    log: { loglevel: 'warning' },
    inbounds: [{ tag: 'raw', listen: '127.0.0.1', port: listen, protocol: 'vless', settings: { decryption: 'none' } }],
    outbounds: [{ tag: `direct-${number}`, protocol: 'freedom', settings: ALLOW_PRIVATE }],
  });
  const open = (...args: ConstructorParameters<typeof BackendFixture>): BackendFixture => {
    const test = new BackendFixture(...args);
    backends.push(test);
    return test;
  };
  const connect = async (id: string, to = port): Promise<EngineClient> => {
    const client = await startEngineClient(vlessOutbound(to, id));
    clients.push(client);
    return client;
  };
  const pidOf = async (test: BackendFixture): Promise<number> => (await test.pids())[0] ?? 0;
  /** Waits until a process other than `before` serves. */
  const next = (test: BackendFixture, before: number) =>
    eventually('another engine serves', async () => {
      const pid = await pidOf(test);
      return test.backend.running && pid !== 0 && pid !== before && pid;
    });

  /** Ends the engine so often that another state than the desired one runs. */
  const failThrice = async (test: BackendFixture) => {
    for (const failures of [1, 2, 3]) {
      const pid = await pidOf(test);
      process.kill(pid, 'SIGKILL');
      await eventually('the engine has ended', () => !test.backend.running);
      test.clock.moveOn(1000);
      await next(test, pid);
      expect(test.backend.hasFallenBack).toBe(failures === 3);
    }
  };
  /** A backend whose engine runs with an earlier configuration and those of its users who are still wanted. */
  const fallBack = async ({
    good = config(1),
    goodUsers = [user('1.ann', ANN)],
    wanted,
    users = goodUsers,
  }: FallBack) => {
    const test = open();
    await test.start(good, goodUsers);
    test.clock.moveOn(STABLE_MS);
    await test.start(wanted, users);
    await eventually('the old engine has ended', async (saw) => saw(await test.pids()).length === 1);
    await failThrice(test);
    return test;
  };
  const isTried = (test: BackendFixture) => test.backend.warnings[0]?.endsWith(' are tried again now');
  /** Moves on by the longest pause, and waits until the requested state is tried. */
  const retry = async (test: BackendFixture, pauseMs = MINUTE) => {
    test.clock.moveOn(pauseMs);
    await eventually('the requested state is tried', () => isTried(test));
  };
  /** The requested state, which is tried, has run for as long as it takes. */
  const prove = (test: BackendFixture) => {
    test.clock.moveOn(STABLE_MS - 10_000);
    expect([isTried(test), test.backend.hasFallenBack]).toEqual([true, true]);
    test.clock.moveOn(10_000);
    expect(test.backend.hasFallenBack).toBe(false);
  };
  /** The engine does not know this user. */
  const expectStranger = async (test: BackendFixture, id: string, to = port) => {
    const client = await connect(id, to);
    const begin = test.lines.length;
    await expect(client.fetch(web.url)).rejects.toThrow('the proxy answered 503');
    const said = await eventually('the engine says why', () => {
      const lines = test.lines.slice(begin);
      return lines.length > 0 && lines;
    });
    expect(said).toEqual([
      expect.stringMatching(
        ` from 127\\.0\\.0\\.1:\\d+ rejected {2}proxy/vless/encoding: invalid request user id: ${id}$`,
      ),
    ]);
  };

  beforeAll(async () => {
    web = await startLocalWeb();
    port = await freePort();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await Promise.all(backends.splice(0).map((test) => test.close()));
  });
  afterAll(() => web.close());

  it('a killed engine is restarted at once with its users, and its exit is reported', async () => {
    const test = open();
    await test.start(config(1), [user('1.ann', ANN)]);
    const pid = await pidOf(test);
    process.kill(pid, 'SIGKILL');
    await next(test, pid);
    expect(await (await connect(ANN)).fetch(web.url)).toBe(web.page);
    expect(test.backend.restarts).toBe(1);
    expect(test.backend.lastExit).toMatch(new RegExp(`^was ended by SIGKILL at ${TIME}$`));
    expect(test.backend.warnings).toEqual([]);
    expect(test.notes).toEqual([
      `[rampart] [Warning] the engine (process ${pid}) was ended by SIGKILL`,
      '[rampart] the engine starts again in 0.0 s',
    ]);
  });

  it('an engine that does not answer is replaced within four seconds', async () => {
    const test = open();
    await test.start(config(1), [user('1.ann', ANN)]);
    const pid = await pidOf(test);
    const began = performance.now();
    process.kill(pid, 'SIGSTOP');
    await next(test, pid);
    expect(performance.now() - began).toBeGreaterThan(2500);
    expect(performance.now() - began).toBeLessThan(5000);
    expect(await (await connect(ANN)).fetch(web.url)).toBe(web.page);
    expect(test.backend.lastExit).toMatch(new RegExp(`^did not answer any more and was ended at ${TIME}$`));
  });

  it('the last good state runs after three failures in a row, without users who were removed since', async () => {
    const test = open();
    await test.start(config(1), [user('1.ann', ANN), user('2.bob', BOB)]);
    test.clock.moveOn(STABLE_MS);
    const other = await freePort();
    await test.start(config(2, other), [user('1.ann', ANN)]);
    await eventually('the old engine has ended', async (saw) => saw(await test.pids()).length === 1);
    await failThrice(test);
    const [warning] = test.backend.warnings;
    expect(warning).toMatch(
      new RegExp(
        `^the engine kept failing: the configuration and users of ${TIME} are used instead of the requested ones, which are tried again at ${TIME}$`,
      ),
    );
    expect(test.notes.at(-1)).toMatch(
      new RegExp(`the engine failed 3 times in a row: the configuration and users of ${TIME} are used instead$`),
    );
    expect(test.backend.users.count).toBe(1);
    expect(await (await connect(ANN)).fetch(web.url)).toBe(web.page);
    await expectStranger(test, BOB);
    // Changes apply to the desired state and to the running one.
    await test.backend.changeUsers(rawUsers([user('2.bob', BOB), { email: '1.ann' }]));
    expect(await (await connect(BOB)).fetch(web.url)).toBe(web.page);
    await expectStranger(test, ANN);

    await test.start(config(3, other), [user('1.ann', ANN)]);
    expect(test.backend.warnings).toEqual([]);
    expect(await (await connect(ANN, other)).fetch(web.url)).toBe(web.page);
  });

  it('security row 83: the requested state is tried again beside the fall-back, and takes over without cutting anybody', async () => {
    const echo = await startEcho();
    const other = await freePort();
    const users = [user('1.ann', ANN), user('2.bob', BOB)];
    const test = await fallBack({ wanted: config(2, other), users });
    const live = await Tunnel.open((await connect(ANN)).port, echo.port);
    await live.echo(1000);
    const [fallback = 0] = await test.pids();
    const { restarts } = test.backend;
    await retry(test);
    prove(test);
    expect(await (await connect(ANN, other)).fetch(web.url)).toBe(web.page);
    expect(await (await connect(BOB, other)).fetch(web.url)).toBe(web.page);
    await live.echo(1000);
    expect([test.backend.restarts, (await test.pids()).length]).toEqual([restarts, 2]);
    expect(test.notes.slice(-3)).toEqual([
      '[rampart] the requested configuration and users are tried again',
      `[rampart] the previous engine (process ${fallback}) keeps running for its connections`,
      '[rampart] the requested configuration and users run again',
    ]);
    live.close();
    // Its connections are looked at once a second.
    await eventually('the fall-back has ended', async () => {
      test.clock.moveOn(1000);
      return !(await test.pids()).includes(fallback);
    });
    echo.close();
  });

  it('security row 83: whoever ends an engine that is tried again gets the fall-back again, and a longer pause', async () => {
    const other = await freePort();
    const test = await fallBack({ wanted: config(2, other) });
    const fallback = await pidOf(test);
    const { restarts } = test.backend;
    await retry(test);
    expect(test.backend.hasFallenBack).toBe(true);
    const tried = (await test.pids()).find((pid) => pid !== fallback) ?? 0;
    process.kill(tried, 'SIGKILL');
    await eventually(
      'the fall-back runs again',
      (saw) => saw(test.backend.restarts) === restarts + 1 && test.backend.running,
    );
    expect(await (await connect(ANN)).fetch(web.url)).toBe(web.page);
    expect(test.backend.warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          `^the engine kept failing: the configuration and users of ${TIME} are used instead of the requested ones, ` +
            `which are tried again at ${TIME}; when they were last tried: the engine was ended by SIGKILL$`,
        ),
      ),
    ]);
    expect(test.backend.restarts).toBe(restarts + 1);
    const [, again = ''] = /tried again at ([^;]+);/.exec(test.backend.warnings[0] ?? '') ?? [];
    // The second pause is two minutes, less up to a half by chance and the time that this test needs.
    const pause = new Date(again).getTime() - test.clock.now();
    expect(pause).toBeGreaterThan(MINUTE - 10_000);
    expect(pause).toBeLessThanOrEqual(2 * MINUTE);
    await retry(test, 2 * MINUTE);
    prove(test);
    expect(await (await connect(ANN, other)).fetch(web.url)).toBe(web.page);
  });

  it('security row 83: a requested state that does not come up cuts nobody', async () => {
    const echo = await startEcho();
    const taken = await freePort();
    const taker = createServer();
    const test = await fallBack({ wanted: config(2, taken) });
    await once(taker.listen(taken, '127.0.0.1'), 'listening');
    const pids = await test.pids();
    const { restarts } = test.backend;
    const live = await Tunnel.open((await connect(ANN)).port, echo.port);
    test.clock.moveOn(MINUTE);
    await eventually('the requested state was tried', (saw) =>
      /when they were last tried: .*address already in use/s.test(saw(test.backend.warnings[0] ?? '')),
    );
    await live.echo(1000);
    expect(await (await connect(ANN)).fetch(web.url)).toBe(web.page);
    expect(await test.pids()).toEqual(pids);
    expect([test.backend.restarts, test.backend.hasFallenBack]).toEqual([restarts, true]);
    taker.close();
    await retry(test, 2 * MINUTE);
    prove(test);
    await live.echo(1000);
    live.close();
    echo.close();
  });

  it('security row 83: a requested state that cannot take over waits until nobody is connected', async () => {
    const echo = await startEcho();
    const untagged = { listen: '127.0.0.1', port: await freePort(), protocol: 'http' };
    const withUntagged = (number: number) => {
      const { inbounds, ...rest } = config(number);
      return { inbounds: [...inbounds, untagged], ...rest };
    };
    const test = await fallBack({ good: withUntagged(1), wanted: withUntagged(2) });
    const fallback = await pidOf(test);
    const client = await connect(ANN);
    const live = await Tunnel.open(client.port, echo.port);
    await live.echo(1000);
    test.clock.moveOn(MINUTE);
    await eventually('the requested state has waited', () =>
      test.backend.warnings[0]?.endsWith(
        '; they could not be tried before: an inbound without a tag cannot be handed over, and users are connected',
      ),
    );
    await live.echo(1000);
    expect(await test.pids()).toEqual([fallback]);
    live.close();
    await client.close();
    // The engine needs a moment to notice that nobody is connected.
    await eventually('the requested state is tried', () => isTried(test) || test.clock.moveOn(MINUTE));
    prove(test);
    expect(await test.pids()).not.toContain(fallback);
    expect(await (await connect(ANN)).fetch(web.url)).toBe(web.page);
  });

  it('security row 84: a credential that was taken from a user opens nothing in the fall-back, also where the new one does not fit in', async () => {
    const { inbounds, ...rest } = config(1);
    const old = { ...inbounds[0], tag: 'old', port: await freePort() };
    const both = { inbounds: ['raw', 'old'] };
    const test = await fallBack({
      good: { inbounds: [...inbounds, old], ...rest },
      goodUsers: [
        { ...user('1.ann', ANN), ...both },
        { ...user('2.bob', BOB), inbounds: ['old'] },
      ],
      wanted: config(2),
    });
    expect(await (await connect(ANN)).fetch(web.url)).toBe(web.page);
    // Nothing is wrong with this in the requested configuration, where bob has no inbound.
    expect(await test.backend.changeUsers(rawUsers([{ ...user('1.ann', BOB), ...both }]))).toEqual([]);
    await expectStranger(test, ANN);
    await retry(test);
    prove(test);
    expect(await (await connect(BOB)).fetch(web.url)).toBe(web.page);
    await expectStranger(test, ANN);
  });

  it('security row 84: a user who is refused gets into no fall-back, whose users with that credential may be missing', async () => {
    const other = await freePort();
    const test = await fallBack({ wanted: config(2, other), users: [user('1.ann', ANN), user('2.bob', BOB)] });
    expect(await test.backend.changeUsers(rawUsers([user('3.eve', BOB)]))).toEqual([
      { email: '3.eve', reason: 'vless id (bytes 6 and 7 do not count) equals that of "2.bob"' },
    ]);
    await expectStranger(test, BOB);
  });

  it('security row 82: a Start of what the engine should run anyway does not begin the count of its failures anew', async () => {
    const test = open();
    await test.start(config(1), [user('1.ann', ANN), user('2.bob', BOB)]);
    test.clock.moveOn(STABLE_MS);
    const other = await freePort();
    const users = [user('1.ann', ANN), user('3.eve', EVE)];
    await test.start(config(2, other), users);
    await eventually('the old engine has ended', async (saw) => saw(await test.pids()).length === 1);
    for (const failures of [1, 2, 3]) {
      const pid = await pidOf(test);
      process.kill(pid, 'SIGKILL');
      await eventually('the engine has ended', () => !test.backend.running);
      // This is what management does as soon as it sees that.
      expect(await test.start(config(2, other), users)).toEqual([]);
      expect([test.backend.running, test.backend.hasFallenBack]).toEqual([true, failures === 3]);
    }
    expect(test.backend.users.count).toBe(2);
    expect(await (await connect(ANN)).fetch(web.url)).toBe(web.page);
    for (const id of [BOB, EVE]) await expectStranger(test, id);
  });

  it('a full set of users makes a fall-back with the same configuration the requested state', async () => {
    const test = open();
    await test.start(config(1), [user('1.ann', ANN)]);
    test.clock.moveOn(STABLE_MS);
    await test.backend.changeUsers(rawUsers([user('2.bob', BOB)]));
    await failThrice(test);
    await expectStranger(test, BOB);
    const pid = await pidOf(test);
    await test.backend.replaceUsers(rawUsers([user('1.ann', ANN), user('2.bob', BOB)]));
    expect(await (await connect(BOB)).fetch(web.url)).toBe(web.page);
    prove(test);
    expect([test.backend.warnings, await test.pids()]).toEqual([[], [pid]]);
  });

  it('a stop is quick when neither the serving nor the draining engine answers', async () => {
    const test = open();
    const echo = await startEcho();
    await test.start(config(1), [user('1.ann', ANN)]);
    const live = await Tunnel.open((await connect(ANN)).port, echo.port);
    await live.echo(1000);
    await test.start(config(2), [user('1.ann', ANN)]);
    const pids = await test.pids();
    expect(pids).toHaveLength(2);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const began = performance.now();
    await test.backend.stop();
    expect(performance.now() - began).toBeLessThan(5000);
    expect(await test.pids()).toEqual([]);
    echo.close();
  });

  it('aborts a start that is under way', async () => {
    const test = open();
    const scratch = mkdtempSync(join(tmpdir(), 'rampart-supervisor-'));
    const path = join(scratch, 'in.sock');
    // An engine waits without end for the lock of its socket.
    const holder = spawn('flock', ['--no-fork', `${path}.lock`, 'sh', '-c', 'echo held && exec sleep 60']);
    await once(holder.stdout, 'data');
    const inbounds = [{ tag: 'path', listen: path, protocol: 'vless', settings: { decryption: 'none' } }];
    const starting = test.start({ inbounds, outbounds: [{ protocol: 'freedom' }] });
    const failure = expect(starting).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await eventually('the engine is launched', async (saw) => saw(await test.pids()).length > 0);
    test.backend.abortStart();
    await failure;
    await test.backend.stop();
    expect(await test.pids()).toEqual([]);
    holder.kill();
    rmSync(scratch, { recursive: true });
  });
});
