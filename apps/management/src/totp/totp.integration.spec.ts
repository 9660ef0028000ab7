import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { forgetLoginFailures } from '../admins/passwords/login-throttle.js';
import { PasswordsWithoutCode } from '../admins/passwords/passwords-without-code.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { Totp } from './totp.entity.js';
import { codeAt } from './totp-codes.js';

const REQUIRED = {
  status: 401,
  body: { detail: 'Send the code of your authenticator app, or a recovery code, as totp', code: 'TOTP_REQUIRED' },
};
const WRONG = { status: 401, body: { detail: 'This code is wrong or was used already', code: 'TOTP_WRONG' } };
const STEP_MS = 30_000;

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_LOGIN_NAME_FAILURES: '4', RAMPART_LOGIN_ADDRESS_FAILURES: '1000' });
});
afterAll(() => management?.close());
// The clock stands still during a test, so that the code of its step stays the same on a slow machine.
beforeEach(() => {
  const moment = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => moment);
});
afterEach(() => void jest.restoreAllMocks());
beforeEach(async () => {
  await management.database.query('DELETE FROM admin_totps');
  await management.database.query('DELETE FROM login_failures');
  await management.database.query('DELETE FROM passwords_without_code');
});

const post = (url: string, body: object, token?: string) => management.call('POST', url, body, token);
const logIn = (totp?: string, password = SUDO.password) =>
  post('/api/admin/token', { username: 'root', password, ...(totp !== undefined && { totp }) }, '');

/** Enrols the root admin, and confirms with the code of the step before the present one. */
async function enabled(): Promise<{ secret: string; recovery: string[]; code: (steps?: number) => string }> {
  const { body } = await post('/api/admin/totp', { password: SUDO.password });
  const { secret } = Object(body);
  const code = (steps = 0) => codeAt(secret, Date.now() + steps * STEP_MS);
  const confirmed = await post('/api/admin/totp/confirm', { code: code(-1) });
  expect(confirmed.status).toBe(200);
  return { secret, recovery: Object(confirmed.body).recovery_codes, code };
}

