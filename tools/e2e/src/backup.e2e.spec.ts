import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  moveBack,
  ProgramProcess,
  programFile,
  REACH_LOOPBACK,
  scratchFolder,
  startEngineClientWith,
  startLocalWeb,
} from '@rampart/testing';

jest.setTimeout(240_000);

const ROOT = { username: 'root', password: 'a password that is backed up' };
const API_KEY = 'an-api-key-that-is-backed-up';
const PAGE = randomBytes(100_000).toString('hex');
const RAMPART = programFile('management', 'rampart');
const DIST = join(dirname(fileURLToPath(import.meta.url)), '../../../apps/management/dist');

const root = mkdtempSync(join(scratchFolder(), 'rampart-backup-e2e-'));
const backup = join(root, 'backup.age');
const twoDaysOld = join(root, 'two-days-old.age');
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

/** Of the installation that is backed up. */
let fingerprint = '';
const fingerprintIn = (text: string): string => /Signed by ([\da-f-]+)/.exec(text)?.[1] ?? '';

const restoreInto = (folder: string, file: string) =>
  rampart(folder, 'restore', file, '--passphrase-file', passphrase, '--accept-fingerprint', fingerprint);

/** Makes the data of a management that does not run two days older. */
async function moveTwoDaysBack(folder: string): Promise<void> {
  const { EmbeddedPostgres } = await import(join(DIST, 'database/embedded/embedded-postgres.js'));
  const { createDataSource } = await import(join(DIST, 'app/data-source.js'));
  const server = await EmbeddedPostgres.start({ dataDir: join(root, folder, 'postgres'), log: () => undefined });
  const database = await createDataSource(server.superuserUrl).initialize();
  await moveBack(database, 2);
  await database.destroy();
  await server.stop();
}

const nodeIsConnected = async (): Promise<boolean> =>
  (await api.get<{ status: string }>('/api/node/1')).status === 'connected';

const userBy = (username: string): Promise<User> => api.create('/api/user', { username, group_ids: [1] });
const used = async (username: string) => (await api.get<User>(`/api/user/${username}`)).used_traffic;

/** Waits until at least so much is counted; returns how much it is. */
const countsAtLeast = (username: string, bytes: number): Promise<number> =>
  eventually(
    `${bytes} bytes of ${username} are counted`,
    async () => {
      const now = await used(username);
      return now >= bytes && now;
    },
    30_000,
  );

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
    ...REACH_LOOPBACK,
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
    await countsAtLeast('anna', 10 * PAGE.length);

    const { stdout } = await rampart('first', 'backup', backup, '--passphrase-file', passphrase);
    expect(stdout).toMatch(
      /^Backed up 1 users, \d+ rows of \d+ tables, into .*backup\.age \(\d+ KB\)\nSigned by [\da-f-]{39}: keep this fingerprint, a restore on another machine asks for it\n$/,
    );
    fingerprint = fingerprintIn(stdout);
    const atBackup = await used('anna');

    // What happens later is lost, but the node and the clients remember it.
    const bob = await userBy('bob');
    const ofBob = await clientOf(bob);
    await eventually('bob gets through', () => ofBob.fetch(web.url, 1_000).then(Boolean, () => false));
    await fetchPages(client, 1);
    await countsAtLeast('anna', atBackup + PAGE.length);
    await management.kill();
    rmSync(join(root, 'first'), { recursive: true });
    await fetchPages(client, 1);

    const unknown = rampart('second', 'restore', backup, '--passphrase-file', passphrase);
    await expect(unknown).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`restore it with --accept-fingerprint ${fingerprint}`),
    });
    const restored = await restoreInto('second', backup);
    expect(restored.stdout).toMatch(
      /^Restored the backup:\nmade +\d{4}-.*\nby version +\d.*\nsigned by +[\da-f-]{39}\nusers +1\nStart the service now/,
    );
    expect(restored.stderr).toContain(`The keys (jwt, subscription, atRest) are in ${join(root, 'second/keys.json')}`);
    const token = api;
    await start('second');
    expect((await token.get<{ username: string }>('/api/admin')).username).toBe(ROOT.username);
    expect(await subscriptionOf(anna)).toEqual(subscription);
    expect((await subscriptionOf(bob)).status).toBe(404);
    await eventually('the node is connected', nodeIsConnected, 30_000);
    await fetchPages(client, 1);
    // What nobody has collected is counted, and not the ten pages of before again: at most what she has fetched since, and what the
    // protocols add to it.
    expect(await countsAtLeast('anna', atBackup + 2 * PAGE.length)).toBeLessThan(atBackup + 5 * PAGE.length);
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
    const restore = () => restoreInto('second', backup);
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

  it('a backup that is two days old is restored while its node runs on: links, logins and the node work, and no traffic is counted twice', async () => {
    await start('second');
    const token = (await rampart('second', 'admin', 'token', ROOT.username, '--name', 'kept')).stdout.trim();
    const anna = await api.get<User>('/api/user/anna');
    const subscription = await subscriptionOf(anna);
    const client = await clientOf(anna);
    await fetchPages(client, 10);
    await countsAtLeast('anna', anna.used_traffic + 10 * PAGE.length);
    await management.stop();
    await moveTwoDaysBack('second');
    const { stdout } = await rampart('second', 'backup', twoDaysOld, '--passphrase-file', passphrase);
    expect(fingerprintIn(stdout)).toBe(fingerprint);

    // The node is read in two rounds of which the backup knows nothing, and serves on when management is lost.
    await start('second');
    const atBackup = await used('anna');
    await fetchPages(client, 10);
    const later = await countsAtLeast('anna', atBackup + 10 * PAGE.length);
    await fetchPages(client, 1);
    await countsAtLeast('anna', later + PAGE.length);
    await management.kill();
    rmSync(join(root, 'second'), { recursive: true });
    await fetchPages(client, 1);

    const restored = await restoreInto('third', twoDaysOld);
    expect(restored.stdout).toContain('Restored the backup:');
    await start('third');
    expect((await new Api(url, token).get<{ username: string }>('/api/admin')).username).toBe(ROOT.username);
    expect(await subscriptionOf(anna)).toEqual(subscription);
    await eventually('the node is connected', nodeIsConnected, 30_000);
    await fetchPages(client, 1);
    // Neither the ten pages of before the backup again, nor the ten of after it. Of what the lost installation had counted, only the
    // last page may come: the node may not have heard that it was counted.
    expect(await countsAtLeast('anna', atBackup + 2 * PAGE.length)).toBeLessThan(atBackup + 4 * PAGE.length);
    const dave = await clientOf(await userBy('dave'));
    await eventually('dave gets through', () => dave.fetch(web.url, 1_000).then(Boolean, () => false));
  });
});
