import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  ALLOW_PRIVATE,
  Api,
  type EngineClient,
  enginePath,
  eventually,
  freePort,
  type LocalWeb,
  ProgramProcess,
  programFile,
  scratchFolder,
  startEngineClientWith,
  startLocalWeb,
} from '@rampart/testing';

jest.setTimeout(240_000);

const ROOT = { username: 'root', password: 'a password that is backed up' };
const API_KEY = 'an-api-key-that-is-backed-up';
const PAGE = randomBytes(100_000).toString('hex');
const RAMPART = programFile('management', 'rampart');

const root = mkdtempSync(join(scratchFolder(), 'rampart-backup-e2e-'));
const backup = join(root, 'backup.age');
const passphrase = join(root, 'passphrase');
const clients: EngineClient[] = [];
let url: string;
let web: LocalWeb;
let node: ProgramProcess;
let management: ProgramProcess;
let api: Api;

interface User {
  id: number;
  username: string;
  subscription_url: string;
  used_traffic: number;
}

const settings = (folder: string) => ({
  RAMPART_HOST: '127.0.0.1',
  RAMPART_PORT: new URL(url).port,
  RAMPART_DATA_DIR: join(root, folder),
  RAMPART_PUBLIC_URL: url,
});

async function start(folder: string, more: Record<string, string> = {}): Promise<void> {
  management = new ProgramProcess('management', { ...settings(folder), ...more });
  await management.printed(`Ready on ${url}`);
  api = await new Api(url).login(ROOT.username, ROOT.password);
}

/** Runs a command beside or without the service of that data folder. */
const rampart = (folder: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [RAMPART, ...args], { env: { ...process.env, ...settings(folder) } });

const nodeIsConnected = async (): Promise<boolean> =>
  (await api.get<{ status: string }>('/api/node/1')).status === 'connected';

const userBy = (username: string): Promise<User> => api.create('/api/user', { username, group_ids: [1] });
const used = async (username: string) => (await api.get<User>(`/api/user/${username}`)).used_traffic;

const subscriptionOf = async ({ subscription_url }: User): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`${url}${new URL(subscription_url).pathname}/xray`);
  return { status: answer.status, text: await answer.text() };
};

async function clientOf(user: User): Promise<EngineClient> {
  const [config] = JSON.parse((await subscriptionOf(user)).text);
  const client = await startEngineClientWith(config);
  clients.push(client);
  return client;
}

async function fetchPages(client: EngineClient, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) expect(await client.fetch(web.url)).toBe(PAGE);
}

beforeAll(async () => {
  writeFileSync(passphrase, 'correct horse battery staple\n');
  url = `http://127.0.0.1:${await freePort()}`;
  web = await startLocalWeb(PAGE);
  const [nodePort, port] = [await freePort(), await freePort()];
  node = new ProgramProcess('node', {
    RAMPART_API_KEY: API_KEY,
    RAMPART_NODE_HOST: '127.0.0.1',
    RAMPART_NODE_PORT: String(nodePort),
    RAMPART_NODE_DATA_DIR: join(root, 'node'),
    XRAY_EXECUTABLE_PATH: enginePath(),
  });
  await start('first', { RAMPART_ADMIN_USERNAME: ROOT.username, RAMPART_ADMIN_PASSWORD: ROOT.password });
  const certificate = await eventually(
    'the node has its certificate',
    () => {
      try {
        return readFileSync(join(root, 'node/tls/certificate.pem'), 'utf8');
      } catch {
        return undefined; // The file does not exist yet.
      }
    },
    30_000,
  );
  const inbound = { tag: 'kept', protocol: 'vless', port, listen: '127.0.0.1', settings: { decryption: 'none' } };
  const core = await api.create<{ id: number }>('/api/core', {
    name: 'kept',
    config: { inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }] },
  });
  await api.create('/api/group', { name: 'kept', inbound_tags: ['kept'] });
  await api.create('/api/host', { remark: 'kept', inbound_tag: 'kept', priority: 1, address: ['127.0.0.1'] });
  await api.create('/api/node', {
    name: 'kept',
    address: '127.0.0.1',
    port: nodePort,
    connection_type: 'grpc',
    server_ca: certificate,
    keep_alive: 0,
    core_config_id: core.id,
    api_key: API_KEY,
  });
  await eventually('the node is connected', nodeIsConnected, 30_000);
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all([management?.stop(), node?.stop()]);
  await web?.close();
  rmSync(root, { recursive: true, force: true });
});

