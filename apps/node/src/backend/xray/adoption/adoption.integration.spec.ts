import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeClient, StatType, User } from '@rampart/node-client';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  enginePath,
  eventually,
  freePort,
  startEngineClient,
} from '@rampart/testing';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { SteadyTraffic } from '../../../testing/clients/steady-traffic.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { enginePids } from '../../../testing/engine-pids.js';
import { buildNode, NodeProgram } from '../../../testing/nodes/node-program.js';
import { API_KEY } from '../../../testing/nodes/running-node.js';
import { ownPidNamespace, startTimeOf } from '../process/process-identity.js';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER_ID = '22222222-2222-4222-8222-222222222222';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });
const PING_BYTES = 50_000;

describe('an engine and a node that restarts', () => {
  let dataDir: string;
  let port: number;
  let inbound: number;
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let user: EngineClient;
  let program: NodeProgram;
  let node: NodeClient;
  let tunnel: Tunnel;
  let moved = 0;

  const run = async (settings: Record<string, string> = {}): Promise<void> => {
    program = new NodeProgram({
      ...{ RAMPART_API_KEY: API_KEY, RAMPART_NODE_DATA_DIR: dataDir, RAMPART_NODE_HOST: '127.0.0.1' },
      ...{ RAMPART_NODE_PORT: String(port), RAMPART_NODE_KEEP_SECONDS: '60', ...settings },
    });
    node = await program.client();
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await node.close();
    await program.exit(signal);
  };
  const config = (more: object = {}) =>
    JSON.stringify({
      inbounds: [
        { tag: 'vless', listen: '127.0.0.1', port: inbound, protocol: 'vless', settings: { decryption: 'none' } },
      ],
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE, ...more }],
    });
  const ping = async (): Promise<void> => {
    await tunnel.echo(PING_BYTES);
    moved += PING_BYTES;
  };
  const counted = async (): Promise<bigint[]> => {
    const { stats } = await node.stats({ type: StatType.UserStat, name: '1.ann' });
    return stats.map(({ value }) => value);
  };
  const runs = () => eventually('the engine runs', async () => (await node.info()).running, 20_000);
  const recordFile = async (): Promise<string> => {
    const [name = ''] = await readdir(join(dataDir, 'run'));
    return join(dataDir, 'run', name, 'record');
  };
  const sessionFile = () => join(dataDir, 'state', 'session');
  const hasEnded = (pid: number) => eventually(`process ${pid} has ended`, async () => !(await isRunning(pid)), 20_000);

  beforeAll(async () => {
    await buildNode();
    echo = await startEcho();
    inbound = await freePort();
    user = await startEngineClient(vlessOutbound(inbound, ID));
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rampart-adopt-'));
    // The engine's account must come to it.
    await chmod(dataDir, 0o711);
    port = await freePort();
    moved = 0;
    await run();
    await node.start({ config: config(), users: [ann] });
    tunnel = await Tunnel.open(user.port, echo.port);
    await ping();
  });
  afterEach(async () => {
    tunnel.close();
    await end('SIGINT').catch(() => undefined);
    await eventually('no engine is left', async () => (await enginePids(dataDir)).length === 0, 10_000);
    await rm(dataDir, { recursive: true, force: true });
  });
  afterAll(async () => {
    await user?.close();
    echo?.close();
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'a node that is ended by %s under traffic loses no byte and cuts no connection: the next one takes its engine over',
    async (signal) => {
      const engines = await enginePids(dataDir);
      const traffic = new SteadyTraffic(user.port, echo.port);
      const goesOn = async (bytes: number) => {
        const before = traffic.received;
        await eventually('traffic goes on', () => traffic.received > before + bytes, 20_000);
      };
      await goesOn(200_000);
      await end(signal);
      await goesOn(200_000);
      await run();
      await runs();
      await goesOn(200_000);
      await traffic.stop();
      await ping();
      expect(await enginePids(dataDir)).toEqual(engines);
      // A broken connection would have lost its last ping.
      expect(traffic.received).toBe(traffic.sent);
      const bytes = BigInt(traffic.received + moved);
      expect(await counted()).toEqual([bytes, bytes]);
      expect((await node.collectTraffic({})).users).toEqual([{ email: '1.ann', uplink: bytes, downlink: bytes }]);
      expect(program.output).toContain(`the engine of the previous node (process ${engines[0]}) goes on`);
    },
  );

  it('an engine whose records of traffic were lost is counted from its adoption on, over the next crash of the node too', async () => {
    const engines = await enginePids(dataDir);
    await end('SIGKILL');
    await rm(join(dataDir, 'state', 'traffic'));
    await run();
    await runs();
    expect(program.output).toContain('the traffic of the engine up to now is not counted: its records are lost');
    moved = 0;
    await ping();
    await end('SIGKILL');
    await ping();
    await run();
    await runs();
    await ping();
    expect(await enginePids(dataDir)).toEqual(engines);
    expect(await counted()).toEqual([BigInt(moved), BigInt(moved)]);
    expect(program.output).not.toContain('records are lost');
  });

  it('an adopted engine gets the users that the node has stored, and a Stop ends it', async () => {
    const stored = await readFile(sessionFile());
    await node.syncUser([User.fromPartial({ ...ann, email: '2.bob', proxies: { vless: { id: OTHER_ID } } })]);
    const bob = await startEngineClient(vlessOutbound(inbound, OTHER_ID));
    const other = await Tunnel.open(bob.port, echo.port);
    await other.echo(1000);
    const engines = await enginePids(dataDir);
    await end('SIGKILL');
    // As if the node had ended before it stored the change.
    await writeFile(sessionFile(), stored);
    await run();
    await runs();
    expect(await enginePids(dataDir)).toEqual(engines);
    await expect(Tunnel.open(bob.port, echo.port).then((tunnel) => tunnel.echo(1000))).rejects.toThrow();
    await ping();
    await bob.close();
    await node.stop();
    expect(await enginePids(dataDir)).toEqual([]);
    await end('SIGKILL');
    await run();
    expect((await node.info()).running).toBe(false);
    expect(await enginePids(dataDir)).toEqual([]);
  });

  it.each([
    [
      'configuration',
      async () => {
        const stored = await readFile(sessionFile());
        tunnel.close();
        await node.start({ config: config({ tag: 'other' }), users: [ann] });
        await eventually('only one engine runs', async () => (await enginePids(dataDir)).length === 1);
        tunnel = await Tunnel.open(user.port, echo.port);
        await ping();
        await end('SIGKILL');
        await writeFile(sessionFile(), stored);
        await run();
      },
    ],
    [
      'program',
      async () => {
        await end('SIGKILL');
        const copy = join(dataDir, 'xray');
        await copyFile(enginePath(), copy);
        await chmod(copy, 0o755);
        await run({ XRAY_EXECUTABLE_PATH: copy });
      },
    ],
  ])('an engine with another %s is handed over, with its connections and counters', async (_, change) => {
    await change();
    await runs();
    await ping();
    expect(program.output).toMatch(/the previous engine \(process \d+\) keeps running for its connections/);
    const other = await Tunnel.open(user.port, echo.port);
    await other.echo(PING_BYTES);
    other.close();
    moved += PING_BYTES;
    expect(await counted()).toEqual([BigInt(moved), BigInt(moved)]);
    // The drained engine is adopted by the next node too.
    const engines = await enginePids(dataDir);
    expect(engines).toHaveLength(2);
    const settings = program.settings;
    await end('SIGKILL');
    await run({ XRAY_EXECUTABLE_PATH: settings['XRAY_EXECUTABLE_PATH'] ?? enginePath() });
    await runs();
    await ping();
    expect(await enginePids(dataDir)).toEqual(engines);
    expect(await counted()).toEqual([BigInt(moved), BigInt(moved)]);
    tunnel.close();
    const closed = performance.now();
    await eventually('only one engine runs', async () => (await enginePids(dataDir)).length === 1, 10_000);
    expect(performance.now() - closed).toBeLessThan(4000);
  });

  it.each([
    ['is damaged', async (file: string) => writeFile(file, '{"format":1'), 'the record of an engine is damaged'],
    [
      "has a stranger's process id",
      async (file: string, record: object) =>
        writeFile(file, JSON.stringify({ ...record, identity: await identityOf(process.pid) })),
      `(process ${process.pid}) is not taken over: another program has its process id`,
    ],
  ])('an engine whose record %s is ended, and another one serves', async (_, damage, words) => {
    const [first = 0] = await enginePids(dataDir);
    await end('SIGKILL');
    const file = await recordFile();
    await damage(file, JSON.parse(await readFile(file, 'utf8')));
    await run();
    await runs();
    expect(program.output).toContain(words);
    const engines = await enginePids(dataDir);
    expect(engines).toHaveLength(1);
    expect(engines).not.toContain(first);
  });

  it('an engine that ended while no node ran is replaced, and the log has its last words', async () => {
    const [first = 0] = await enginePids(dataDir);
    await end('SIGKILL');
    const folder = dirname(await recordFile());
    await eventually('the keeper reads the output', () => existsSync(join(folder, 'last-output')), 10_000);
    process.kill(first, 'SIGABRT');
    await eventually('the engine has ended', () => existsSync(join(folder, 'ended')));
    await run();
    await runs();
    expect(program.output).toContain(`(process ${first}) is not taken over: it has ended; it wrote last:`);
    expect(program.output).toContain('SIGABRT: abort');
    tunnel.close();
    tunnel = await Tunnel.open(user.port, echo.port);
    await ping();
  });

  it('an engine ends by itself when no node returns, and at once when its keeper is killed', async () => {
    const [first = 0] = await enginePids(dataDir);
    process.kill(await parentOf(first), 'SIGKILL');
    await hasEnded(first);
    const second = await eventually('another engine runs', async () => {
      const [pid] = await enginePids(dataDir);
      return pid !== first && (await node.info()).running ? pid : undefined;
    });
    await end('SIGTERM');
    await run({ RAMPART_NODE_KEEP_SECONDS: '10' });
    const third = await eventually('an engine with the new setting runs', async () => {
      const pids = await enginePids(dataDir);
      return pids.length === 1 && pids[0] !== second ? pids[0] : undefined;
    });
    await end('SIGKILL');
    const left = performance.now();
    await hasEnded(third);
    expect(performance.now() - left).toBeGreaterThan(8000);
    await run();
    await runs();
  });
});

async function identityOf(pid: number): Promise<object> {
  return { pid, startTime: startTimeOf(pid), pidNamespace: ownPidNamespace() };
}

async function parentOf(pid: number): Promise<number> {
  return Number(/^PPid:\s*(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function isRunning(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) !== '';
}
