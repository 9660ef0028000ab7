import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SignJWT } from 'jose';
import { PasswordHasher } from '../admins/passwords/password-hasher.js';
import { Admin } from '../admins/store/admin.entity.js';
import { Keys, keyId } from '../keys/keys.js';
import { routesOf } from '../testing/routes.js';
import { SUDO, TestManagement } from '../testing/test-management.js';

const UNAUTHENTICATED = {
  status: 401,
  body: { detail: 'Could not validate credentials', code: 'UNAUTHENTICATED' },
};
const LOGIN_FAILED = { status: 401, body: { detail: 'Incorrect username or password', code: 'LOGIN_FAILED' } };

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_CORS_ORIGINS: 'https://app.example' });
});
afterAll(() => management?.close());

const self = (token: string) => management.call('GET', '/api/admin', undefined, token);

describe('POST /api/admin/token', () => {
  const url = '/api/admin/token';

  it('accepts the OAuth2 password form', async () => {
    const answer = await management.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ grant_type: 'password', scope: '', ...SUDO }).toString(),
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ access_token: expect.any(String), token_type: 'bearer' });
    expect((await self(answer.json().access_token)).status).toBe(200);
  });

  it('accepts JSON credentials', async () => {
    expect(await management.call('POST', url, SUDO, '')).toMatchObject({ status: 200, body: { token_type: 'bearer' } });
  });

  it('security row 1: answers a wrong password and an unknown name alike, with one verification each', async () => {
    const verify = jest.spyOn(management.app.get(PasswordHasher), 'verify');
    const wrong = await management.request('POST', url, { ...SUDO, password: 'not this one' }, '');
    expect(wrong).toMatchObject({ ...LOGIN_FAILED, headers: { 'www-authenticate': 'Bearer' } });
    expect(await management.call('POST', url, { ...SUDO, username: 'nobody' }, '')).toEqual(LOGIN_FAILED);
    expect(verify.mock.calls).toEqual([
      [expect.stringMatching(/^\$argon2id\$/), 'not this one'],
      [undefined, SUDO.password],
    ]);
    verify.mockRestore();
  });

  it('accepts a bcrypt hash of another system, and replaces it by argon2id', async () => {
    const password = 'correct horse battery';
    const passwordHash = '$2b$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS';
    const { manager } = management.database;
    await manager.insert(Admin, { username: 'imported', passwordHash });
    const stored = async () => (await manager.findOneByOrFail(Admin, { username: 'imported' })).passwordHash;
    expect(await management.call('POST', url, { username: 'imported', password: 'wrong' }, '')).toEqual(LOGIN_FAILED);
    expect(await stored()).toBe(passwordHash);
    const token = await management.login('imported', password);
    expect((await self(token)).status).toBe(200);
    const renewed = await stored();
    expect(renewed).toMatch(/^\$argon2id\$/);
    expect((await self(await management.login('imported', password))).status).toBe(200);
    expect([await stored(), (await self(token)).status]).toEqual([renewed, 200]);
  });

  it('names the fields that are missing', async () => {
    expect(await management.call('POST', url, undefined, '')).toEqual({
      status: 422,
      body: { detail: { username: 'Field required', password: 'Field required' }, code: 'INVALID_FIELDS' },
    });
  });

  it.each([
    ['application/json', (names: string[]) => JSON.stringify(Object.fromEntries(names.map((name) => [name, [1]])))],
    ['application/x-www-form-urlencoded', (names: string[]) => names.join('&')],
  ])('is not blocked by a %s of half a million members', async (type, encode) => {
    const payload = encode(Array.from({ length: 500_000 }, (_, n) => `k${n}`));
    const { statusCode } = await management.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': type },
      payload,
    });
    expect(statusCode).toBe(413);
  });

  it('refuses a very long name with a message', async () => {
    expect(await management.call('POST', url, { ...SUDO, username: 'x'.repeat(1025) }, '')).toEqual({
      status: 422,
      body: { detail: { username: 'Input should have at most 1024 characters' }, code: 'INVALID_FIELDS' },
    });
  });

  it('tells that an admin is disabled only to somebody who knows the password', async () => {
    const disabled = await management.plainAdmin('disabled');
    await management.database.manager.update(Admin, { username: 'disabled' }, { isDisabled: true });
    expect(await management.call('POST', url, { username: 'disabled', password: SUDO.password }, '')).toEqual({
      status: 403,
      body: { detail: 'your account has been disabled', code: 'ADMIN_DISABLED' },
    });
    expect(await management.call('POST', url, { username: 'disabled', password: 'wrong' }, '')).toEqual(LOGIN_FAILED);
    expect(await self(disabled)).toEqual(UNAUTHENTICATED);
  });
});

