import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { until } from '@rampart/testing';
import type { ChangeEvent } from '../change-events/change-event.js';
import { ChangeFeed } from '../change-events/change-feed.js';
import { ManagementError } from '../errors/management-error.js';
import { ManagementWithNodeDoubles } from '../nodes/testing/management-with-node-doubles.js';
import { SUDO } from '../testing/test-management.js';
import { AccessHook } from './access.hook.js';

/** Shorter than the interval of lookups. */
const PROMPTLY_MS = 5_000;

let nodes: ManagementWithNodeDoubles;
let url: string;
let node: number;
/** The interval in which rights that end by time are looked up; called by tests instead of the clock. */
let tick: () => void;
let created = 0;
beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start();
  const { app, database } = nodes.management;
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
  node = await nodes.connectedNode();
  nodes.double(node).lines = ['a line'];
  // So many that they do not fit into the buffers of the sockets.
  await database.query(
    `INSERT INTO users (username, note) SELECT 'user' || n, repeat('n', 500) FROM generate_series(1, 20000) n`,
  );
  const interval = jest.spyOn(globalThis, 'setInterval');
  const { read } = await answer('/api/events', await loggedIn(await sudoAdmin()));
  tick = interval.mock.calls.find(([, ms]) => ms === 10_000)![0];
  interval.mockRestore();
  read.destroy();
});
afterAll(() => nodes?.close());

const call = (method: 'DELETE' | 'POST' | 'PUT', path: string, body?: object) =>
  nodes.management.call(method, path, body);
const sql = (statement: string, ...values: unknown[]) => nodes.management.database.query(statement, values);

async function sudoAdmin(): Promise<string> {
  created += 1;
  const username = `leaving${created}`;
  expect((await call('POST', '/api/admin', { ...SUDO, username, is_sudo: true })).status).toBe(201);
  return username;
}
const loggedIn = (username: string) => nodes.management.login(username, SUDO.password);
async function apiToken(admin_username: string): Promise<string> {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await call('POST', '/api/admin/tokens', { name: 'bot', scope: 'all', expires_at, admin_username });
  return Object(body).token;
}

/** An answer that is read only as far as its first bytes. */
async function answer(path: string, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const [read]: IncomingMessage[] = await once(get(url + path, { headers, agent: false }), 'response');
  read!.on('error', () => undefined);
  expect(read!.statusCode).toBe(200);
  return { read: read!, headers };
}

const LONG = ['/api/events', '/api/node/:id/logs', '/api/users'];

/** Opens every long answer, and waits until all of them have ended. `complete` has those that look whole. */
async function ending(token: string, end: () => Promise<unknown>): Promise<string[]> {
  const open: { path: string; read: IncomingMessage }[] = [];
  for (const path of LONG) open.push({ path, read: (await answer(path.replace(':id', `${node}`), token)).read });
  const served = nodes.double(node).readers;
  await end();
  for (const { read } of open) if (!read.readableFlowing) read.resume();
  await until((saw) => saw(open).every(({ read }) => read.closed), PROMPTLY_MS);
  await until((saw) => saw(nodes.double(node).readers) === served - 1);
  return open.filter(({ read }) => read.complete).map(({ path }) => path);
}