describe('security row 31: the second factor', () => {
  it('the second factor is asked of logins by password only after it was confirmed', async () => {
    const { status, body } = await post('/api/admin/totp', { password: SUDO.password });
    expect([status, body]).toEqual([
      201,
      {
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        url: expect.stringMatching(/^otpauth:\/\/totp\/Rampart:root\?/),
      },
    ]);
    expect((await logIn()).status).toBe(200);
    expect((await management.call('GET', '/api/admin/totp')).body).toEqual({
      is_enabled: false,
      is_pending: true,
      recovery_codes_left: 0,
    });
    expect(await post('/api/admin/totp/confirm', { code: '000000' })).toEqual({
      status: 422,
      body: { detail: { code: 'This is not the code that the app shows now' }, code: 'INVALID_FIELDS' },
    });
    const confirmed = await post('/api/admin/totp/confirm', { code: codeAt(Object(body).secret, Date.now()) });
    expect(Object(confirmed.body).recovery_codes).toHaveLength(10);
    expect(await logIn()).toEqual(REQUIRED);
    expect((await management.call('GET', '/api/admin/totp')).body).toEqual({
      is_enabled: true,
      is_pending: false,
      recovery_codes_left: 10,
    });
  });

  it('security row 115: guesses of the code with which a second factor is confirmed end after ten', async () => {
    const { body } = await post('/api/admin/totp', { password: SUDO.password });
    const guesses = [];
    for (let guess = 0; guess < 11; guess += 1)
      guesses.push((await post('/api/admin/totp/confirm', { code: '000000' })).status);
    expect(guesses).toEqual([...Array.from({ length: 10 }, () => 422), 429]);
    const right = { code: codeAt(Object(body).secret, Date.now()) };
    expect((await post('/api/admin/totp/confirm', right)).status).toBe(429);
  });

  it('the second factor takes each code of the app once, for tokens and for sessions', async () => {
    const { code } = await enabled();
    const login = { username: 'root', password: SUDO.password };
    const session = (totp?: string) =>
      management.request('POST', '/api/admin/session', { ...login, totp }, '', { 'x-rampart-dashboard': '1' });
    expect(await logIn(code(-1))).toEqual(WRONG);
    expect((await logIn(code())).status).toBe(200);
    expect(await logIn(code())).toEqual(WRONG);
    expect((await session()).body).toEqual(REQUIRED.body);
    expect((await session(code())).body).toEqual(WRONG.body);
    const { status, headers } = await session(code(1));
    expect([status, headers['set-cookie']]).toEqual([200, expect.stringMatching(/^__Host-rampart_session=/)]);
  });

  it('the second factor lets exactly one of several logins with one code in', async () => {
    const { code } = await enabled();
    const answers = await Promise.all([code(), code(), code()].map((totp) => logIn(totp)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  });

  it('the second factor takes each recovery code once', async () => {
    const { recovery } = await enabled();
    const [first = '', second = ''] = recovery;
    expect((await logIn(first.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    expect(await logIn(first)).toEqual(WRONG);
    expect((await logIn(second)).status).toBe(200);
    expect((await management.call('GET', '/api/admin/totp')).body).toMatchObject({ recovery_codes_left: 8 });
  });

  it('the second factor counts wrong codes as failed logins, whatever is sent between them', async () => {
    await enabled();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await logIn()).toEqual(REQUIRED);
      expect(await logIn('000000')).toEqual(WRONG);
    }
    // One login without a code leaves room for the one with it, further ones count as failed.
    expect(await logIn('000000')).toEqual(WRONG);
    expect(await logIn('000000')).toMatchObject({ status: 429, body: { code: 'LOGIN_THROTTLED' } });
    const [entry] = await management.database.query('SELECT * FROM audit_entries ORDER BY id DESC LIMIT 1');
    expect(entry).toMatchObject({ action: 'admin.login_failed', difference: { reason: { after: 'wrong_totp' } } });
  });

  it('the second factor says nothing to whoever has a wrong password', async () => {
    const { code } = await enabled();
    const failed = { status: 401, body: { detail: 'Incorrect username or password', code: 'LOGIN_FAILED' } };
    expect(await logIn(undefined, 'wrong password')).toEqual(failed);
    expect(await logIn(code(), 'wrong password')).toEqual(failed);
    expect((await logIn(code())).status).toBe(200);
  });

  it('the second factor is stored sealed, and of recovery codes only hashes', async () => {
    const { secret, recovery } = await enabled();
    const [row] = await management.database.manager.find(Totp);
    expect(row?.secretEncrypted.toString('latin1')).not.toContain(secret);
    const rows = ['admin_totps', 'audit_entries'].map((table) => management.database.query(`SELECT * FROM ${table}`));
    const stored = JSON.stringify(await Promise.all(rows));
    for (const text of [secret, ...recovery, ...recovery.map((code) => code.replaceAll('-', ''))])
      expect(stored).not.toContain(text);
  });

  it('the second factor is disabled with the own password and a code only', async () => {
    const { code } = await enabled();
    expect(await post('/api/admin/totp', { password: SUDO.password })).toMatchObject({
      status: 409,
      body: { code: 'TOTP_EXISTS' },
    });
    const wrong = { detail: { password: 'This is not your password' }, code: 'INVALID_FIELDS' };
    for (const url of ['/api/admin/totp', '/api/admin/totp/disable'])
      expect(await post(url, { password: 'wrong password' })).toEqual({ status: 422, body: wrong });
    const own = { password: SUDO.password, code: code() };
    expect((await post('/api/admin/totp/disable', own)).status).toBe(204);
    expect((await logIn()).status).toBe(200);
    expect(await post('/api/admin/totp/disable', own)).toMatchObject({ status: 404 });
  });

  it('the second factor of another admin is reset by sudo admins alone', async () => {
    const plain = await management.plainAdmin('plain');
    const other = { username: 'other', password: SUDO.password, is_sudo: true };
    expect((await post('/api/admin', other)).status).toBe(201);
    await enabled();
    const reset = (token: string) => management.call('DELETE', '/api/admin/root/totp', undefined, token);
    expect((await reset(plain)).status).toBe(403);
    const sudo = await management.login('other', SUDO.password);
    expect((await reset(sudo)).status).toBe(204);
    expect((await logIn()).status).toBe(200);
    await management.logInAgain();
    expect(await reset(sudo)).toEqual({
      status: 404,
      body: { detail: 'There is no second factor', code: 'TOTP_NOT_FOUND' },
    });
  });

  it('the second factor whose key is lost says so, and recovery codes still work', async () => {
    const { recovery, code } = await enabled();
    await management.database.query(`UPDATE admin_totps SET secret_encrypted = '\\x00'`);
    expect(await logIn(code())).toMatchObject({ status: 503, body: { code: 'TOTP_CLOSED' } });
    expect((await logIn(recovery[0])).status).toBe(200);
  });
});

/** Logs in as root from another address than that of the other tests. */
async function logInFrom(remoteAddress: string, totp?: string) {
  const payload = { username: 'root', password: SUDO.password, ...(totp !== undefined && { totp }) };
  const answer = await management.app.inject({ method: 'POST', url: '/api/admin/token', remoteAddress, payload });
  return { status: answer.statusCode, code: answer.json().code, retryAfter: Number(answer.headers['retry-after']) };
}

describe('security row 48: codes of the second factor', () => {
  const later = (minutes: number) =>
    management.database.query(
      `UPDATE login_failures SET since = since - moved, ends_at = ends_at - moved, forgotten_at = forgotten_at - moved
       FROM make_interval(mins => $1) AS moved`,
      [minutes],
    );
  /** Wrong codes from ever new networks, all at once; how many of them were looked at. */
  const guess = async (times: number, code: (n: number) => string = () => '000000') => {
    const peer = (n: number) => `10.${Math.floor(Math.random() * 250)}.${n}.1`;
    const answers = [];
    // A queue of logins is short.
    for (let n = 0; n < times; n += 10)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => logInFrom(peer(n + i), code(n + i))))));
    return answers.filter((answer) => answer.code === 'TOTP_WRONG').length;
  };

  it('codes of the second factor are guessed ten times an hour, from all networks together, and then ever more slowly', async () => {
    const { code } = await enabled();
    expect(await guess(20)).toBe(10);
    const refused = await logInFrom('198.51.100.1', code(1));
    expect([refused.status, refused.code]).toEqual([429, 'LOGIN_THROTTLED']);
    expect(refused.retryAfter).toBeGreaterThan(59 * 60);
    await later(60);
    expect(await guess(20)).toBe(10);
    const longer = await logInFrom('198.51.101.1', code(1));
    expect(longer.retryAfter).toBeGreaterThan(119 * 60);
    expect(longer.retryAfter).toBeLessThanOrEqual(120 * 60);
  });

  it('codes of the second factor that strangers guess do not keep their admin out where it has logged in before', async () => {
    const { code, recovery } = await enabled();
    expect((await logIn(code())).status).toBe(200);
    expect(await guess(20, () => 'aaaa-bbbb-cccc-dddd')).toBe(10);
    expect((await logInFrom('198.51.100.1', recovery[0])).status).toBe(429);
    expect((await logIn(recovery[0])).status).toBe(200);
  });

  it('codes of the second factor are taken without an end when they are right, and begin anew with another password', async () => {
    const { recovery } = await enabled();
    for (const one of recovery) expect((await logInFrom('10.1.1.1', one)).status).toBe(200);
    expect(await guess(20)).toBe(10);
    await forgetLoginFailures(management.database.manager, { id: 1, username: 'root' });
    expect(await guess(20)).toBe(10);
  });
});

