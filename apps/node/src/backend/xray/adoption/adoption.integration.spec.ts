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

let echo: Awaited<ReturnType<typeof startEcho>>;

/** The port of an inbound, and a client of its user. */
type Access = Awaited<ReturnType<typeof openAccess>>;

async function openAccess() {
  const inbound = await freePort();
  return { inbound, user: await startEngineClient(vlessOutbound(inbound, ID)) };
}

/** A node in a program of its own, its engine, and a user with a connection through it. */
class Installation {
  program!: NodeProgram;
  node!: NodeClient;
  tunnel!: Tunnel;
  /** Bytes that the user has sent and received through the engine. */
  moved = 0;

  private constructor(
    readonly dataDir: string,
    private readonly port: number,
    readonly inbound: number,
    readonly user: EngineClient,
  ) {}

  static async start({ inbound, user }: Access): Promise<Installation> {
    const dataDir = await mkdtemp(join(tmpdir(), 'rampart-adopt-'));
    // The engine's account must come to it.
    await chmod(dataDir, 0o711);
    const own = new Installation(dataDir, await freePort(), inbound, user);
    await own.run();
    await own.node.start({ config: own.config(), users: [ann] });
    await own.connect();
    return own;
  }

  async close(): Promise<void> {
    this.tunnel.close();
    await this.end('SIGINT').catch(() => undefined);
    await eventually('no engine is left', async (saw) => saw(await this.engines()).length === 0, 10_000);
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async run(settings: Record<string, string> = {}): Promise<void> {
    this.program = new NodeProgram({
      ...{ RAMPART_API_KEY: API_KEY, RAMPART_NODE_DATA_DIR: this.dataDir, RAMPART_NODE_HOST: '127.0.0.1' },
      ...{ RAMPART_NODE_PORT: String(this.port), RAMPART_NODE_KEEP_SECONDS: '60', ...settings },
    });
    this.node = await this.program.client();
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    await this.node.close();
    await this.program.exit(signal);
  }

  config(more: object = {}): string {
    return JSON.stringify({
      inbounds: [
        { tag: 'vless', listen: '127.0.0.1', port: this.inbound, protocol: 'vless', settings: { decryption: 'none' } },
      ],
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE, ...more }],
    });
  }

  /** Opens a new connection of the user. */
  async connect(): Promise<void> {
    this.tunnel = await Tunnel.open(this.user.port, echo.port);
    await this.ping();
  }

  async ping(): Promise<void> {
    await this.tunnel.echo(PING_BYTES);
    this.moved += PING_BYTES;
  }

  async counted(): Promise<bigint[]> {
    const { stats } = await this.node.stats({ type: StatType.UserStat, name: '1.ann' });
    return stats.map(({ value }) => value);
  }

  runs(): Promise<unknown> {
    return eventually('the engine runs', async (saw) => saw(await this.node.info()).running, 20_000);
  }

  engines(): Promise<number[]> {
    return enginePids(this.dataDir);
  }

  async recordFile(): Promise<string> {
    const [name = ''] = await readdir(join(this.dataDir, 'run'));
    return join(this.dataDir, 'run', name, 'record');
  }

  get sessionFile(): string {
    return join(this.dataDir, 'state', 'session');
  }
}

/** What holds after the engine has got another configuration or program. */
async function expectHandover(own: Installation): Promise<void> {
  await own.runs();
  await own.ping();
  expect(own.program.output).toMatch(/the previous engine \(process \d+\) keeps running for its connections/);
  const other = await Tunnel.open(own.user.port, echo.port);
  await other.echo(PING_BYTES);
  other.close();
  own.moved += PING_BYTES;
  expect(await own.counted()).toEqual([BigInt(own.moved), BigInt(own.moved)]);
  // The drained engine is adopted by the next node too.
  const engines = await own.engines();
  expect(engines).toHaveLength(2);
  const settings = own.program.settings;
  await own.end('SIGKILL');
  await own.run({ XRAY_EXECUTABLE_PATH: settings['XRAY_EXECUTABLE_PATH'] ?? enginePath() });
  await own.runs();
  await own.ping();
  expect(await own.engines()).toEqual(engines);
  expect(await own.counted()).toEqual([BigInt(own.moved), BigInt(own.moved)]);
  own.tunnel.close();
  const closed = performance.now();
  await eventually('only one engine runs', async (saw) => saw(await own.engines()).length === 1, 10_000);
  expect(performance.now() - closed).toBeLessThan(4000);
}

