import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AdminFixture, PASSWORD } from './testing/admin-fixture.js';

const NEW_PASSWORD = 'another horse battery';

let fixture: AdminFixture;
beforeAll(async () => {
  fixture = await AdminFixture.start();
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  await fixture.removeOthers();
  await fixture.manager.query('DELETE FROM login_failures');
  await fixture.create('plain');
});

const login = async (password: string) =>
  (await fixture.management.call('POST', '/api/admin/token', { username: 'plain', password }, '')).status;
const change = (token: string, body: object) => fixture.management.call('PUT', '/api/admin', body, token);

describe('PUT /api/admin', () => {
  it('changes the password of a plain admin, and invalidates its tokens', async () => {
    const token = await fixture.management.login('plain', PASSWORD);
    const body = { current_password: PASSWORD, password: NEW_PASSWORD };
    expect(await change(token, body)).toEqual({
      status: 200,
      body: { ...(await fixture.shown('plain')), warnings: [] },
    });
    expect((await fixture.self(token)).status).toBe(401);
    expect([await login(PASSWORD), await login(NEW_PASSWORD)]).toEqual([401, 200]);
    const [entry] = await fixture.manager.query(
      `SELECT actor, action, target, difference FROM audit_entries WHERE action = 'admin.modify' ORDER BY id DESC LIMIT 1`,
    );
    const difference = { password: { after: '***' } };
    expect(entry).toEqual({ actor: 'plain', action: 'admin.modify', target: 'admin/plain', difference });
  });

  it('changes only the password', async () => {
    const token = await fixture.management.login('plain', PASSWORD);
    const body = { current_password: PASSWORD, password: NEW_PASSWORD, is_sudo: true, username: 'root', note: 'x' };
    expect(await change(token, body)).toEqual({
      status: 200,
      body: { ...(await fixture.shown('plain')), warnings: [] },
    });
  });

  it.each([
    [{ password: NEW_PASSWORD }, { current_password: 'Field required' }],
    [{ current_password: PASSWORD }, { password: 'Field required' }],
    [{ current_password: PASSWORD, password: 'short' }, { password: 'Password must have at least 12 characters' }],
    [
      { current_password: PASSWORD, password: 'Password1234' },
      { password: 'Password must not be a common one, nor made of names, repetitions or sequences' },
    ],
    [{ current_password: 'not this one', password: NEW_PASSWORD }, { current_password: 'This is not your password' }],
    // The new password is judged last, because that takes milliseconds.
    [{ current_password: 'not this one', password: 'Password1234' }, { current_password: 'This is not your password' }],
  ])('security row 92: refuses %j, and the password stays', async (body, detail) => {
    const token = await fixture.management.login('plain', PASSWORD);
    expect(await change(token, body)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await login(PASSWORD)).toBe(200);
  });

  it('security row 1: counts wrong present passwords as failed logins', async () => {
    const token = await fixture.management.login('plain', PASSWORD);
    const body = { current_password: 'not this one', password: NEW_PASSWORD };
    for (let tries = 1; tries <= 5; tries++) expect((await change(token, body)).status).toBe(422);
    expect(await change(token, { ...body, current_password: PASSWORD })).toMatchObject({ status: 429 });
    expect(await login(PASSWORD)).toBe(429);
  });
});
