import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '@rampart/testing';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { ControlSocket } from './control-socket.js';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

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

  it('has the rights of a sudo admin without a token', async () => {
    const { status, body } = await get(path, '/api/admins');
    expect([status, body]).toEqual([200, (await management.call('GET', '/api/admins')).body]);
  });

  it('has the rights of the token that a request brings', async () => {
    const token = await management.plainAdmin('plain');
    expect((await get(path, '/api/admins', { authorization: `Bearer ${token}` })).status).toBe(403);
    expect((await get(path, '/api/admins', { authorization: 'Bearer nonsense' })).status).toBe(401);
  });

  it('acts for no admin, and says so', async () => {
    expect(await get(path, '/api/admin')).toEqual({
      status: 400,
      body: { detail: 'The control socket belongs to no admin: name one', code: 'ADMIN_NOT_NAMED' },
    });
  });

  it('believes no address that a client names', async () => {
    const created = { username: 'made-here', password: SUDO.password, is_sudo: false };
    expect((await get(path, '/api/admin', { 'x-forwarded-for': '203.0.113.9' }, created)).status).toBe(201);
    const { body } = await get(path, '/api/audit?action=admin.create&limit=1');
    expect(body).toMatchObject({ entries: [{ actor: 'local', actor_id: null, address: 'local' }] });
  });

  it('creates users that belong to no admin', async () => {
    const { status, body } = await get(path, '/api/user', {}, { username: 'nobodys' });
    expect([status, Object(body).admin]).toEqual([201, null]);
  });

  it('can be opened by the account of the service alone', async () => {
    expect(await modeOf(path)).toBe('600');
    const asNobody = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', 'test', '-w', path]);
    expect([process.getuid?.() === 0, asNobody.status]).toEqual([true, 1]);
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
    await open('two');
    expect(await answering()).toBe('one');
    await first.close();
    await until(async () => (await answering()) === 'two');
  });

  it('comes back when its file is deleted', async () => {
    await open('one');
    await rm(path);
    await until(async () => (await answering()) === 'one');
  });

  it('removes its own file when it closes, and no file of another', async () => {
    const socket = await open('one');
    await rm(path);
    const other = createServer((_, answer) => void answer.end('"other"'));
    await new Promise<void>((resolve) => other.listen(path, resolve));
    await socket.close();
    expect(await answering()).toBe('other');
    await new Promise((resolve) => other.close(resolve));
    const last = await open('last');
    await last.close();
    await expect(stat(path)).rejects.toThrow('ENOENT');
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