describe('security row 49: a right password without a code', () => {
  const REQUIRED_FROM = { status: 401, code: 'TOTP_REQUIRED' };
  const entries = () =>
    management.database.query(
      `SELECT actor, address, target, difference FROM audit_entries WHERE action = 'admin.password_without_code' ORDER BY id`,
    );
  const minutesLater = (minutes: number) =>
    management.app.get(PasswordsWithoutCode).run(new Date(Date.now() + minutes * 60_000));
  const told = async () => {
    const token = await management.login(SUDO.username, SUDO.password);
    const { body } = await management.call('GET', '/api/admin', undefined, token);
    return Object(body).passwords_without_code;
  };

  it('a right password without a code counts as failed, is in the log once, and its admin is told until it has read it', async () => {
    const before = (await entries()).length;
    await enabled();
    const answers = [];
    for (let n = 1; n <= 12; n += 1) answers.push(await logInFrom(`198.51.100.${n}`));
    expect(answers.slice(0, 5)).toEqual(Array(5).fill(expect.objectContaining(REQUIRED_FROM)));
    expect(answers.slice(5).map(({ status }) => status)).toEqual(Array(7).fill(429));
    await minutesLater(4);
    expect(await entries()).toHaveLength(before);
    await Promise.all([minutesLater(6), minutesLater(6)]);
    await minutesLater(60);
    const since = expect.stringMatching(/^\d{4}-.*Z$/);
    const found = { network: { after: '198.51.100.0/24' }, tries: { after: 5 }, since: { after: since } };
    expect((await entries()).slice(before)).toEqual([
      { actor: '(unauthenticated)', address: '198.51.100.0/24', target: 'admin/root', difference: found },
    ]);
    await management.database.query('DELETE FROM admin_totps');
    expect(await told()).toEqual([{ network: '198.51.100.0/24', tries: 5, since }]);
    expect((await management.call('DELETE', '/api/admin/passwords-without-code')).status).toBe(204);
    expect(await told()).toEqual([]);
  });

  it('a right password without a code that its own code follows is a login like any other', async () => {
    const before = (await entries()).length;
    const { recovery } = await enabled();
    for (const code of recovery) {
      expect(await logIn()).toEqual(REQUIRED);
      expect((await logIn(code)).status).toBe(200);
    }
    await minutesLater(6);
    expect(await entries()).toHaveLength(before);
    const counts = await management.database.query(
      'SELECT sum(failures) AS failures, sum(codeless) AS codeless FROM login_failures',
    );
    expect(counts).toEqual([{ failures: '0', codeless: '0' }]);
  });

  it('a right password without a code leaves room for the code after all the failures that an admin may have', async () => {
    const { code } = await enabled();
    for (let n = 1; n <= 3; n += 1) expect((await logIn(undefined, 'wrong password')).status).toBe(401);
    expect(await logIn()).toEqual(REQUIRED);
    expect((await logIn(code())).status).toBe(200);
  });

  it('a right password without a code from many networks is in the log with at most 21 entries an hour', async () => {
    const before = (await entries()).length;
    const without = management.app.get(PasswordsWithoutCode);
    for (let n = 1; n <= 30; n += 1) await without.record(1, `10.0.${n}.1`);
    await minutesLater(6);
    expect(await entries()).toHaveLength(before + 21);
    expect(await told()).toHaveLength(10);
    await minutesLater(31 * 24 * 60);
    expect(await told()).toEqual([]);
  });
});