describe('an access token', () => {
  it('becomes invalid with a new token version of its admin', async () => {
    const token = await management.plainAdmin('versioned');
    expect((await self(token)).status).toBe(200);
    await management.database.manager.increment(Admin, { username: 'versioned' }, 'tokenVersion', 1);
    expect(await self(token)).toEqual(UNAUTHENTICATED);
  });

  it('becomes invalid when its admin is deleted, even if a new admin has the name', async () => {
    const token = await management.plainAdmin('renewed');
    await management.database.manager.delete(Admin, { username: 'renewed' });
    await management.plainAdmin('renewed');
    expect(await self(token)).toEqual(UNAUTHENTICATED);
  });

  it('security row 5: is refused when forged', async () => {
    const { jwt } = management.app.get(Keys);
    const kid = keyId(jwt).toString('hex');
    const claims = { access: 'sudo', aid: 1, ver: 0 };
    const sign = (header: { alg: string; kid?: string }, exp: string, key: Buffer) =>
      new SignJWT(claims).setProtectedHeader(header).setSubject(SUDO.username).setExpirationTime(exp).sign(key);
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const unsigned = (alg: string) => `${encode({ alg, kid })}.${encode({ ...claims, sub: SUDO.username, exp: 4e9 })}.`;
    const forged = [
      unsigned('none'),
      unsigned('HS256'),
      unsigned('RS256'),
      await sign({ alg: 'HS256', kid }, '1h', Buffer.alloc(32)),
      await sign({ alg: 'HS512', kid }, '1h', Buffer.concat([jwt, jwt])),
      await sign({ alg: 'HS256', kid }, '-1s', jwt),
      await sign({ alg: 'HS256', kid: '00000000' }, '1h', jwt),
      await sign({ alg: 'HS256' }, '1h', jwt),
      'text',
    ];
    for (const token of forged) expect({ token, ...(await self(token)) }).toEqual({ token, ...UNAUTHENTICATED });
    expect((await self(await sign({ alg: 'HS256', kid }, '1h', jwt))).status).toBe(200);
  });

  it('is valid for a day', async () => {
    const [, claims = ''] = (await management.login(SUDO.username, SUDO.password)).split('.');
    const { sub, access, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect({ sub, access, lasts: exp - iat }).toEqual({ sub: 'root', access: 'sudo', lasts: 86_400 });
  });
});

describe('access levels', () => {
  const PUBLIC = [
    'GET /health',
    'GET /health/live',
    'GET /health/ready',
    'GET /sub/:token',
    'GET /sub/:token/:format',
    'GET /sub/:token/apps',
    'GET /sub/:token/info',
    'GET /sub/:token/usage',
    'GET /sub/probe/:token/bytes',
    'POST /api/admin/session',
    'POST /api/admin/token',
  ];

  it('are declared on every route', () => {
    const levels = routes();
    expect(levels.filter(({ level }) => level === undefined)).toEqual([]);
    expect(levels.flatMap(({ level, route }) => (level === 'public' ? [route] : [])).sort()).toEqual(PUBLIC);
  });

  it('refuse callers without a token on every route that is not public', async () => {
    for (const { level, method, path } of routes().filter(({ level }) => level !== 'public')) {
      const answer = await management.call(method, path.replaceAll(/:\w+/g, '1'), undefined, '');
      expect({ level, path, ...answer }).toEqual({ level, path, ...UNAUTHENTICATED });
    }
  });

  it('refuse plain admins on sudo routes', async () => {
    const token = await management.plainAdmin('plain');
    const sudo = routes().filter(({ level }) => level === 'sudo');
    expect(sudo.length).toBeGreaterThan(5);
    for (const { method, path } of sudo) {
      expect({ path, ...(await management.call(method, path.replaceAll(/:\w+/g, '1'), undefined, token)) }).toEqual({
        path,
        status: 403,
        body: { detail: "You're not allowed", code: 'FORBIDDEN' },
      });
    }
  });
});

const routes = () => routesOf(management.app);

describe('security row 111: a login from the page of another site', () => {
  const from = async (headers: Record<string, string>, password = 'wrong password') => {
    const answer = await management.app.inject({
      method: 'POST',
      url: '/api/admin/token',
      headers: { host: 'panel.example', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams({ username: SUDO.username, password }).toString(),
      remoteAddress: '192.0.2.77',
    });
    return { status: answer.statusCode, body: answer.json() };
  };

  it.each([
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    [{ origin: 'https://sister.panel.example', 'sec-fetch-site': 'same-site' }],
    [{ origin: 'null', 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ origin: 'http://evil.example' }],
    [{ origin: 'null' }],
  ])('with %j is refused, and does not count as one that failed', async (headers) => {
    for (let n = 0; n < 6; n += 1)
      expect(await from(headers)).toEqual({
        status: 403,
        body: {
          detail: 'Pages of other sites log in only where RAMPART_CORS_ORIGINS names their origin',
          code: 'CROSS_SITE',
        },
      });
    expect((await from({}, SUDO.password)).status).toBe(200);
  });

  it.each([
    [{ origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
    [{ origin: 'https://app.example' }],
    [{ origin: 'https://panel.example', 'sec-fetch-site': 'same-origin' }],
    [{ origin: 'http://panel.example' }],
    [{ 'sec-fetch-site': 'none' }],
    [{}],
  ])('is none with %j', async (headers) => {
    expect((await from(headers, SUDO.password)).status).toBe(200);
  });
});
