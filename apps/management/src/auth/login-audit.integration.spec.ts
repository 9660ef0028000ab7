import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SUDO, TestManagement } from '../testing/test-management.js';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const login = async (username: string, password: string) =>
  (await management.call('POST', '/api/admin/token', { username, password }, '')).status;

async function newEntries(work: () => Promise<unknown>): Promise<unknown[]> {
  const [{ last }] = await management.database.query('SELECT max(id) AS last FROM audit_entries');
  await work();
  return management.database.query(
    'SELECT actor, actor_id, address, action, target, difference FROM audit_entries WHERE id > $1 ORDER BY id',
    [last],
  );
}

const failure = (target: string, reason: string) => ({
  actor: '(unauthenticated)',
  actor_id: null,
  address: '127.0.0.1',
  action: 'admin.login_failed',
  target,
  difference: { reason: { after: reason } },
});

describe('security row 22: the audit log', () => {
  it('the audit log contains each login', async () => {
    expect(await newEntries(() => login(SUDO.username, SUDO.password))).toEqual([
      { actor: 'root', actor_id: 1, address: '127.0.0.1', action: 'admin.login', target: 'admin/root', difference: {} },
    ]);
  });

  it('the audit log contains each failed login, without the password and without unknown names', async () => {
    await management.call('POST', '/api/admin', { username: 'gone', password: SUDO.password, is_sudo: false });
    await management.call('PUT', '/api/admin/gone', { is_disabled: true });
    const entries = await newEntries(async () => {
      expect(await login(SUDO.username, 'not this one')).toBe(401);
      expect(await login('my password', SUDO.password)).toBe(401);
      expect(await login('gone', SUDO.password)).toBe(403);
    });
    expect(entries).toEqual([
      failure('admin/root', 'wrong_password'),
      failure('admins', 'unknown_username'),
      failure('admin/gone', 'admin_disabled'),
    ]);
  });

  it('the audit log does not contain logins that were throttled', async () => {
    for (let tries = 1; tries <= 5; tries++) await login('nobody', 'x');
    expect(await newEntries(async () => expect(await login('nobody', 'x')).toBe(429))).toEqual([]);
  });
});