describe('rampart backup and restore', () => {
  it('an installation that was lost comes back with its links, logins and nodes, and no traffic is counted twice', async () => {
    const anna = await userBy('anna');
    const subscription = await subscriptionOf(anna);
    const client = await clientOf(anna);
    await eventually('anna gets through', () => client.fetch(web.url, 1_000).then(Boolean, () => false));
    await fetchPages(client, 10);
    await eventually('her traffic is counted', async () => (await used('anna')) >= 10 * PAGE.length, 30_000);

    const { stdout } = await rampart('first', 'backup', backup, '--passphrase-file', passphrase);
    expect(stdout).toMatch(/^Backed up 1 users, \d+ rows of \d+ tables, into .*backup\.age \(\d+ KB\)\n$/);
    const atBackup = await used('anna');

    // What happens later is lost, but the node and the clients remember it.
    const bob = await userBy('bob');
    const ofBob = await clientOf(bob);
    await eventually('bob gets through', () => ofBob.fetch(web.url, 1_000).then(Boolean, () => false));
    await fetchPages(client, 1);
    await eventually(
      'the later traffic is counted',
      async () => (await used('anna')) >= atBackup + PAGE.length,
      30_000,
    );
    await management.kill();
    rmSync(join(root, 'first'), { recursive: true });
    await fetchPages(client, 1);

    const restored = await rampart('second', 'restore', backup, '--passphrase-file', passphrase);
    expect(restored.stdout).toMatch(
      /^Restored the backup:\nmade +\d{4}-.*\nby version +\d.*\nusers +1\nStart the service now/,
    );
    expect(restored.stderr).toContain(`The keys (jwt, subscription, atRest) are in ${join(root, 'second/keys.json')}`);
    const token = api;
    await start('second');
    expect((await token.get<{ username: string }>('/api/admin')).username).toBe(ROOT.username);
    expect(await subscriptionOf(anna)).toEqual(subscription);
    expect((await subscriptionOf(bob)).status).toBe(404);
    await eventually('the node is connected', nodeIsConnected, 30_000);
    await fetchPages(client, 1);
    const counted = await eventually(
      'what nobody has collected is counted',
      async () => {
        const now = await used('anna');
        return now >= atBackup + 2 * PAGE.length && now;
      },
      30_000,
    );
    // Not the ten pages of before again: at most what she has fetched since, and what the protocols add to it.
    expect(counted).toBeLessThan(atBackup + 5 * PAGE.length);
    await eventually(
      'bob is refused',
      () =>
        ofBob.fetch(web.url, 1_000).then(
          () => false,
          () => true,
        ),
      30_000,
    );

    // Nobody gets the id of a user who is lost.
    const carol = await userBy('carol');
    expect(carol.id).toBeGreaterThan(1_000_000);
    const third = await clientOf(carol);
    await eventually('carol gets through', () => third.fetch(web.url, 1_000).then(Boolean, () => false));
    expect((await subscriptionOf(bob)).status).toBe(404);
  });

  it('a restore beside the running service is refused, and so is one into an installation with users', async () => {
    const restore = () => rampart('second', 'restore', backup, '--passphrase-file', passphrase);
    await expect(restore()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is in use by another Rampart management \(process \d+\)\. Stop that one first/),
    });
    await management.stop();
    await expect(restore()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The installation is not empty ('),
    });
  });
});
