import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type EngineClient,
  enginePath,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { readKernelFile } from '../../../machine/kernel-files.js';
import { TCP_MIGRATE_REQ_FILE } from '../../../machine/tcp-migration.js';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { EngineApi } from '../api/engine-api.js';
import { EngineUsers } from '../reconcile/engine-users.js';
import { config, FetchLoad, vless } from '../testing/fetch-load.js';
import { BackendFixture, rawUsers } from '../testing/test-backend.js';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER_ID = '22222222-2222-4222-8222-222222222222';
const ann = (inbounds: string[]) => ({
  email: '1.ann',
  proxies: { vless: { id: ID }, shadowsocks: { password: 'ann', method: 'aes-128-gcm' } },
  inbounds,
});

const GRPC = { network: 'grpc', grpcSettings: { serviceName: 'g' } };
const XHTTP = { network: 'xhttp', xhttpSettings: { path: '/x', mode: 'packet-up' } };

/** Whether the kernel migrates connections between listeners, or the test may enable it. */
function canPassOn(): boolean {
  if (readKernelFile(TCP_MIGRATE_REQ_FILE)?.trim() === '1') return true;
  try {
    accessSync(TCP_MIGRATE_REQ_FILE, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const canCut = process.getuid?.() === 0 && spawnSync('ss', ['-V']).status === 0;

const HOUR = 3_600_000;

/** Sends bytes that the engine does not understand: it accepts and closes the connection. */
function visit(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = dial(port, '127.0.0.1', () => socket.write(Buffer.alloc(40)));
    socket.once('error', ({ message }) => resolve(message));
    socket.once('close', () => resolve('accepted'));
    socket.resume();
  });
}

describe('a new configuration', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'rampart-handover-'));
  let web: LocalWeb;
  let echo: Awaited<ReturnType<typeof startEcho>>;
  const clients: EngineClient[] = [];
  const loads: FetchLoad[] = [];
  const backends: BackendFixture[] = [];

  const open = (settings: ConstructorParameters<typeof BackendFixture>[0] = {}): BackendFixture => {
    const test = new BackendFixture(settings);
    backends.push(test);
    return test;
  };
  const connect = async (outbound: Record<string, unknown>): Promise<EngineClient> => {
    const client = await startEngineClient(outbound);
    clients.push(client);
    return client;
  };
  const load = (client: EngineClient): FetchLoad => {
    const started = new FetchLoad(client, web, 2);
    loads.push(started);
    return started;
  };
  const tunnel = (client: EngineClient) => Tunnel.open(client.port, echo.port);
  /** Old engines end when a look at their connections, once a second or less often, finds none. */
  const oneEngineIsLeft = (test: BackendFixture) =>
    eventually('one engine is left', async () => {
      test.clock.moveOn(1000);
      return (await test.pids()).length === 1;
    });

  beforeAll(async () => {
    web = await startLocalWeb();
    echo = await startEcho();
  });
  afterEach(async () => {
    await Promise.all(loads.splice(0).map((each) => each.end()));
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await Promise.all(backends.splice(0).map((test) => test.close()));
  });
  afterAll(async () => {
    echo.close();
    await web.close();
    rmSync(scratch, { recursive: true });
  });

  it('a handover counts every byte once, including those of the old engine', async () => {
    const test = open();
    const port = await freePort();
    const inbounds = [vless('raw', { port })];
    await test.start(config(inbounds, 1), [ann(['raw'])]);
    const client = await connect(vlessOutbound(port, ID));
    const before = await tunnel(client);
    await before.echo(100_000);
    await test.start(config(inbounds, 2), [ann(['raw'])]);
    const after = await tunnel(client);
    await before.echo(200_000);
    await test.readTraffic();
    await before.echo(300_000);
    await after.echo(400_000);
    before.close();
    await oneEngineIsLeft(test);
    await test.readTraffic();
    expect(test.traffic.get('1.ann')).toEqual({ uplink: 1_000_000n, downlink: 1_000_000n });
  });

  it('a handover of grpc, xhttp and unix paths fails hardly any connection', async () => {
    const test = open();
    const ports = [await freePort(), await freePort()] as const;
    const path = join(scratch, 'in.sock');
    const inbounds = [
      vless('grpc', { port: ports[0] }, GRPC),
      vless('xhttp', { port: ports[1] }, XHTTP),
      vless('path', { listen: path }),
    ];
    const users = [ann(['grpc', 'xhttp', 'path'])];
    await test.start(config(inbounds, 1), users);
    const grpc = await connect({ ...vlessOutbound(ports[0], ID), streamSettings: GRPC });
    const xhttp = await connect({ ...vlessOutbound(ports[1], ID), streamSettings: XHTTP });
    const underLoad = [load(grpc), load(xhttp)];
    await Promise.all(underLoad.map((each) => each.waitForFetches(10)));
    for (const number of [2, 3, 4]) {
      await test.start(config(inbounds, number), users);
      await Promise.all(underLoad.map((each) => each.waitForFetches(5)));
    }
    for (const each of underLoad) expect((await each.end()).length).toBeLessThanOrEqual(3 * 4);
    // Only their keep-alive connections are left.
    await Promise.all([grpc.close(), xhttp.close()]);
    await oneEngineIsLeft(test);
    expect(test.backend.warnings).toEqual([]);
  });

  // Newer engines do this by default: a few connections for all sessions, as long as they stay open.
  const keepingXhttp = (port: number) =>
    connect({
      ...vlessOutbound(port, ID),
      streamSettings: { ...XHTTP, xhttpSettings: { ...XHTTP.xhttpSettings, xmux: { maxConnections: 3 } } },
    });

  (canCut ? it : it.skip)(
    'a handover moves xhttp clients with HTTP/1.1 connections to the new engine, and cuts nobody else',
    async () => {
      const test = open();
      const [raw, port] = [await freePort(), await freePort()];
      const inbounds = [vless('raw', { port: raw }), vless('xhttp', { port }, XHTTP)];
      const users = [ann(['raw', 'xhttp'])];
      await test.start(config(inbounds, 1), users);
      const [first] = await test.pids();
      const live = await tunnel(await connect(vlessOutbound(raw, ID)));
      await live.echo(1000);
      const keeping = load(await keepingXhttp(port));
      await keeping.waitForFetches(10);
      await test.start(config(inbounds, 2), users);
      await keeping.waitForFetches(10);
      expect((await keeping.end()).length).toBeLessThanOrEqual(4);
      await live.echo(1000);
      expect(await test.pids()).toContain(first);
      expect(test.notes).toEqual([
        `[rampart] the previous engine (process ${first}) keeps running for its connections`,
      ]);
    },
  );

  it('an old engine whose xhttp connections over HTTP/1.1 cannot be reset ends as soon as no other client uses it', async () => {
    const engine = { executablePath: enginePath(), searchPath: '/nowhere', cacheDir: '', environment: {} };
    const test = open({ engine });
    const [raw, port] = [await freePort(), await freePort()];
    const inbounds = [vless('raw', { port: raw }), vless('xhttp', { port }, XHTTP)];
    const users = [ann(['raw', 'xhttp'])];
    await test.start(config(inbounds, 1), users);
    const [first] = await test.pids();
    const live = await tunnel(await connect(vlessOutbound(raw, ID)));
    await live.echo(1000);
    const client = await keepingXhttp(port);
    expect(await client.fetch(web.url)).toBe(web.page);
    await test.start(config(inbounds, 2), users);
    const note =
      '[rampart] clients of xhttp over HTTP/1.1 may fail for minutes: their connections to the previous engine ' +
      'could not be closed: PATH has no ss; install iproute2';
    await eventually('the log says so', (saw) => saw(test.notes).at(-1) === note);
    await live.echo(1000);
    live.close();
    await oneEngineIsLeft(test);
    expect(await test.pids()).not.toContain(first);
    await load(client).waitForFetches(10);
  });

  (canPassOn() ? it : it.skip)(
    'a handover refuses no connection that opens while an inbound is handed over',
    async () => {
      const test = open();
      await test.backend.prepare();
      const port = await freePort();
      await test.start(config([vless('raw', { port })], 0));
      const visits: Promise<string>[] = [];
      const { removeInbound } = EngineApi.prototype;
      const removing = jest.spyOn(EngineApi.prototype, 'removeInbound').mockImplementation(async function (
        this: EngineApi,
        tag,
      ) {
        let gone = false;
        const removed = removeInbound.call(this, tag).finally(() => {
          gone = true;
        });
        while (!gone) {
          for (let count = 0; count < 50; count += 1) visits.push(visit(port));
          await setImmediate();
        }
        await removed;
      });
      for (let number = 1; number <= 20; number += 1) {
        await test.start(config([vless('raw', { port })], number));
        await Promise.all(visits);
      }
      removing.mockRestore();
      expect(visits.length).toBeGreaterThanOrEqual(20 * 50);
      expect(new Set(await Promise.all(visits))).toEqual(new Set(['accepted']));
    },
  );

  it('a handover keeps all users of the new configuration, and no others', async () => {
    const test = open();
    const port = await freePort();
    const bob = { email: '2.bob', proxies: { vless: { id: OTHER_ID } }, inbounds: ['xhttp'] };
    await test.start(config([vless('xhttp', { port }, XHTTP)], 1), [ann(['xhttp'])]);
    await test.start(config([vless('xhttp', { port }, XHTTP)], 2), [bob]);
    const outbound = (id: string) => ({ ...vlessOutbound(port, id), streamSettings: XHTTP });
    expect(await (await connect(outbound(OTHER_ID))).fetch(web.url)).toBe(web.page);
    await expect((await connect(outbound(ID))).fetch(web.url, 1000)).rejects.toThrow();
  });

  it('a handover is undone when the new engine cannot take over an inbound', async () => {
    const test = open();
    const [grpc, raw] = [await freePort(), await freePort()];
    const inbounds = [vless('grpc', { port: grpc }, GRPC), vless('raw', { port: raw })];
    const users = [ann(['grpc', 'raw'])];
    await test.start(config(inbounds, 1), users);
    const pids = await test.pids();
    const live = await tunnel(await connect(vlessOutbound(raw, ID)));
    // Another program takes a port between the check and the start of the engine.
    const [third, taker] = [await freePort(), createServer()];
    const { addInbound } = EngineApi.prototype;
    const adding = jest.spyOn(EngineApi.prototype, 'addInbound').mockImplementationOnce(async function (
      this: EngineApi,
      inbound,
    ) {
      await once(taker.listen(third, '127.0.0.1'), 'listening');
      await addInbound.call(this, inbound);
    });
    const taken = vless('taken', { port: third }, XHTTP);
    await expect(test.start(config([...inbounds, taken], 2), users)).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringMatching(
        /^the new engine could not take over, the previous one still runs: .*address already in use/s,
      ),
    });
    taker.close();
    adding.mockRestore();
    expect(await test.pids()).toEqual(pids);
    await live.echo(1000);
    const through = await connect({ ...vlessOutbound(grpc, ID), streamSettings: GRPC });
    expect(await through.fetch(web.url)).toBe(web.page);
  });

  it('the engine is renewed without cutting connections when that is faster than changing its users', async () => {
    const test = open();
    const port = await freePort();
    const bob = { email: '2.bob', proxies: { vless: { id: OTHER_ID } }, inbounds: ['raw'] };
    await test.start(config([vless('raw', { port })], 1), [ann(['raw'])]);
    const pids = await test.pids();
    const live = await tunnel(await connect(vlessOutbound(port, ID)));
    await live.echo(1000);
    // Without the spy this would take ten thousand removals on shadowsocks-2022.
    const planned = jest.spyOn(EngineUsers.prototype, 'reconcile').mockResolvedValueOnce('handover');
    await test.backend.replaceUsers(rawUsers([bob]));
    planned.mockRestore();
    await live.echo(1000);
    expect(await test.pids()).toEqual(expect.arrayContaining(pids));
    expect(await (await connect(vlessOutbound(port, OTHER_ID))).fetch(web.url)).toBe(web.page);
    await expect((await connect(vlessOutbound(port, ID))).fetch(web.url, 1000)).rejects.toThrow();
    live.close();
    await oneEngineIsLeft(test);
    expect(await test.pids()).not.toEqual(pids);
    expect(test.backend.restarts).toBe(0);
  });

  it('the old engine ends after the drain time, even with open connections', async () => {
    const test = open();
    const port = await freePort();
    await test.start(config([vless('raw', { port })], 1), [ann(['raw'])]);
    const [first] = await test.pids();
    const live = await tunnel(await connect(vlessOutbound(port, ID)));
    await test.start(config([vless('raw', { port })], 2), [ann(['raw'])]);
    await live.echo(1000);
    test.clock.moveOn(HOUR - 10_000);
    await live.echo(1000);
    test.clock.moveOn(10_000);
    await eventually('the connection has ended', () => live.ended);
    await oneEngineIsLeft(test);
    expect(test.notes.at(-1)).toBe(
      `[rampart] the previous engine (process ${first}) is ended: the time for its connections is over`,
    );
  });

  it('two old engines may drain, and the oldest of three is ended', async () => {
    const test = open();
    const port = await freePort();
    const client = () => connect(vlessOutbound(port, ID));
    const tunnels: Tunnel[] = [];
    for (const number of [1, 2, 3, 4]) {
      await test.start(config([vless('raw', { port })], number), [ann(['raw'])]);
      tunnels.push(await tunnel(await client()));
    }
    await eventually('the first connection has ended', () => tunnels[0]?.ended);
    await eventually('three engines are left', async (saw) => saw(await test.pids()).length === 3);
    for (const live of tunnels.slice(1)) await live.echo(1000);
    expect(test.notes.filter((note) => note.includes('no more than 2'))).toHaveLength(1);
  });

  it('a draining engine ends when a removed user could open streams on its xhttp connections', async () => {
    const test = open();
    const [raw, xhttp] = [await freePort(), await freePort()];
    const inbounds = [vless('raw', { port: raw }), vless('xhttp', { port: xhttp }, XHTTP)];
    await test.start(config(inbounds, 1), [ann(['raw', 'xhttp'])]);
    const live = await tunnel(await connect(vlessOutbound(raw, ID)));
    await test.start(config(inbounds, 2), [ann(['raw', 'xhttp'])]);
    await live.echo(1000);
    await test.backend.changeUsers(rawUsers([{ email: '1.ann' }]));
    await eventually('the connection has ended', () => live.ended);
    expect(test.notes.at(-1)).toMatch(/is ended early: a removed user could go on using it$/);
  });

  it('a configuration that cannot be handed over restarts the engine, with a warning', async () => {
    const test = open();
    const [raw, untagged] = [await freePort(), await freePort()];
    const inbounds = [vless('raw', { port: raw }), { listen: '127.0.0.1', port: untagged, protocol: 'http' }];
    await test.start(config(inbounds, 1), [ann(['raw'])]);
    const pids = await test.pids();
    await test.start(config(inbounds, 2), [ann(['raw'])]);
    const warning =
      'the last change of the configuration restarted the engine: an inbound without a tag cannot be handed over';
    expect(test.backend.warnings).toEqual([warning]);
    expect(test.notes).toEqual([`[rampart] ${warning}`]);
    expect(await test.backend.figures()).toMatchObject({
      handovers: { configuration: 0, users: 0 },
      restartsForChanges: 1,
    });
    const [now, ...others] = await test.pids();
    expect(others).toEqual([]);
    expect(pids).not.toContain(now);
    expect(await (await connect(vlessOutbound(raw, ID))).fetch(web.url)).toBe(web.page);
  });

  it('restarts the engine when memory does not suffice for two, with a warning', async () => {
    let available = 2 ** 50;
    const test = open({ availableMemory: () => available });
    const port = await freePort();
    const start = (number: number) => test.start(config([vless('raw', { port })], number), [ann(['raw'])]);
    await start(1);
    const live = await tunnel(await connect(vlessOutbound(port, ID)));
    await live.echo(1);
    await start(2);
    const pids = await test.pids();
    expect(pids).toHaveLength(2);
    available = 0;
    await start(3);
    const [now, ...others] = await test.pids();
    expect(others).toEqual([]);
    expect(pids).not.toContain(now);
    expect(test.backend.warnings).toEqual([
      expect.stringMatching(
        /^the last change of the configuration restarted the engine: a second engine would need \d+ MiB of memory, and there are 0 MiB$/,
      ),
    ]);
    expect(await (await connect(vlessOutbound(port, ID))).fetch(web.url)).toBe(web.page);
    available = 2 ** 50;
    await start(4);
    expect(test.backend.warnings).toEqual([]);
  });
});