describe('answers that are written for long', () => {
  it.each<[string, string, (username: string) => Promise<unknown>]>([
    ['an API token', 'it is deleted', async (admin) => call('DELETE', `/api/admin/tokens/${await tokenOf(admin)}`)],
    ['an API token', 'all of its admin are deleted', (admin) => call('DELETE', `/api/admin/tokens?admin=${admin}`)],
    [
      'an API token',
      'its network is not allowed any more',
      async (admin) => {
        await sql(`UPDATE api_tokens SET allowed_networks = '{192.0.2.0/24}' WHERE id = $1`, await tokenOf(admin));
        tick();
      },
    ],
    [
      'an API token',
      'it has expired',
      async (admin) => {
        await sql('UPDATE api_tokens SET expires_at = now() WHERE id = $1', await tokenOf(admin));
        tick();
      },
    ],
    ['a login', 'it is ended', (admin) => call('DELETE', `/api/admin/sessions?admin=${admin}`)],
    [
      'a login',
      'the password changes',
      (admin) => call('PUT', `/api/admin/${admin}`, { password: 'another long one' }),
    ],
    ...['an API token', 'a login'].flatMap((kind): [string, string, (username: string) => Promise<unknown>][] => [
      [kind, 'its admin is disabled', (admin) => call('PUT', `/api/admin/${admin}`, { is_disabled: true })],
      [kind, 'its admin is no sudo admin any more', (admin) => call('PUT', `/api/admin/${admin}`, { is_sudo: false })],
      [kind, 'its admin is deleted', (admin) => call('DELETE', `/api/admin/${admin}`)],
    ]),
  ])('security row 6: to %s end when %s', async (kind, _when, act) => {
    const admin = await sudoAdmin();
    const token = kind === 'a login' ? await loggedIn(admin) : await apiToken(admin);
    expect(await ending(token, () => act(admin))).toEqual(['/api/events', `/api/node/:id/logs`]);
  });

  it('security row 6: end when rights change before their first byte', async () => {
    const admin = await sudoAdmin();
    const token = await apiToken(admin);
    const double = nodes.double(node);
    const { info } = double;
    let answerNode: () => void = () => undefined;
    const asked = new Promise<void>((begin) => {
      double.info = async () => {
        begin();
        await new Promise<void>((resolve) => (answerNode = resolve));
        return info.call(double);
      };
    });
    const opened = answer(`/api/node/${node}/logs`, token);
    await asked;
    const heard = new Promise<void>((resolve) => {
      const happened = ({ type }: ChangeEvent) => type === 'api_token' && resolve();
      nodes.management.app.get(ChangeFeed).add({ happened, missed: () => undefined });
    });
    await call('DELETE', `/api/admin/tokens?admin=${admin}`);
    await heard;
    double.info = info;
    answerNode();
    const { read } = await opened;
    await until(() => read.resume().closed, PROMPTLY_MS);
    await until((saw) => saw(double.readers) === 0);
  });

  it('security row 6: are checked by one lookup for each login', async () => {
    const token = await apiToken(await sudoAdmin());
    const open = [];
    for (let n = 0; n < 20; n += 1) open.push((await answer('/api/events', token)).read);
    const lookups = jest.spyOn(nodes.management.app.get(AccessHook), 'actorStill');
    const stored = await sql('SELECT max(last_used_at) AS used FROM api_tokens');
    await sql(`UPDATE api_tokens SET last_used_at = last_used_at - interval '1 hour'`);
    tick();
    tick();
    await until((saw) => saw(lookups.mock.results).length === 2);
    await Promise.all(lookups.mock.results.map(({ value }) => value));
    // An answer that is open is no use of a token.
    const [{ used }] = await sql('SELECT max(last_used_at) AS used FROM api_tokens');
    expect(used.getTime()).toBe(stored[0].used.getTime() - 3_600_000);
    expect(open.filter((read) => read.closed)).toEqual([]);
    for (const read of open) read.destroy();
    lookups.mockRestore();
  });

  it('security row 6: end a minute after the database was last heard of', async () => {
    const { read } = await answer(`/api/node/${node}/logs`, await apiToken(await sudoAdmin()));
    read.resume();
    const lookups = jest
      .spyOn(nodes.management.app.get(AccessHook), 'actorStill')
      .mockRejectedValue(new ManagementError('DATABASE_UNAVAILABLE'));
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 59_000);
    tick();
    await until((saw) => saw(lookups.mock.calls).length === 1);
    await new Promise(setImmediate);
    expect(read.closed).toBe(false);
    clock.mockReturnValue(now + 61_000);
    tick();
    await once(read, 'close');
    for (const mock of [clock, lookups]) mock.mockRestore();
  });
});

async function tokenOf(admin: string): Promise<number> {
  const { body } = await nodes.management.call('GET', `/api/admin/tokens?admin=${admin}`);
  return Object(body).tokens[0].id;
}