/** These wait for seconds, so they go on while the other tests run. */
const BESIDE = {
  ended: async (own: Installation): Promise<void> => {
    const [first = 0] = await own.engines();
    await own.end('SIGKILL');
    const folder = dirname(await own.recordFile());
    await eventually('the keeper reads the output', () => existsSync(join(folder, 'last-output')), 10_000);
    process.kill(first, 'SIGABRT');
    await eventually('the engine has ended', () => existsSync(join(folder, 'ended')));
    await own.run();
    await own.runs();
    expect(own.program.output).toContain(`(process ${first}) is not taken over: it has ended; it wrote last:`);
    expect(own.program.output).toContain('SIGABRT: abort');
    own.tunnel.close();
    await own.connect();
  },
  alone: async (own: Installation): Promise<void> => {
    const [first = 0] = await own.engines();
    process.kill(await parentOf(first), 'SIGKILL');
    await hasEnded(first);
    const second = await eventually('another engine runs', async () => {
      const [pid] = await own.engines();
      return pid !== first && (await own.node.info()).running ? pid : undefined;
    });
    await own.end('SIGTERM');
    await own.run({ RAMPART_NODE_KEEP_SECONDS: '10' });
    const third = await eventually('an engine with the new setting runs', async () => {
      const pids = await own.engines();
      return pids.length === 1 && pids[0] !== second ? pids[0] : undefined;
    });
    await own.end('SIGKILL');
    const left = performance.now();
    await hasEnded(third);
    expect(performance.now() - left).toBeGreaterThan(8000);
    await own.run();
    await own.runs();
  },
  configuration: async (own: Installation): Promise<void> => {
    const stored = await readFile(own.sessionFile);
    own.tunnel.close();
    await own.node.start({ config: own.config({ tag: 'other' }), users: [ann] });
    await eventually('only one engine runs', async (saw) => saw(await own.engines()).length === 1);
    await own.connect();
    await own.end('SIGKILL');
    await writeFile(own.sessionFile, stored);
    await own.run();
    await expectHandover(own);
  },
  program: async (own: Installation): Promise<void> => {
    await own.end('SIGKILL');
    const copy = join(own.dataDir, 'xray');
    await copyFile(enginePath(), copy);
    await chmod(copy, 0o755);
    await own.run({ XRAY_EXECUTABLE_PATH: copy });
    await expectHandover(own);
  },
};
const beside = new Map<keyof typeof BESIDE, Promise<void>>();

async function withInstallation(work: (own: Installation) => Promise<void>): Promise<void> {
  const access = await openAccess();
  const own = await Installation.start(access);
  try {
    await work(own);
  } finally {
    await own.close();
    await access.user.close();
  }
}

