import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
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
const user = (email: string, id: string) => ({ email, proxies: { vless: { id } }, inbounds: ['raw'] });
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z';

describe('the supervisor', () => {
  let web: LocalWeb;
  let port: number;
  const clients: EngineClient[] = [];
  const backends: BackendFixture[] = [];

  const config = (number: number, listen = port) => ({
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
    const test = open({ stableMs: 1000 });
    await test.start(config(1), [user('1.ann', ANN), user('2.bob', BOB)]);
    await setTimeout(1200);
    const other = await freePort();
    await test.start(config(2, other), [user('1.ann', ANN)]);
    await eventually('the old engine has ended', async () => (await test.pids()).length === 1);
    for (let failures = 0; failures < 3; failures += 1) {
      const pid = await pidOf(test);
      process.kill(pid, 'SIGKILL');
      await next(test, pid);
    }
    const [warning] = test.backend.warnings;
    expect(warning).toMatch(
      new RegExp(
        `^the engine kept failing: the configuration and users of ${TIME} are used instead of the requested ones$`,
      ),
    );
    expect(test.notes.at(-1)).toMatch(
      new RegExp(`the engine failed 3 times in a row: the configuration and users of ${TIME} are used instead$`),
    );
    expect(test.backend.users.count).toBe(1);
    expect(await (await connect(ANN)).fetch(web.url)).toBe(web.page);
    await expect((await connect(BOB)).fetch(web.url, 1000)).rejects.toThrow();
    // Changes apply to the desired state and to the running one.
    await test.backend.changeUsers(rawUsers([user('2.bob', BOB), { email: '1.ann' }]));
    expect(await (await connect(BOB)).fetch(web.url)).toBe(web.page);
    await expect((await connect(ANN)).fetch(web.url, 1000)).rejects.toThrow();

    await test.start(config(3, other), [user('1.ann', ANN)]);
    expect(test.backend.warnings).toEqual([]);
    expect(await (await connect(ANN, other)).fetch(web.url)).toBe(web.page);
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
    await eventually('the engine is launched', async () => (await test.pids()).length > 0);
    test.backend.abortStart();
    await failure;
    await test.backend.stop();
    expect(await test.pids()).toEqual([]);
    holder.kill();
    rmSync(scratch, { recursive: true });
  });
});
