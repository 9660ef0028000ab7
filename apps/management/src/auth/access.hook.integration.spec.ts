import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Admin } from '../admins/store/admin.entity.js';
import { TestManagement } from '../testing/test-management.js';
import { AccessHook } from './access.hook.js';

const OTHER = { username: 'other', password: 'correct horse battery' };

let management: TestManagement;
let port: number;
beforeAll(async () => {
  management = await TestManagement.start();
  port = await management.listen();
});
afterAll(() => management?.close());
beforeEach(async () => {
  await management.database.manager.delete(Admin, { username: OTHER.username });
  expect((await management.call('POST', '/api/admin', { ...OTHER, is_sudo: true })).status).toBe(201);
});

/** Opens a request whose headers have passed the access check, and whose body has not been sent. */
async function begun(line: string, headers: readonly string[], token: string): Promise<Socket> {
  const check = jest.spyOn(management.app.get(AccessHook), 'check');
  const checked = new Promise<void>((resolve, reject) => {
    const original = AccessHook.prototype.check.bind(management.app.get(AccessHook));
    check.mockImplementationOnce((request) => {
      const done = original(request);
      done.then(resolve, reject);
      return done;
    });
  });
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  socket.write(
    [`${line} HTTP/1.1`, 'host: a', `authorization: Bearer ${token}`, ...headers, 'connection: close', '', ''].join(
      '\r\n',
    ),
  );
  await checked;
  check.mockRestore();
  return socket;
}

describe('rights that are lost while the body arrives', () => {
  const body = JSON.stringify({ username: 'friend', password: 'correct horse battery', is_sudo: true });
  const sent = ['content-type: application/json', `content-length: ${body.length}`];

  it.each([
    ['is disabled', { is_disabled: true }, 401],
    ['is demoted', { is_sudo: false }, 401],
    ['gets another password', { password: 'another horse battery' }, 401],
    ['changes in nothing that counts', { telegram_id: 5 }, 201],
  ])('security row 6: are gone when the admin %s', async (_, change, status) => {
    await management.database.manager.delete(Admin, { username: 'friend' });
    const token = await management.login(OTHER.username, OTHER.password);
    const socket = await begun('POST /api/admin', sent, token);
    expect((await management.call('PUT', `/api/admin/${OTHER.username}`, change)).status).toBe(200);
    socket.write(body);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(await management.database.manager.existsBy(Admin, { username: 'friend' })).toBe(status === 201);
  });

  it('security row 6: a request whose rights are lost while its body arrives is refused also when the body turns out to be empty', async () => {
    const token = await management.login(OTHER.username, OTHER.password);
    const headers = ['content-type: application/json', 'transfer-encoding: chunked'];
    const socket = await begun(`DELETE /api/admin/${OTHER.username}`, headers, token);
    expect((await management.call('PUT', `/api/admin/${OTHER.username}`, { is_disabled: true })).status).toBe(200);
    socket.write('0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 401 /);
    expect(await management.database.manager.existsBy(Admin, { username: OTHER.username })).toBe(true);
  });
});
