import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeepPartial, type StatRequest, StatType, User, UsersDigest, userDigest } from '@rampart/node-client';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  engineVersion,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import type { LogLine } from './node.service.js';
import { NODE_VERSION } from './node.version.js';
import { vlessOutbound } from './testing/clients/client-outbounds.js';
import { createNodeFixture, type NodeFixture, startRequest } from './testing/nodes/test-node.js';
import { rawUser } from './testing/raw-users.js';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER_ID = '22222222-2222-4222-8222-222222222222';
const NOT_INITIALIZED = { code: 'BACKEND_NOT_INITIALIZED', message: 'backend not initialized' };
const user = (email: string, id: string, inbounds = ['vless']) => ({ email, proxies: { vless: { id } }, inbounds });
const digestOf = (...users: DeepPartial<User>[]) => {
  const digest = new UsersDigest();
  for (const one of users) digest.addDigest(userDigest(User.fromPartial(one)));
  return Buffer.from(digest.value);
};
/** The info of a node that serves these users. */
const running = (...users: DeepPartial<User>[]) => ({
  ...{ running: true, coreVersion: engineVersion(), version: NODE_VERSION, coreType: 'xray', refused: [] },
  ...{ configDigest: expect.stringMatching(/^[0-9a-f]{64}$/), bootId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  ...{ usersDigest: digestOf(...users), usersCount: BigInt(users.length), restarts: 0n, lastExit: '', warnings: [] },
  ...{ timeMs: expect.any(BigInt), certificateExpiresAt: 0n, fallback: false },
});
const config = (port: number, others: object = {}) => ({
  inbounds: [{ tag: 'vless', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } }],
  outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
  ...others,
});
const allUsers = (): StatRequest => ({ type: StatType.UsersStat, name: '', reset: false });

