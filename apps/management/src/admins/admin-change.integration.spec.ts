import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Admin } from './store/admin.entity.js';
import { ADMIN_NOT_FOUND, AdminFixture, GIVEN, PASSWORD, ROOT, UNREAD_WARNINGS } from './testing/admin-fixture.js';

const NEW_PASSWORD = 'another horse battery';
const LAST_SUDO = {
  status: 403,
  body: { detail: 'The last enabled sudo admin cannot be demoted, disabled or deleted', code: 'ADMIN_IS_LAST_SUDO' },
};
const UNAUTHENTICATED = {
  status: 401,
  body: { detail: 'Could not validate credentials', code: 'UNAUTHENTICATED' },
};

let fixture: AdminFixture;
beforeAll(async () => {
  fixture = await AdminFixture.start();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.removeOthers());

describe('PUT /api/admin/{username}', () => {
  it('changes the given members and keeps the rest', async () => {
    await fixture.create('plain', GIVEN);
    const id = await fixture.idOf('plain');
    expect(await fixture.modify('plain', { profile_title: 'Title', telegram_id: null })).toEqual({
      status: 200,
      body: {
        ...ROOT,
        ...GIVEN,
        username: 'plain',
        id,
        is_sudo: false,
        profile_title: 'Title',
        telegram_id: null,
        warnings: UNREAD_WARNINGS.filter(({ path }) => path !== 'telegram_id'),
      },
    });
    expect(await fixture.lastEntry()).toEqual({
      actor: 'root',
      action: 'admin.modify',
      target: 'admin/plain',
      difference: {
        profile_title: { before: GIVEN.profile_title, after: 'Title' },
        telegram_id: { before: GIVEN.telegram_id, after: null },
      },
    });
  });

  it('cannot rename an admin', async () => {
    await fixture.create('plain');
    expect(await fixture.modify('plain', { username: 'other' })).toMatchObject({
      status: 200,
      body: { username: 'plain' },
    });
    const admins = await fixture.manager.find(Admin, { order: { id: 'ASC' } });
    expect(admins.map(({ username }) => username)).toEqual(['root', 'plain']);
  });

  it('security row 6: invalidates every token at once when the password changes', async () => {
    await fixture.create('plain');
    const token = await fixture.management.login('plain', PASSWORD);
    expect((await fixture.modify('plain', { password: NEW_PASSWORD })).status).toBe(200);
    expect(await fixture.self(token)).toEqual(UNAUTHENTICATED);
    expect((await fixture.self(await fixture.management.login('plain', NEW_PASSWORD))).status).toBe(200);
    expect(await fixture.lastEntry()).toMatchObject({ difference: { password: { after: '***' } } });
  });

  it('security row 6: invalidates every token of an admin who is disabled or demoted, permanently', async () => {
    await fixture.create('other', { is_sudo: true });
    const [first, second] = [
      await fixture.management.login('other', PASSWORD),
      await fixture.management.login('other', PASSWORD),
    ];
    expect((await fixture.modify('other', { is_disabled: true })).status).toBe(200);
    expect((await fixture.modify('other', { is_disabled: false })).status).toBe(200);
    for (const token of [first, second]) expect(await fixture.self(token)).toEqual(UNAUTHENTICATED);
    const third = await fixture.management.login('other', PASSWORD);
    expect((await fixture.modify('other', { is_sudo: false })).status).toBe(200);
    expect(await fixture.self(third)).toEqual(UNAUTHENTICATED);
  });

  it('keeps tokens valid when the admin loses no right', async () => {
    await fixture.create('plain', { is_disabled: false });
    const token = await fixture.management.login('plain', PASSWORD);
    await fixture.modify('plain', { is_sudo: true, is_disabled: false, password: null, profile_title: 'x' });
    expect(await fixture.self(token)).toMatchObject({ status: 200, body: { is_sudo: true } });
    await fixture.modify('plain', { is_sudo: null, is_disabled: null });
    expect(await fixture.self(token)).toMatchObject({ status: 200, body: { is_sudo: true } });
  });

  it.each([[{ is_sudo: false }], [{ is_disabled: true }]])(
    'does not leave Rampart without a sudo admin: %j',
    async (change) => {
      await fixture.create('other', { is_sudo: true, is_disabled: true });
      await fixture.create('plain');
      expect(await fixture.changesNothing(() => fixture.modify('root', change))).toEqual(LAST_SUDO);
    },
  );

  it('keeps one sudo admin when two demote each other at the same moment', async () => {
    await fixture.create('other', { is_sudo: true });
    const answers = await Promise.all([
      fixture.modify('root', { is_sudo: false }),
      fixture.modify('other', { is_sudo: false }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await fixture.manager.countBy(Admin, { isSudo: true, isDisabled: false })).toBe(1);
    await fixture.manager.update(Admin, { username: 'root' }, { isSudo: true });
    await fixture.management.logInAgain();
  });

  it.each(['nobody', 'a%20b', 'a%2Fb'])('answers 404 for the unknown name %s', async (username) => {
    expect(await fixture.changesNothing(() => fixture.modify(username, { is_sudo: false }))).toEqual(ADMIN_NOT_FOUND);
  });

  it('refuses a weak password', async () => {
    await fixture.create('long-username');
    const weak = (detail: string) => ({ status: 422, body: { detail: { password: detail }, code: 'INVALID_FIELDS' } });
    expect(await fixture.changesNothing(() => fixture.modify('long-username', { password: 'short' }))).toEqual(
      weak('Password must have at least 12 characters'),
    );
    expect(await fixture.changesNothing(() => fixture.modify('long-username', { password: 'Long-Username' }))).toEqual(
      weak('Password must not be the username'),
    );
  });
});

describe('DELETE /api/admin/{username}', () => {
  it('keeps the users, without an admin', async () => {
    await fixture.create('plain');
    const token = await fixture.management.login('plain', PASSWORD);
    await fixture.management.call('POST', '/api/user', { username: 'kept' }, token);
    expect(await fixture.management.call('DELETE', '/api/admin/plain')).toEqual({ status: 204, body: undefined });
    expect(await fixture.management.call('GET', '/api/user/kept')).toMatchObject({
      status: 200,
      body: { admin: null },
    });
    expect(await fixture.self(token)).toEqual(UNAUTHENTICATED);
    expect(await fixture.lastEntry()).toMatchObject({
      action: 'admin.delete',
      target: 'admin/plain',
      difference: { username: { before: 'plain' }, total_users: { before: 1 } },
    });
  });

  it('deletes a sudo admin, but not the last one', async () => {
    await fixture.create('other', { is_sudo: true });
    expect((await fixture.management.call('DELETE', '/api/admin/other')).status).toBe(204);
    expect(await fixture.changesNothing(() => fixture.management.call('DELETE', '/api/admin/root'))).toEqual(LAST_SUDO);
  });

  it('answers 404 for an unknown admin', async () => {
    expect(await fixture.changesNothing(() => fixture.management.call('DELETE', '/api/admin/nobody'))).toEqual(
      ADMIN_NOT_FOUND,
    );
  });
});
