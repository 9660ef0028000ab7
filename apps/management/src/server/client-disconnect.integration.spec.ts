import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { UserListService } from '../users/list/user-list.service.js';

const LEVELS = ['fatal', 'error', 'warn'] as const;
const folder = mkdtempSync(join(tmpdir(), 'rampart-hang-up-'));
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];

beforeAll(() => {
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2';
  execFileSync('openssl', [...request.split(' '), '-out', cert, '-keyout', key], { stdio: 'ignore' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['HTTP', {}],
  ['HTTPS', { RAMPART_TLS_CERT: cert, RAMPART_TLS_KEY: key }],
])('nothing is logged when a client disconnects over %s', (scheme, settings) => {
  let management: TestManagement;
  let port: number;
  let token: string;
  let told: unknown[];

  beforeAll(async () => {
    management = await TestManagement.start({ ...settings });
    port = await management.listen();
    token = await management.login(SUDO.username, SUDO.password);
  });
  afterAll(() => management?.close());
  beforeEach(() => {
    told = [];
    for (const level of LEVELS)
      jest.spyOn(Logger.prototype, level).mockImplementation((...line: unknown[]) => void told.push([level, ...line]));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const request = (line: string, ...rest: string[]) =>
    [`${line} HTTP/1.1`, 'host: a', `authorization: Bearer ${token}`, ...rest].join('\r\n');
  const bodied = (line: string, ...rest: string[]) => request(line, 'content-type: application/json', ...rest);
  const list = () => request('GET /api/users', '', '');

  /** Sends bytes; returns the socket on the side of management, and a function that resets the connection. */
  async function sent(bytes: string): Promise<{ served: Socket; leave(): void }> {
    const { server } = management.app.getHttpAdapter().getInstance();
    const serving = once(server, scheme === 'HTTP' ? 'connection' : 'secureConnection');
    const socket = connect({ host: '127.0.0.1', port });
    const client = scheme === 'HTTP' ? socket : tls.connect({ socket, rejectUnauthorized: false });
    for (const each of [socket, client]) each.on('error', () => undefined);
    client.write(bytes);
    const [served] = await serving;
    return { served, leave: () => socket.resetAndDestroy() };
  }
  const closed = async () => {
    const { server } = management.app.getHttpAdapter().getInstance();
    const open = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    while ((await open()) !== 0) await new Promise(setImmediate);
  };

  it('a client disconnects after its list was read and before it is answered', async () => {
    const lists = management.app.get(UserListService);
    const read = lists.list.bind(lists);
    let serving: ReturnType<typeof sent> | undefined;
    let cuts = 0;
    jest.spyOn(lists, 'list').mockImplementation(async (...query) => {
      const found = await read(...query);
      async function* pages() {
        yield* found.pages;
        // A reset destroys the socket in the same way, before the response notices.
        (await serving)?.served.destroy();
        cuts += 1;
      }
      return { ...found, pages: pages() };
    });
    serving = sent(list());
    await serving;
    await closed();
    while (cuts === 0) await new Promise(setImmediate);
    expect(await management.call('GET', '/api/users')).toMatchObject({ status: 200 });
    expect(told).toEqual([]);
  });

  it.each([
    ['a list', () => list()],
    ['a list that is requested with half a body', () => request('GET /api/users', 'content-length: 9', '', '{')],
    ['a list, by HEAD', () => request('HEAD /api/users', '', '')],
  ])('a client disconnects while it waits for %s', async (_, bytes) => {
    const waiting = async (): Promise<boolean> => {
      const rows = await management.database.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      return rows.length > 0;
    };
    const holder = management.database.createQueryRunner();
    await holder.startTransaction();
    await holder.query('LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
    try {
      const { leave } = await sent(bytes());
      while (!(await waiting())) await new Promise(setImmediate);
      leave();
      await closed();
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
    while (await waiting()) await new Promise(setImmediate);
    // This request is answered after the remaining work on the list.
    expect(await management.call('GET', '/api/users')).toMatchObject({ status: 200 });
    expect(told).toEqual([]);
  });

  it.each([
    ['plain', () => bodied('POST /api/user', 'content-length: 9', '', '{')],
    ['of a login', () => bodied('POST /api/admin/token', 'content-length: 9', '', '{')],
    ['in chunks', () => bodied('PUT /api/settings', 'transfer-encoding: chunked', '', 'ff', '{')],
    ['in broken chunks', () => bodied('PUT /api/settings', 'transfer-encoding: chunked', '', 'zz', '{')],
    ['that waits to be asked for', () => bodied('POST /api/core', 'expect: 100-continue', 'content-length: 9', '', '')],
    ['behind half of its headers', () => 'POST /api/user HTTP/1.1\r\nho'],
  ])('a client disconnects in the middle of a body: %s', async (_, bytes) => {
    const { served, leave } = await sent(bytes());
    while (served.bytesRead === 0) await new Promise(setImmediate);
    leave();
    await closed();
    expect(await management.call('GET', '/api/users')).toMatchObject({ status: 200 });
    expect(told).toEqual([]);
  });
});
