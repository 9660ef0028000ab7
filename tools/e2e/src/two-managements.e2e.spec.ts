import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  ALLOW_PRIVATE,
  Api,
  copyDatabase,
  type EngineClient,
  enginePath,
  eventually,
  freePort,
  type LocalWeb,
  ProgramProcess,
  REACH_LOOPBACK,
  scratchFolder,
  startEngineClientWith,
  startLocalWeb,
} from '@rampart/testing';

jest.setTimeout(180_000);

const ROOT = { username: 'root', password: 'a password for two of them' };
const API_KEY = 'an-api-key-for-two-managements';
const PAGE = randomBytes(20_000).toString('hex');
const DATABASE = join(
  dirname(fileURLToPath(import.meta.url)),
  '../../../apps/management/dist/database/embedded/embedded-postgres.js',
);
/** Time within which another replica takes over the nodes of a killed one. */
const TAKE_OVER_MS = 10_000;

interface Postgres {
  url: string;
  stop(): Promise<void>;
}
interface User {
  username: string;
  subscription_url: string;
}

/** A management process with its own data folder. */
interface Replica {
  program: ProgramProcess;
  folder: string;
  api: Api;
}

const root = mkdtempSync(join(scratchFolder(), 'rampart-two-'));
const clients: EngineClient[] = [];
let postgres: Postgres;
let web: LocalWeb;
let node: ProgramProcess;
let first: Replica;
let second: Replica;
let group: { id: number };

async function launch(name: string, folder = join(root, name)): Promise<Replica> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const program = new ProgramProcess('management', {
    RAMPART_HOST: '127.0.0.1',
    RAMPART_PORT: new URL(url).port,
    RAMPART_DATA_DIR: folder,
    RAMPART_PUBLIC_URL: url,
    RAMPART_ADMIN_USERNAME: ROOT.username,
    RAMPART_ADMIN_PASSWORD: ROOT.password,
    DATABASE_URL: postgres.url,
  });
  return { program, folder, api: new Api(url) };
}

async function start(name: string): Promise<Replica> {
  const replica = await launch(name);
  await replica.program.printed(`Ready on ${replica.api.url}`);
  return { ...replica, api: await replica.api.login(ROOT.username, ROOT.password) };
}

/** Waits until a new node has created its certificate, and returns it. */
const certificateOf = (folder: string) =>
  eventually(
    'the node has its certificate',
    () => {
      try {
        return readFileSync(join(folder, 'tls/certificate.pem'), 'utf8');
      } catch {
        return undefined; // The file does not exist yet.
      }
    },
    30_000,
  );

const nodeIs = async (api: Api, id: number, status: string) =>
  (await api.get<{ status: string }>(`/api/node/${id}`)).status === status;

const userBy = ({ api }: Replica, username: string): Promise<User> =>
  api.create('/api/user', { username, group_ids: [group.id] });

/** Starts a client from a subscription that it fetches from the given replica. */
async function clientOf({ subscription_url }: User, { api }: Replica): Promise<EngineClient> {
  const answer = await fetch(`${api.url}${new URL(subscription_url).pathname}/xray`);
  expect(answer.status).toBe(200);
  const [config] = (await answer.json()) as Record<string, unknown>[];
  const client = await startEngineClientWith(config ?? {});
  clients.push(client);
  return client;
}

const arrives = (client: EngineClient): Promise<boolean> =>
  client.fetch(web.url, 1_000).then(
    (body) => body === PAGE,
    () => false,
  );

beforeAll(async () => {
  const { EmbeddedPostgres }: { EmbeddedPostgres: { start(options: object): Promise<Postgres> } } = await import(
    DATABASE
  );
  copyDatabase(root);
  postgres = await EmbeddedPostgres.start({ dataDir: join(root, 'postgres'), log: () => undefined });
  web = await startLocalWeb(PAGE);
  const [nodePort, port] = [await freePort(), await freePort()];
  node = new ProgramProcess('node', {
    RAMPART_API_KEY: API_KEY,
    RAMPART_NODE_HOST: '127.0.0.1',
    RAMPART_NODE_PORT: String(nodePort),
    RAMPART_NODE_DATA_DIR: join(root, 'node'),
    XRAY_EXECUTABLE_PATH: enginePath(),
  });
  first = await start('first');
  const { api } = first;
  const inbound = { tag: 'two', protocol: 'vless', port, listen: '127.0.0.1', settings: { decryption: 'none' } };
  const core = await api.create<{ id: number }>('/api/core', {
    name: 'two',
    config: { inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }] },
    ...REACH_LOOPBACK,
  });
  group = await api.create('/api/group', { name: 'two', inbound_tags: ['two'] });
  await api.create('/api/host', { remark: 'two', inbound_tag: 'two', priority: 1, address: ['127.0.0.1'] });
  const { id } = await api.create<{ id: number }>('/api/node', {
    name: 'two',
    address: '127.0.0.1',
    port: nodePort,
    connection_type: 'grpc',
    server_ca: await certificateOf(join(root, 'node')),
    keep_alive: 60,
    core_config_id: core.id,
    api_key: API_KEY,
  });
  await eventually('the node is connected', () => nodeIs(api, id, 'connected'), 30_000);
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all([first?.program.stop(), second?.program.stop(), node?.stop()]);
  await web?.close();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
});

describe('two managements on one database', () => {
  it('a second management with other keys does not start, and says which settings to share', async () => {
    const { program, folder } = await launch('other keys');
    const { code, output } = await program.ended();
    expect(code).toBe(1);
    expect(output).toContain(
      `The database is used with keys that this program does not have: ${join(folder, 'keys.json')} is missing, or lacks ` +
        'jwt, subscription, atRest. Restore it from a backup, copy it from another replica, or give the keys in ' +
        'RAMPART_JWT_KEY, RAMPART_SUBSCRIPTION_KEY, RAMPART_AT_REST_KEY.',
    );
  });

  it('two managements with the same keys accept the tokens and subscription links of each other', async () => {
    cpSync(join(first.folder, 'keys.json'), join(root, 'second/keys.json'));
    second = await start('second');
    const [ofFirst, ofSecond] = [await userBy(first, 'made-by-first'), await userBy(second, 'made-by-second')];
    for (const crossed of [first.api.at(second.api.url), second.api.at(first.api.url)])
      expect((await crossed.get<{ username: string }>('/api/admin')).username).toBe(ROOT.username);
    for (const [user, replica] of [
      [ofFirst, second],
      [ofSecond, first],
    ] as const) {
      const client = await clientOf(user, replica);
      await eventually(`${user.username} gets through`, () => arrives(client));
    }
  });

  it('a management takes over the nodes of a killed one within 10 seconds, with the node key that the other one sealed', async () => {
    const before = await userBy(second, 'before-the-kill');
    const known = await clientOf(before, second);
    await eventually('who was there before gets through', () => arrives(known));
    const killed = performance.now();
    await first.program.kill();
    const client = await clientOf(await userBy(second, 'after-the-kill'), second);
    await eventually('a user who was made after the kill gets through', () => arrives(client), TAKE_OVER_MS);
    expect(performance.now() - killed).toBeLessThan(TAKE_OVER_MS);
    expect(await arrives(known)).toBe(true);
  });
});
