import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Admin } from '../admins/admin.entity.js';
import { PasswordHasher } from '../auth/password-hasher.js';
import { currentRevision } from '../database/revision.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { User } from './user.entity.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

let management: TestManagement;
let tokens: Record<'owner' | 'other', string>;
beforeAll(async () => {
  management = await TestManagement.start();
  const passwordHash = await management.app.get(PasswordHasher).hash(SUDO.password);
  await management.database.manager.insert(Admin, [
    { username: 'owner', passwordHash },
    { username: 'other', passwordHash },
  ]);
  tokens = {
    owner: await management.login('owner', SUDO.password),
    other: await management.login('other', SUDO.password),
  };
  for (const username of ['owned', 'gone-by-owner', 'gone-by-sudo']) {
    await management.call('POST', '/api/user', { username }, tokens.owner);
  }
  await management.call('POST', '/api/user', { username: 'orphan' });
  await management.database.manager.update(User, { username: 'orphan' }, { adminId: null });
});
afterAll(() => management?.close());

const manager = () => management.database.manager;
const stored = async () => [await manager().find(User, { order: { id: 'ASC' } }), await currentRevision(manager())];

const ROUTES: readonly [Method, string, object?][] = [
  ['GET', ''],
  ['PUT', '', { note: 'taken', status: 'disabled' }],
  ['POST', '/reset'],
  ['POST', '/revoke_sub'],
  ['DELETE', ''],
];

const LIST_ROUTES: readonly [Method, string, object?][] = [
  ['POST', '/api/user', { username: 'anonymous' }],
  ['GET', '/api/users'],
  ['GET', '/api/users/expired'],
  ['DELETE', '/api/users/expired'],
];

describe.each(ROUTES)('%s /api/user/{username}%s', (method, action, body) => {
  const call = (username: string, token?: string) =>
    management.call(method, `/api/user/${username}${action}`, body, token);

  it.each(['owned', 'orphan'])('is forbidden to another plain admin, and %s stays as it was', async (username) => {
    const before = await stored();
    expect(await call(username, tokens.other)).toEqual({
      status: 403,
      body: { detail: "You're not allowed", code: 'FORBIDDEN' },
    });
    expect(await stored()).toEqual(before);
  });

  it('is closed to the anonymous', async () => {
    const before = await stored();
    expect(await call('owned', '')).toEqual({
      status: 401,
      body: { detail: 'Could not validate credentials', code: 'UNAUTHENTICATED' },
    });
    expect(await stored()).toEqual(before);
  });

  it.each(['nobody', 'OWNED', 'a%00b', '..%2Fowned'])('does not find %s', async (username) => {
    const before = await stored();
    expect(await call(username)).toEqual({ status: 404, body: { detail: 'User not found', code: 'USER_NOT_FOUND' } });
    expect(await stored()).toEqual(before);
  });

  it('is open to the owner and to sudo admins', async () => {
    const status = method === 'DELETE' ? 204 : 200;
    const [byOwner, bySudo] = method === 'DELETE' ? ['gone-by-owner', 'gone-by-sudo'] : ['owned', 'owned'];
    expect(await call(byOwner, tokens.owner)).toMatchObject({ status });
    expect(await call(bySudo)).toMatchObject({ status });
  });
});

describe.each(LIST_ROUTES)('%s %s', (method, url, body) => {
  it('is closed to the anonymous', async () => {
    const before = await stored();
    expect(await management.call(method, url, body, '')).toEqual({
      status: 401,
      body: { detail: 'Could not validate credentials', code: 'UNAUTHENTICATED' },
    });
    expect(await stored()).toEqual(before);
  });
});
