import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '@rampart/testing';
import { Admin } from '../admins/store/admin.entity.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { ControlSocket } from './control-socket.js';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** The header that the key file of a socket holds. */
async function keyOf(socketPath: string): Promise<Record<string, string>> {
  const [, name = '', key = ''] = /^([a-z-]+): (\S+)\n$/.exec(await readFile(`${socketPath}.key`, 'utf8')) ?? [];
  return { [name]: key };
}

const withKey = async (socketPath: string, path: string, headers: Record<string, string> = {}, body?: object) =>
  get(socketPath, path, { ...(await keyOf(socketPath)), ...headers }, body);

/** Sends these bytes, as an engine does that hands a connection to the socket, and reads the answer to its end. */
async function exchange(socketPath: string, bytes: string): Promise<string> {
  const socket = connect(socketPath);
  socket.write(bytes);
  return text(socket);
}

async function get(socketPath: string, path: string, headers: Record<string, string> = {}, body?: object) {
  const text = body && JSON.stringify(body);
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const all = { ...headers, ...(text && { 'content-type': 'application/json' }) };
    request({ socketPath, path, method: text ? 'POST' : 'GET', headers: all, agent: false }, (answer) => {
      json(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
    })
      .once('error', reject)
      .end(text);
  });
}

describe('the API on the control socket', () => {
  let management: TestManagement;
  let path: string;
  beforeAll(async () => {
    management = await TestManagement.start({ RAMPART_TRUSTED_PROXIES: '127.0.0.1' });
    await management.openControlSocket();
    path = join(management.folder, 'control.sock');
  }, 60_000);
  afterAll(() => management?.close());

  it('has the rights of a sudo admin for requests with its key', async () => {
    const { status, body } = await withKey(path, '/api/admins');
    expect([status, body]).toEqual([200, (await management.call('GET', '/api/admins')).body]);
  });

  it('security row 81: bytes that are handed on to it have no login, whatever else they name', async () => {
    const stolen = Object.entries(await keyOf(path)).map(([name, key]) => `${name}: ${key.slice(0, -1)}`);
    for (const lines of [[], stolen, ['rampart-control-key:']]) {
      const head = ['GET /api/admins HTTP/1.1', 'Host: localhost', 'Connection: close', ...lines];
      const answer = await exchange(path, `${head.join('\r\n')}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer).toContain((await management.request('GET', '/api/admins', undefined, '')).text);
    }
    const created = { username: 'smuggled', password: SUDO.password, is_sudo: true };
    expect((await get(path, '/api/admin', {}, created)).status).toBe(401);
    expect(await management.database.manager.countBy(Admin, { username: 'smuggled' })).toBe(0);
  });

  it('security row 81: the key of the socket is no login elsewhere', async () => {
    const { statusCode } = await management.app.inject({ url: '/api/admins', headers: await keyOf(path) });
    expect(statusCode).toBe(401);
  });

  it('has the rights of the token that a request brings', async () => {
    const token = await management.plainAdmin('plain');
    expect((await withKey(path, '/api/admins', { authorization: `Bearer ${token}` })).status).toBe(403);
    expect((await withKey(path, '/api/admins', { authorization: 'Bearer nonsense' })).status).toBe(401);
  });

  it('acts for no admin, and says so', async () => {
    expect(await withKey(path, '/api/admin')).toEqual({
      status: 400,
      body: { detail: 'The control socket belongs to no admin: name one', code: 'ADMIN_NOT_NAMED' },
    });
  });

  it('believes no address that a client names', async () => {
    const created = { username: 'made-here', password: SUDO.password, is_sudo: false };
    expect((await withKey(path, '/api/admin', { 'x-forwarded-for': '203.0.113.9' }, created)).status).toBe(201);
    const { body } = await withKey(path, '/api/audit?action=admin.create&limit=1');
    expect(body).toMatchObject({ entries: [{ actor: 'local', actor_id: null, address: 'local' }] });
  });

  it('creates users that belong to no admin', async () => {
    const { status, body } = await withKey(path, '/api/user', {}, { username: 'nobodys' });
    expect([status, Object(body).admin]).toEqual([201, null]);
  });

  it('can be opened by the account of the service alone', async () => {
    expect([await modeOf(path), await modeOf(`${path}.key`)]).toEqual(['600', '600']);
    const asNobody = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', 'test', '-w', path]);
    const keyAsNobody = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', 'test', '-r', `${path}.key`]);
    expect([process.getuid?.() === 0, asNobody.status, keyAsNobody.status]).toEqual([true, 1, 1]);
  });
});

describe(ControlSocket.name, () => {
  let folder: string;
  let path: string;
  let warn: jest.Mock<(line: string) => void>;
  const opened: ControlSocket[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rampart-control-'));
    path = join(folder, 'control.sock');
    warn = jest.fn();
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) await socket.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(name: string, at = path): Promise<ControlSocket> {
    const socket = await ControlSocket.open({
      path: at,
      handler: (_, answer) => void answer.end(JSON.stringify(name)),
      limits: {},
      checkMs: 20,
      warn,
    });
    opened.push(socket);
    return socket;
  }
  const answering = async (at = path) => (await get(at, '/').catch(() => undefined))?.body;

  it('closes its folder to others', async () => {
    await chmod(folder, 0o777);
    await open('one');
    expect(await modeOf(folder)).toBe(process.getuid?.() === 0 ? '711' : '700');
  });

  it('replaces the socket of a dead process', async () => {
    const killed = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', killed]);
    expect((await stat(path)).isSocket()).toBe(true);
    await open('one');
    expect(await answering()).toBe('one');
  });

  it('leaves the path to a living process, and takes it over when that one ends', async () => {
    const first = await open('one');
    const key = await keyOf(path);
    await open('two');
    expect([await answering(), await keyOf(path)]).toEqual(['one', key]);
    await first.close();
    await until(async (saw) => saw(await answering()) === 'two');
    expect(await keyOf(path)).not.toEqual(key);
  });

  it('comes back when its file is deleted', async () => {
    await open('one');
    await rm(path);
    await until(async (saw) => saw(await answering()) === 'one');
  });

  it.each([
    ['is deleted', () => rm(`${path}.key`)],
    ['is that of another process', () => writeFile(`${path}.key`, 'other')],
  ])('writes its key again when it %s', async (_, change) => {
    await open('one');
    const key = await keyOf(path);
    await change();
    await until(
      async (saw) =>
        saw(await readdir(folder)).includes('control.sock.key') && 'rampart-control-key' in saw(await keyOf(path)),
    );
    expect([await keyOf(path), await modeOf(`${path}.key`)]).toEqual([key, '600']);
  });

  it('removes its own files when it closes, and no file of another', async () => {
    const socket = await open('one');
    await rm(path);
    const other = createServer((_, answer) => void answer.end('"other"'));
    await new Promise<void>((resolve) => other.listen(path, resolve));
    await writeFile(`${path}.key`, 'other');
    await socket.close();
    expect([await answering(), await readFile(`${path}.key`, 'utf8')]).toEqual(['other', 'other']);
    await new Promise((resolve) => other.close(resolve));
    const last = await open('last');
    await last.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('works where the path is too long for a socket', async () => {
    const far = join(folder, 'x'.repeat(120), 'control.sock');
    await open('far', far);
    expect((await stat(far)).isSocket()).toBe(true);
    expect(warn).not.toHaveBeenCalled();
  });

  it('warns once where the folder cannot hold it', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const socket = join(file, 'control.sock');
    await open('one', socket);
    const reason = `connect ENOTDIR ${socket}`;
    expect(warn.mock.calls).toEqual([
      [`${socket} cannot be opened, so the command "rampart" cannot reach this service: ${reason}`],
    ]);
  });
});