describe('NodeService with the real engine', () => {
  let test: NodeFixture;
  let web: LocalWeb;
  let port: number;
  const clients: EngineClient[] = [];

  const connect = async (id: string, to = port): Promise<EngineClient> => {
    const client = await startEngineClient(vlessOutbound(to, id));
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    web = await startLocalWeb();
  });

  beforeAll(async () => {
    test = createNodeFixture();
    port = await freePort();
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await test.node.stop();
  });

  afterAll(async () => {
    await test.close();
    await web.close();
  });

  it('only info, stop and logs are answered before Start', async () => {
    expect(test.node.info()).toEqual({
      running: false,
      fallback: false,
      coreVersion: '',
      version: NODE_VERSION,
      coreType: 'xray',
      refused: [],
      configDigest: '',
      usersDigest: Buffer.alloc(16),
      usersCount: 0n,
      bootId: expect.any(String),
      restarts: 0n,
      lastExit: '',
      warnings: [],
      timeMs: expect.any(BigInt),
      certificateExpiresAt: 0n,
    });
    await expect(test.node.stop()).resolves.toBeUndefined();
    await expect(test.node.stats(allUsers())).rejects.toMatchObject(NOT_INITIALIZED);
    await expect(test.node.syncUser([])).rejects.toMatchObject(NOT_INITIALIZED);
    await expect(test.node.logs({ signal: AbortSignal.abort() })).resolves.toBeDefined();
    await expect(test.node.syncUsers({ users: [], revision: 0n })).rejects.toMatchObject(NOT_INITIALIZED);
    await expect(test.node.collectTraffic({ ledger: '', acknowledge: 0n })).rejects.toMatchObject(NOT_INITIALIZED);
  });

  it('a user is served, one is added and one removed, in the same engine process', async () => {
    expect(await test.node.start(startRequest(config(port), { users: [user('1.ann', ID)] }))).toEqual(
      running(user('1.ann', ID)),
    );
    const [ann, bob] = [await connect(ID), await connect(OTHER_ID)];
    const pids = await test.enginePids();
    expect(pids).toHaveLength(1);
    expect(await ann.fetch(web.url)).toBe(web.page);
    await expect(bob.fetch(web.url)).rejects.toThrow();

    await test.node.syncUser([rawUser({ email: '1.ann' }), rawUser(user('2.bob', OTHER_ID))]);
    await expect(ann.fetch(web.url)).rejects.toThrow();
    expect(await bob.fetch(web.url)).toBe(web.page);

    await test.node.syncUsers({ users: [rawUser(user('1.ann', ID))], revision: 0n });
    expect(await ann.fetch(web.url)).toBe(web.page);
    await expect(bob.fetch(web.url)).rejects.toThrow();
    expect(await test.enginePids()).toEqual(pids);
  });

  it('security row 25: a Start with the same configuration changes users but not the engine process', async () => {
    await test.node.start(startRequest(config(port), { users: [user('1.ann', ID)] }));
    const pids = await test.enginePids();
    const { inbounds, outbounds } = config(port);
    await test.node.start(startRequest({ outbounds, inbounds }, { users: [user('2.bob', OTHER_ID)] }));
    expect(await test.enginePids()).toEqual(pids);
    expect(await (await connect(OTHER_ID)).fetch(web.url)).toBe(web.page);
    await expect((await connect(ID)).fetch(web.url)).rejects.toThrow();
  });

  it('a Start with another configuration replaces the engine', async () => {
    await test.node.start(startRequest(config(port), { users: [user('1.ann', ID)] }));
    const pids = await test.enginePids();
    const otherPort = await freePort();
    await test.node.start(startRequest(config(otherPort), { users: [user('1.ann', ID)] }));
    expect(await test.enginePids()).not.toEqual(pids);
    expect(await (await connect(ID, otherPort)).fetch(web.url)).toBe(web.page);
  });

  it.each([
    ['{', 'CONFIG_REFUSED', 'config is not valid JSON: line 1, column 2: close brace expected'],
    ['[]', 'CONFIG_REFUSED', 'config must be a JSON object'],
    [
      JSON.stringify(config(1, { outbounds: [{ protocol: 'fredom' }] })),
      'CONFIG_REFUSED',
      'the engine refuses the configuration: main: failed to load config files: [stdin:] > infra/conf: failed to build outbound config with tag  > infra/conf: failed to load outbound detour config for protocol fredom > infra/conf: unknown config id: fredom',
    ],
    [
      JSON.stringify(config(1, { routing: { rules: [{ outboundTag: 'drect', network: 'tcp' }] } })),
      'CONFIG_REFUSED',
      'routing.rules[0]: there is no outbound "drect"; there are "direct"',
    ],
  ])('a Start with %s is refused, and the previous engine stays', async (text, code, message) => {
    await test.node.start(startRequest(config(port), { users: [user('1.ann', ID)] }));
    const pids = await test.enginePids();
    await expect(test.node.start(startRequest({}, { config: text }))).rejects.toMatchObject({ code, message });
    expect(await test.enginePids()).toEqual(pids);
    expect(test.node.info()).toEqual(running(user('1.ann', ID)));
    expect(await (await connect(ID)).fetch(web.url)).toBe(web.page);
  });

  it('a Start on a port in use names the inbound, and the previous engine stays', async () => {
    await test.node.start(startRequest(config(port), { users: [user('1.ann', ID)] }));
    const pids = await test.enginePids();
    const taker = createServer().listen(0, '127.0.0.1');
    await once(taker, 'listening');
    const taken = (taker.address() as { port: number }).port;
    await expect(test.node.start(startRequest(config(taken)))).rejects.toMatchObject({
      code: 'START_FAILED',
      message: `inbound "vless": tcp port ${taken} on 127.0.0.1 is taken by another program`,
    });
    taker.close();
    expect(await test.enginePids()).toEqual(pids);
  });

  it('the previous configuration is restored when the engine does not start with the new one', async () => {
    await test.node.start(startRequest(config(port), { users: [user('1.ann', ID)] }));
    const bad = config(port, {});
    const sockopt = { tcpKeepAliveIdle: 1, tcpKeepAliveInterval: -1 };
    const unable = { ...bad.inbounds[0], tag: 'unable', port: await freePort(), streamSettings: { sockopt } };
    const inbounds = [...bad.inbounds, unable];
    await expect(test.node.start(startRequest({ ...bad, inbounds }))).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringContaining(`ended with exit code 255: `),
    });
    expect(test.node.info()).toEqual(running(user('1.ann', ID)));
    expect(await (await connect(ID)).fetch(web.url)).toBe(web.page);
  });

  it('a killed engine is restarted with its users', async () => {
    await test.node.start(startRequest(config(port), { users: [user('1.ann', ID)] }));
    await test.node.syncUser([rawUser(user('2.bob', OTHER_ID))]);
    const [pid = 0] = await test.enginePids();
    process.kill(pid, 'SIGKILL');
    await eventually('another engine runs', async () => {
      const [now] = await test.enginePids();
      return now !== undefined && now !== pid && test.node.info().running;
    });
    expect(await (await connect(ID)).fetch(web.url)).toBe(web.page);
    expect(await (await connect(OTHER_ID)).fetch(web.url)).toBe(web.page);
    expect(test.node.info()).toEqual({
      ...running(user('1.ann', ID), user('2.bob', OTHER_ID)),
      ...{ restarts: 1n, lastExit: expect.stringMatching(/^was ended by SIGKILL at 20\S+Z$/) },
    });
  });

  it('users that are synchronised while the engine is down are served afterwards', async () => {
    await test.node.start(startRequest(config(port), { users: [user('1.ann', ID)] }));
    const [pid = 0] = await test.enginePids();
    process.kill(pid, 'SIGKILL');
    await eventually('the node has noticed', () => !test.node.info().running);
    await test.node.syncUsers({ users: [rawUser(user('2.bob', OTHER_ID))], revision: 0n });
    await eventually('the engine runs again', () => test.node.info().running);
    expect(await (await connect(OTHER_ID)).fetch(web.url)).toBe(web.page);
    await expect((await connect(ID)).fetch(web.url)).rejects.toThrow();
  });

  it('the session stops after keepAlive without a call, but not while a log is read', async () => {
    await test.node.start(startRequest(config(port), { keepAlive: 1n }));
    const reading = new AbortController();
    const lines = (await test.node.logs({ signal: reading.signal }))[Symbol.asyncIterator]();
    await lines.next();
    const began = performance.now();
    setTimeout(() => reading.abort(), 1300);
    while (!(await lines.next()).done);
    expect((await test.enginePids()).length).toBe(1);
    await eventually('the engine is stopped', async (saw) => saw(await test.enginePids()).length === 0);
    expect(performance.now() - began).toBeGreaterThanOrEqual(2200);
    // The process ends a moment before the session does.
    const answer = () => test.node.stats(allUsers()).catch((error: unknown) => error);
    await eventually('the session is over', async (saw) => !('stats' in saw(Object(await answer()))));
    expect(await answer()).toMatchObject(NOT_INITIALIZED);
  });

  it('a log stream continues across stop and start, without lines about the API channel', async () => {
    await test.node.start(startRequest(config(port, { log: { loglevel: 'debug' } })));
    const reading = new AbortController();
    const seen: LogLine[] = [];
    const reader = (async () => {
      for await (const lines of await test.node.logs({ signal: reading.signal })) seen.push(...lines);
    })();
    const banners = () => seen.filter(({ detail }) => detail.startsWith(`Xray ${engineVersion()} `)).length;
    await eventually('the first banner', (saw) => saw(banners()) >= 1);
    const before = banners();
    await test.node.collectTraffic({ ledger: '', acknowledge: 0n });
    await test.node.stop();
    await test.node.start(startRequest(config(port)));
    await eventually('another banner', (saw) => saw(banners()) === before + 1);
    reading.abort();
    await reader;
    expect(seen.filter(({ detail }) => /~rampart-|api\.sock/.test(detail))).toEqual([]);
    expect(seen.map(({ sequence }) => sequence)).toEqual(
      seen.map((_, index) => (seen[0]?.sequence ?? 0n) + BigInt(index)),
    );
  });

  it('a user message older than the last one is refused', async () => {
    const ann = user('1.ann', ID);
    await test.node.start(startRequest(config(port), { users: [ann], revision: 5n }));
    await test.node.syncUser([rawUser({ email: '1.ann', revision: 7n })]);
    await expect(test.node.syncUsers({ users: [rawUser(ann)], revision: 6n })).rejects.toMatchObject({
      code: 'STALE_REVISION',
      message: 'revision 6 is older than 7, the last one applied',
    });
    await expect(test.node.syncUser([rawUser({ ...ann, revision: 6n })])).rejects.toMatchObject({
      code: 'STALE_REVISION',
      message: '1 user not changed: "1.ann" (revision 6 is older than 7)',
    });
    await expect(test.node.start(startRequest(config(port), { users: [ann], revision: 6n }))).rejects.toMatchObject({
      code: 'STALE_REVISION',
    });
    await expect((await connect(ID)).fetch(web.url)).rejects.toThrow();
  });

  it('a Start of another backend type is refused', async () => {
    await expect(test.node.start(startRequest(config(port), { type: 1 }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'type 1 is not known here; use 0 (xray)',
    });
  });
});

describe('a node without an engine', () => {
  const elsewhere = { executablePath: undefined, searchPath: '/nowhere', cacheDir: '/nowhere/cache' };

  it('a Start without an engine names every searched place and how to install one', async () => {
    const test = createNodeFixture(elsewhere);
    await expect(test.node.start(startRequest(config(1)))).rejects.toMatchObject({
      code: 'START_FAILED',
      message:
        'there is no engine to run: XRAY_EXECUTABLE_PATH is not set; no directory of PATH has xray (/nowhere); ' +
        '/nowhere/cache/engine/xray-26.3.27/xray does not exist or does not run. ' +
        'To install it: node tools/engine/dist/main.js xray',
    });
    await test.close();
  });

  it('a Start with an XRAY_EXECUTABLE_PATH that is not the engine says so', async () => {
    const test = createNodeFixture({ executablePath: process.execPath });
    await expect(test.node.start(startRequest(config(1)))).rejects.toMatchObject({
      code: 'START_FAILED',
      message:
        `there is no engine to run: XRAY_EXECUTABLE_PATH is ${process.execPath}, which does not run as Xray. ` +
        'To install it: node tools/engine/dist/main.js xray',
    });
    await test.close();
  });
});
