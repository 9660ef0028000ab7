import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Api, BreakableDisk, enginePath, eventually, freePort, ProgramProcess } from '@rampart/testing';
import { doctor, rampart } from './testing/rampart-command.js';

jest.setTimeout(180_000);

const ROOT = { username: 'root', password: 'a password for the doctor' };
const API_KEY = 'an-api-key-for-the-doctor';
const DATABASE = join(
  dirname(fileURLToPath(import.meta.url)),
  '../../../apps/management/dist/database/embedded/embedded-postgres.js',
);
const UNTIL = /^ends on \d{4}-\d\d-\d\d, in \d+ days$/;

interface Postgres {
  url: string;
  stop(): Promise<void>;
}

const root = mkdtempSync(join(tmpdir(), 'rampart-doctor-'));
const nodeFolder = join(root, 'node');
let postgres: Postgres;
let management: ProgramProcess;
let node: ProgramProcess;
let api: Api;
let id: number;
let nodePort: number;
let env: Record<string, string>;

/** The settings of the node, for the node itself and for its doctor. */
const nodeEnv = () => ({
  RAMPART_API_KEY: API_KEY,
  RAMPART_NODE_HOST: '127.0.0.1',
  RAMPART_NODE_PORT: String(nodePort),
  RAMPART_NODE_DATA_DIR: nodeFolder,
  XRAY_EXECUTABLE_PATH: enginePath(),
});

/** Starts the node and waits until management works with it, or finds that it cannot. */
async function startNode(settings: Record<string, string> = {}, status = 'connected'): Promise<void> {
  node = new ProgramProcess('node', { ...nodeEnv(), ...settings });
  await node.printed('Ready for REST and gRPC');
  if (id !== undefined) await nodeIs(status);
}

const nodeIs = (status: string): Promise<true> =>
  eventually(
    `the node is ${status}`,
    async (saw) => saw(await api.get<{ status: string }>(`/api/node/${id}`)).status === status || undefined,
    30_000,
  );

/** Has no free byte. */
const disk = new BreakableDisk();
const fullFolder = disk.directory;

const certificate = () => readFileSync(join(nodeFolder, 'tls/certificate.pem'), 'utf8');