describe('an engine and a node that restarts', () => {
  let access: Access;
  let own: Installation;
  beforeAll(async () => {
    await buildNode();
    echo = await startEcho();
    access = await openAccess();
    for (const lane of [['alone'], ['ended', 'configuration', 'program']] as const) {
      let before = Promise.resolve();
      for (const name of lane) {
        const done = before.then(() => withInstallation(BESIDE[name]));
        // The test that waits for it reports how it ended.
        before = done.catch(() => undefined);
        beside.set(name, done);
      }
    }
  });
  beforeEach(async () => {
    own = await Installation.start(access);
  });
  afterEach(() => own.close());
  afterAll(() => access?.user.close());

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'a node that is ended by %s under traffic loses no byte and cuts no connection: the next one takes its engine over',
    async (signal) => {
      const engines = await own.engines();
      const traffic = new SteadyTraffic(own.user.port, echo.port);
      const goesOn = async (bytes: number) => {
        const before = traffic.received;
        await eventually('traffic goes on', (saw) => saw(traffic.received) > before + bytes, 20_000);
      };
      await goesOn(200_000);
      await own.end(signal);
      await goesOn(200_000);
      await own.run();
      await own.runs();
      await goesOn(200_000);
      await traffic.stop();
      await own.ping();
      expect(await own.engines()).toEqual(engines);
      // A broken connection would have lost its last ping.
      expect(traffic.received).toBe(traffic.sent);
      const bytes = BigInt(traffic.received + own.moved);
      expect(await own.counted()).toEqual([bytes, bytes]);
      expect((await own.node.collectTraffic({})).users).toEqual([{ email: '1.ann', uplink: bytes, downlink: bytes }]);
      expect(own.program.output).toContain(`the engine of the previous node (process ${engines[0]}) goes on`);
    },
  );

  it('an engine whose records of traffic were lost is counted from its adoption on, over the next crash of the node too', async () => {
    const engines = await own.engines();
    await own.end('SIGKILL');
    await rm(join(own.dataDir, 'state', 'traffic'));
    await own.run();
    await own.runs();
    expect(own.program.output).toContain('the traffic of the engine up to now is not counted: its records are lost');
    own.moved = 0;
    await own.ping();
    await own.end('SIGKILL');
    await own.ping();
    await own.run();
    await own.runs();
    await own.ping();
    expect(await own.engines()).toEqual(engines);
    expect(await own.counted()).toEqual([BigInt(own.moved), BigInt(own.moved)]);
    expect(own.program.output).not.toContain('records are lost');
  });

  it('an adopted engine gets the users that the node has stored, and a Stop ends it', async () => {
    const stored = await readFile(own.sessionFile);
    await own.node.syncUser([User.fromPartial({ ...ann, email: '2.bob', proxies: { vless: { id: OTHER_ID } } })]);
    const bob = await startEngineClient(vlessOutbound(own.inbound, OTHER_ID));
    const other = await Tunnel.open(bob.port, echo.port);
    await other.echo(1000);
    const engines = await own.engines();
    await own.end('SIGKILL');
    // As if the node had ended before it stored the change.
    await writeFile(own.sessionFile, stored);
    await own.run();
    await own.runs();
    expect(await own.engines()).toEqual(engines);
    await expect(Tunnel.open(bob.port, echo.port).then((tunnel) => tunnel.echo(1000))).rejects.toThrow();
    await own.ping();
    await bob.close();
    await own.node.stop();
    expect(await own.engines()).toEqual([]);
    await own.end('SIGKILL');
    await own.run();
    expect((await own.node.info()).running).toBe(false);
    expect(await own.engines()).toEqual([]);
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
    const [first = 0] = await own.engines();
    await own.end('SIGKILL');
    const file = await own.recordFile();
    await damage(file, JSON.parse(await readFile(file, 'utf8')));
    await own.run();
    await own.runs();
    expect(own.program.output).toContain(words);
    const engines = await own.engines();
    expect(engines).toHaveLength(1);
    expect(engines).not.toContain(first);
  });
});

describe('an engine without a node', () => {
  afterAll(() => echo?.close());

  it.each(['configuration', 'program'] as const)(
    'an engine with another %s is handed over, with its connections and counters',
    async (what) => {
      await beside.get(what);
    },
  );

  it('an engine that ended while no node ran is replaced, and the log has its last words', async () => {
    await beside.get('ended');
  });

  it('an engine ends by itself when no node returns, and at once when its keeper is killed', async () => {
    await beside.get('alone');
  });
});

async function identityOf(pid: number): Promise<object> {
  return { pid, startTime: startTimeOf(pid), pidNamespace: ownPidNamespace() };
}

async function parentOf(pid: number): Promise<number> {
  return Number(/^PPid:\s*(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

const hasEnded = (pid: number) =>
  eventually(`process ${pid} has ended`, async (saw) => !saw(await isRunning(pid)), 20_000);

async function isRunning(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) !== '';
}