beforeAll(async () => {
  await disk.ready();
  disk.leave(0);
  const { EmbeddedPostgres }: { EmbeddedPostgres: { start(options: object): Promise<Postgres> } } = await import(
    DATABASE
  );
  // No copy: those do not wait for the disk, which doctor warns of.
  postgres = await EmbeddedPostgres.start({ dataDir: join(root, 'postgres'), log: () => undefined });
  nodePort = await freePort();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  env = {
    RAMPART_PORT: `${port}`,
    RAMPART_DATA_DIR: join(root, 'management'),
    RAMPART_PUBLIC_URL: url,
    RAMPART_ADMIN_USERNAME: ROOT.username,
    RAMPART_ADMIN_PASSWORD: ROOT.password,
    DATABASE_URL: postgres.url,
  };
  management = new ProgramProcess('management', env);
  await startNode();
  await management.printed(`Ready on ${url}`);
  api = await new Api(url).login(ROOT.username, ROOT.password);
  const inbound = {
    tag: 'in',
    protocol: 'vless',
    port: await freePort(),
    listen: '127.0.0.1',
    settings: { decryption: 'none' },
  };
  const core = await api.create<{ id: number }>('/api/core', {
    name: 'here',
    config: { inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom' }] },
  });
  ({ id } = await api.create<{ id: number }>('/api/node', {
    name: 'near',
    address: '127.0.0.1',
    port: nodePort,
    connection_type: 'grpc',
    server_ca: certificate(),
    keep_alive: 60,
    core_config_id: core.id,
    api_key: API_KEY,
  }));
  await nodeIs('connected');
});

afterAll(async () => {
  await Promise.all([management?.stop(), node?.stop()]);
  await postgres?.stop();
  disk.close();
  rmSync(root, { recursive: true, force: true });
});

describe('rampart doctor of a node', () => {
  it('finds nothing wrong with a node that runs', async () => {
    const { code, checks } = await doctor('node', nodeEnv());
    expect(checks.map(({ name, state, seen }) => [name, state, seen])).toEqual([
      ['settings', 'ok', '6 are given, the others have their defaults'],
      ['data folder', 'ok', expect.stringMatching(/^\/.*\/node has \d+\.\d of \d+\.\d GiB free$/)],
      ['engine', 'ok', expect.stringMatching(/^\d+\.\d+\.\d+ in \/.*xray, SHA-256 [0-9a-f]{64}$/)],
      ['rights', expect.stringMatching(/^(ok|warning)$/), expect.any(String)],
      ['certificate', 'ok', expect.stringMatching(UNTIL)],
      ['clock', expect.stringMatching(/^(ok|warning)$/), expect.stringMatching(/^\d{4}-\d\d-\d\dT/)],
      ['port', 'ok', `the node answers on port ${nodePort}`],
      ['running engine', 'ok', expect.stringMatching(/^\d+\.\d+\.\d+ serves 0 users$/)],
    ]);
    expect(code).toBe(0);
  });

  it('finds a missing engine, an engine with another sum, and a wrong key', async () => {
    const missing = await doctor('node', { ...nodeEnv(), XRAY_EXECUTABLE_PATH: '/nowhere/xray' });
    expect([missing.code, missing.row('engine')]).toEqual([
      1,
      {
        name: 'engine',
        state: 'wrong',
        seen: expect.stringContaining('XRAY_EXECUTABLE_PATH is /nowhere/xray, which does not run as Xray'),
        advice: 'Install the engine, or name it in XRAY_EXECUTABLE_PATH.',
      },
    ]);
    const copy = join(root, 'xray');
    cpSync(enginePath(), copy);
    writeFileSync(`${copy}.sha256`, `${'0'.repeat(64)}  xray\n`);
    chmodSync(root, 0o755);
    const other = await doctor('node', { ...nodeEnv(), XRAY_EXECUTABLE_PATH: copy });
    expect(other.row('engine')).toMatchObject({
      state: 'wrong',
      seen: expect.stringContaining(`, but ${copy}.sha256 says ${'0'.repeat(64)}`),
    });
    const key = await doctor('node', { ...nodeEnv(), RAMPART_API_KEY: 'another-api-key-than-the-node' });
    expect([key.code, key.row('port')]).toMatchObject([
      1,
      { state: 'wrong', advice: 'Start it again, if RAMPART_API_KEY was changed since.' },
    ]);
  });

  it('finds a wrong setting, a full disk and a node that does not run', async () => {
    expect((await doctor('node', { ...nodeEnv(), RAMPART_NODE_PORT: 'x' })).checks).toEqual([
      {
        name: 'settings',
        state: 'wrong',
        seen: 'RAMPART_NODE_PORT must be an integer from 0 to 65535',
        advice: 'Correct it; "rampart settings" shows all of them.',
      },
    ]);
    const port = await freePort();
    const settings = { ...nodeEnv(), RAMPART_NODE_DATA_DIR: fullFolder, RAMPART_NODE_PORT: `${port}` };
    const { code, row } = await doctor('node', settings, disk.wrapper);
    expect([code, row('data folder'), row('node'), row('port'), row('certificate')]).toMatchObject([
      1,
      { state: 'wrong', seen: `${fullFolder} cannot be written: ENOSPC: no space left on device, write` },
      { state: 'wrong', seen: 'does not run' },
      { state: 'ok', seen: `port ${port} on 127.0.0.1 is free` },
      { state: 'ok', seen: 'is not made yet: the first start makes it' },
    ]);
  });
});

describe('rampart doctor of management', () => {
  it('finds nothing wrong with a management and a node that work', async () => {
    const { code, checks } = await doctor('management', env);
    expect(checks.map(({ name, state, seen }) => [name, state, seen])).toEqual([
      ['settings', 'ok', '7 are given, the others have their defaults'],
      ['service', 'ok', expect.stringMatching(/^management \d+\.\d+\.\d+ runs$/)],
      ['database', 'ok', expect.stringMatching(/^PostgreSQL 18\.\d+ answers in \d+\.\d ms; the database has \d+ kB$/)],
      ['database settings', 'ok', expect.stringMatching(/^UTF8, fsync on, \d+ more connections are possible$/)],
      ['clock of the database', 'ok', expect.stringMatching(/^is right within \d\.\d s$/)],
      ['disk', 'ok', expect.stringMatching(/^\/.*\/management has \d+\.\d of \d+\.\d GiB free$/)],
      ['keys', 'ok', 'are those that the database is used with'],
      ['port', 'ok', `http://127.0.0.1:${env['RAMPART_PORT']} answers`],
      ['public URL', 'warning', `http://127.0.0.1:${env['RAMPART_PORT']} can be reached from this machine alone`],
      ['core Default Core Config', 'ok', 'can be sent to nodes'],
      ['core here', 'ok', 'can be sent to nodes'],
      ['credentials', 'ok', 'no two users have the same one'],
      ['node near', 'ok', 'is connected and serves 0 users'],
      ['node near: engine', 'ok', expect.stringMatching(/^\d+\.\d+\.\d+ runs$/)],
      ['node near: clock', 'ok', expect.stringMatching(/^is right within \d\.\d s$/)],
      ['node near: certificate', 'ok', expect.stringMatching(UNTIL)],
    ]);
    expect(code).toBe(0);
  });

  it('prints a table with what to do below each row, and a sum', async () => {
    const { code, stdout, stderr } = await rampart('management', ['doctor'], env);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('ok       settings                  7 are given, the others have their defaults');
    const at = lines.findIndex((line) => line.startsWith('warning  public URL '));
    expect(lines[at + 1]).toBe(`${' '.repeat(35)}-> Set RAMPART_PUBLIC_URL to the address that clients use.`);
    expect(lines.at(-2)).toBe('15 ok, 1 to watch, 0 wrong');
  });

  it('finds a wrong API key of a node', async () => {
    await api.modify(`/api/node/${id}`, { api_key: 'another-api-key-than-the-node' });
    const { code, row } = await doctor('management', env);
    expect([code, row('node near')]).toEqual([
      1,
      {
        name: 'node near',
        state: 'wrong',
        seen: expect.stringContaining('key'),
        advice:
          'Give management the key that the node has as RAMPART_API_KEY: change api_key of the node here, or the setting there.',
      },
    ]);
    await api.modify(`/api/node/${id}`, { api_key: API_KEY });
    await nodeIs('connected');
  });

  it('finds another certificate than management knows', async () => {
    await node.stop();
    rmSync(join(nodeFolder, 'tls'), { recursive: true });
    await startNode({}, 'error');
    const { code, row } = await doctor('management', env);
    expect([code, row('node near')]).toEqual([
      1,
      {
        name: 'node near',
        state: 'wrong',
        seen: expect.stringContaining('certificate'),
        advice:
          'If the node got a new certificate, change server_ca of the node here. If it did not, somebody else answers at its address.',
      },
    ]);
    await api.modify(`/api/node/${id}`, { server_ca: certificate() });
    await nodeIs('connected');
  });

  it('finds a clock that is ten minutes off', async () => {
    await node.stop();
    const shift = join(root, 'ten-minutes-ahead.mjs');
    writeFileSync(shift, 'const now = Date.now; Date.now = () => now() + 600_000;');
    await startNode({ NODE_OPTIONS: `--import=${shift}` });
    const { code, row } = await doctor('management', env);
    expect([code, row('node near: clock')]).toEqual([
      1,
      {
        name: 'node near: clock',
        state: 'wrong',
        seen: 'is 600 s ahead of this machine',
        advice: expect.stringMatching(/^Synchronize the clocks of both machines/),
      },
    ]);
    await node.stop();
    await startNode();
  });

  it('finds a closed port of a node', async () => {
    await node.stop();
    await nodeIs('error');
    const { code, row } = await doctor('management', env);
    expect([code, row('node near')]).toEqual([
      1,
      {
        name: 'node near',
        state: 'wrong',
        seen: expect.stringContaining('127.0.0.1'),
        advice: `Start the node, and let management through to its port ${nodePort}: firewalls of both machines, address and port of the node here.`,
      },
    ]);
    await startNode();
  });

  it('finds a node without an engine', async () => {
    await node.stop();
    rmSync(join(nodeFolder, 'state'), { recursive: true });
    await startNode({ XRAY_EXECUTABLE_PATH: '/nowhere/xray' }, 'error');
    await api.run(`/api/node/${id}/reconnect`, {});
    await eventually(
      'management has heard why the engine does not run',
      async () => (await api.get<{ message: string | null }>(`/api/node/${id}`)).message?.includes('/nowhere/xray'),
      30_000,
    );
    const { code, row } = await doctor('management', env);
    expect([code, row('node near: engine')]).toMatchObject([1, { state: 'wrong', seen: 'does not run' }]);
    expect(row('node near')).toMatchObject({
      ...{ state: 'wrong', seen: expect.stringMatching(/^does not run its core: .*\/nowhere\/xray/) },
      advice: expect.stringMatching(/^Do what this says on the node or in its core, /),
    });
    await node.stop();
    await startNode();
  });

  it('finds a replica with other keys, which does not start', async () => {
    const folder = join(root, 'replica');
    mkdirSync(folder);
    const port = await freePort();
    const other = { ...env, RAMPART_DATA_DIR: folder, RAMPART_PORT: `${port}` };
    const lost = await doctor('management', other);
    expect([lost.code, lost.row('keys')]).toEqual([
      1,
      {
        name: 'keys',
        state: 'wrong',
        seen: `The database is used with keys that this program does not have: ${folder}/keys.json is missing, or lacks jwt, subscription, atRest`,
        advice: expect.stringMatching(/^Restore it from a backup, copy it from another replica, or give the keys in /),
      },
    ]);
    const names = ['jwt', 'subscription', 'atRest'];
    const keys = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('base64')]));
    writeFileSync(join(folder, 'keys.json'), JSON.stringify(keys), { mode: 0o600 });
    const { code, checks } = await doctor('management', other);
    const wrong = checks.filter(({ state }) => state === 'wrong');
    expect(code).toBe(1);
    expect(wrong.map(({ name }) => name)).toEqual(['service', 'keys', 'keys', 'keys']);
    expect(wrong[1]).toMatchObject({
      seen: expect.stringMatching(
        /keys\.json has another jwt key \(id \w{8}\) than the database is used with \(id \w{8}\)$/,
      ),
      advice: expect.stringMatching(
        /^Share one: give every replica the same RAMPART_JWT_KEY, or copies of one keys\.json\./,
      ),
    });
    expect(checks.find(({ name }) => name === 'port')).toMatchObject({
      state: 'ok',
      seen: `port ${port} on 127.0.0.1 is free`,
    });
  });

  it('finds a taken port and a full disk while the service does not run', async () => {
    const settings = { ...env, RAMPART_DATA_DIR: fullFolder, RAMPART_PORT: `${nodePort}` };
    const { code, row } = await doctor('management', settings, disk.wrapper);
    expect([code, row('disk'), row('port')]).toEqual([
      1,
      {
        name: 'disk',
        state: 'wrong',
        seen: `${fullFolder} cannot be written: ENOSPC: no space left on device, write`,
        advice: 'Delete what is not needed, or move the folder to a larger disk.',
      },
      {
        name: 'port',
        state: 'wrong',
        seen: `Port ${nodePort} on 127.0.0.1 is taken by another program`,
        advice: 'Set RAMPART_PORT to a free one.',
      },
    ]);
  });

  it('names settings that are wrong, and checks nothing that depends on them', async () => {
    const { code, checks } = await doctor('management', { RAMPART_PORT: 'x', RAMPART_DATA_DIR: join(root, 'none') });
    expect([code, checks.map(({ name, state }) => [name, state])]).toEqual([
      1,
      [
        ['settings', 'wrong'],
        ['service', 'wrong'],
      ],
    ]);
    expect(checks[0]?.seen).toBe('RAMPART_PORT must be an integer from 0 to 65535');
  });

  // The last one: the database does not come back.
  it('finds a database that is gone, through the service and without it', async () => {
    await postgres.stop();
    const gone = {
      name: 'database',
      state: 'wrong',
      seen: expect.stringMatching(/^DATABASE_URL: no PostgreSQL server answers at \/.*$/),
      advice: 'Start the PostgreSQL server, or correct DATABASE_URL.',
    };
    const beside = await doctor('management', env);
    expect([beside.code, beside.row('service')?.state, beside.row('database')]).toEqual([1, 'ok', gone]);
    await management.stop();
    const alone = await doctor('management', env);
    expect([alone.code, alone.row('service')?.state, alone.row('database')]).toEqual([1, 'wrong', gone]);
  });
});
