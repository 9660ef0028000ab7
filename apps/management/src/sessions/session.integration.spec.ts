import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { Session } from './session.entity.js';
import { hashOfSession } from './session-cookie.js';
import { SessionRetention } from './session-retention.js';

const UNAUTHENTICATED = { status: 401, body: { detail: 'Could not validate credentials', code: 'UNAUTHENTICATED' } };
const NOT_FOUND = { status: 404, body: { detail: 'Session not found', code: 'SESSION_NOT_FOUND' } };
const CROSS_SITE = {
  status: 403,
  body: {
    detail:
      'A change with a session cookie needs the header x-rampart-dashboard and must come from a page of this site',
    code: 'CROSS_SITE',
  },
};
const OWN_PAGE = { 'x-rampart-dashboard': '1', 'sec-fetch-site': 'same-origin' };
const BROWSERS = { kind: 'browser' } as const;
const CHROMIUM = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_TRUSTED_PROXIES: '127.0.0.1' });
  await management.plainAdmin('plain');
});
afterAll(() => management?.close());
beforeEach(() =>
  management.database.query(
    `DELETE FROM admin_sessions USING admins WHERE admins.id = admin_id AND (kind = 'browser' OR username <> 'root')`,
  ),
);

type Headers = Record<string, string>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

async function send(method: Method, url: string, headers: Headers, payload?: object) {
  return sendTo(management, method, url, headers, payload);
}

async function sendTo(to: TestManagement, method: Method, url: string, headers: Headers, payload?: object) {
  const answer = await to.app.inject({ method, url, headers, ...(payload && { payload }) });
  const body = answer.payload === '' ? undefined : answer.json();
  return { status: answer.statusCode, body, cookie: answer.headers['set-cookie'] };
}

const logIn = (username = SUDO.username, headers: Headers = {}) =>
  send('POST', '/api/admin/session', { ...OWN_PAGE, ...headers }, { username, password: SUDO.password });

/** Logs in, and returns the cookie as a browser sends it. */
async function browserOf(username?: string): Promise<{ cookie: string; id: number }> {
  const { status, body, cookie } = await logIn(username, { 'user-agent': CHROMIUM });
  expect(status).toBe(200);
  return { cookie: String(cookie?.[0]).split(';')[0] as string, id: body.id };
}

const self = (cookie: string) => send('GET', '/api/admin', { cookie });
const answerOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

describe('POST /api/admin/session', () => {
  it('sets a cookie that no script and no other site can use, and stores only its hash', async () => {
    const { status, body, cookie } = await logIn(undefined, { 'user-agent': CHROMIUM, 'x-forwarded-for': '192.0.2.7' });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: expect.any(Number),
        admin: 'root',
        kind: 'browser',
        address: '192.0.2.7',
        user_agent: CHROMIUM,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        last_used_at: expect.stringMatching(/^\d{4}-.*Z$/),
        authenticated_at: expect.stringMatching(/^\d{4}-.*Z$/),
        expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
        is_current: true,
      },
    });
    const [, secret] =
      /^__Host-rampart_session=([\w-]{43}); Path=\/; HttpOnly; SameSite=Strict; Secure$/.exec(String(cookie?.[0])) ??
      [];
    const [row] = await management.database.manager.findBy(Session, BROWSERS);
    expect(row?.hash).toEqual(hashOfSession(String(secret)));
    const [entry] = await management.database.manager.find(AuditEntry, { order: { id: 'DESC' }, take: 1 });
    expect(entry).toMatchObject({ actor: 'root', action: 'admin.login', target: 'admin/root', address: '192.0.2.7' });
    expect(JSON.stringify([body, row, entry])).not.toContain(secret);
  });

  it('refuses a wrong password and a disabled admin like POST /api/admin/token', async () => {
    const wrong = { username: 'root', password: 'not this one' };
    expect(answerOf(await send('POST', '/api/admin/session', OWN_PAGE, wrong))).toEqual({
      status: 401,
      body: { detail: 'Incorrect username or password', code: 'LOGIN_FAILED' },
    });
    await management.call('PUT', '/api/admin/plain', { is_disabled: true });
    expect(answerOf(await logIn('plain'))).toEqual({
      status: 403,
      body: { detail: 'your account has been disabled', code: 'ADMIN_DISABLED' },
    });
    await management.call('PUT', '/api/admin/plain', { is_disabled: false });
    expect(await management.database.manager.countBy(Session, BROWSERS)).toBe(0);
  });

  it('is refused when another site may have sent it', async () => {
    const unclear: Headers[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of unclear)
      expect(answerOf(await send('POST', '/api/admin/session', headers, SUDO))).toEqual(CROSS_SITE);
    expect(await management.database.manager.countBy(Session, BROWSERS)).toBe(0);
  });
});

describe('a session cookie', () => {
  it('has the rights of its admin', async () => {
    const [root, plain] = [await browserOf(), await browserOf('plain')];
    expect(await self(root.cookie)).toMatchObject({ status: 200, body: { username: 'root', is_sudo: true } });
    expect(await self(plain.cookie)).toMatchObject({ status: 200, body: { username: 'plain', is_sudo: false } });
    expect((await send('GET', '/api/cores', { cookie: plain.cookie })).status).toBe(403);
    const made = await send('POST', '/api/user', { cookie: plain.cookie, ...OWN_PAGE }, { username: 'of-browser' });
    expect(made).toMatchObject({ status: 201, body: { admin: { username: 'plain' } } });
  });

  it.each<[string, Headers]>([
    ['nothing says where it comes from', {}],
    ['our own header is missing', { 'sec-fetch-site': 'same-origin' }],
    ['the browser says that another site sent it', { 'x-rampart-dashboard': '1', 'sec-fetch-site': 'cross-site' }],
    ['the browser says that a sister site sent it', { 'x-rampart-dashboard': '1', 'sec-fetch-site': 'same-site' }],
  ])('security row 30: changes nothing when %s', async (_, headers) => {
    const { cookie } = await browserOf();
    const body = { username: 'not-made' };
    expect(answerOf(await send('POST', '/api/user', { cookie, ...headers }, body))).toEqual(CROSS_SITE);
    expect(answerOf(await send('DELETE', '/api/admin/session', { cookie, ...headers }))).toEqual(CROSS_SITE);
    expect((await self(cookie)).status).toBe(200);
    expect(await management.call('GET', '/api/user/not-made')).toMatchObject({ status: 404 });
  });

  it.each(['same-site', 'cross-site'])(
    'security row 122: reads nothing for a page of another site: %s',
    async (site) => {
      const { cookie } = await browserOf();
      const read = (from: Headers) => send('GET', '/api/users?limit=1', { cookie, ...from });
      expect(answerOf(await read({ 'sec-fetch-site': site }))).toEqual({
        status: 403,
        body: { detail: 'A session cookie is for pages of this site alone', code: 'CROSS_SITE' },
      });
      const authorization = `Bearer ${await management.login('plain', SUDO.password)}`;
      const allowed: Headers[] = [
        { 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': site, authorization },
      ];
      for (const from of allowed) expect((await read(from)).status).toBe(200);
    },
  );

  it('changes what a page on plain HTTP asks for, where browsers do not say where it comes from', async () => {
    const { cookie } = await browserOf();
    const headers = { cookie, 'x-rampart-dashboard': '1' };
    expect((await send('POST', '/api/user', headers, { username: 'plain-http' })).status).toBe(201);
  });

  it('stands behind a token', async () => {
    const { cookie } = await browserOf();
    expect((await send('GET', '/api/admin', { cookie, authorization: 'Bearer wrong' })).status).toBe(401);
    const authorization = `Bearer ${await management.login('plain', SUDO.password)}`;
    expect((await send('GET', '/api/admin', { cookie, authorization })).body).toMatchObject({ username: 'plain' });
    // It is the token's login that ends.
    expect((await send('DELETE', '/api/admin/session', { cookie, authorization })).status).toBe(204);
    expect((await send('GET', '/api/admin', { authorization })).status).toBe(401);
    expect((await self(cookie)).status).toBe(200);
  });

  it('is found among others', async () => {
    const { cookie } = await browserOf();
    expect((await self(`a=b; ${cookie}; c=d`)).status).toBe(200);
    for (const other of [
      `x${cookie}`,
      `${cookie}x`,
      '__Host-rampart_session=',
      '__Host-rampart_session',
      `__Host-rampart_session=${'A'.repeat(43)}`,
    ])
      expect(answerOf(await self(other))).toEqual(UNAUTHENTICATED);
  });
});

describe('the end of a session', () => {
  it('comes with DELETE /api/admin/session, which removes the cookie', async () => {
    const [first, second] = [await browserOf(), await browserOf()];
    const { status, cookie } = await send('DELETE', '/api/admin/session', { cookie: first.cookie, ...OWN_PAGE });
    expect({ status, cookie }).toEqual({
      status: 204,
      cookie: ['__Host-rampart_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure'],
    });
    expect(answerOf(await self(first.cookie))).toEqual(UNAUTHENTICATED);
    expect((await self(second.cookie)).status).toBe(200);
    const [entry] = await management.database.manager.find(AuditEntry, { order: { id: 'DESC' }, take: 1 });
    expect(entry).toMatchObject({ actor: 'root', action: 'session.end', target: `session/${first.id}` });
  });

  it('comes with another password, with a disabled and with a deleted admin', async () => {
    const other = async (change: () => Promise<unknown>) => {
      const { cookie } = await browserOf('other');
      await change();
      expect(answerOf(await self(cookie))).toEqual(UNAUTHENTICATED);
    };
    await management.plainAdmin('other');
    await other(() => management.call('PUT', '/api/admin/other', { password: SUDO.password }));
    await other(() => management.call('PUT', '/api/admin/other', { is_disabled: true }));
    await management.call('PUT', '/api/admin/other', { is_disabled: false });
    await other(() => management.call('DELETE', '/api/admin/other'));
  });

  it('comes when it was not used for RAMPART_SESSION_MINUTES, and use puts it off', async () => {
    const { cookie, id } = await browserOf();
    const age = (minutes: number) =>
      management.database.query('UPDATE admin_sessions SET last_used_at = now() - make_interval(mins => $1)', [
        minutes,
      ]);
    await age(1439);
    expect((await self(cookie)).status).toBe(200);
    const { lastUsedAt } = await management.database.manager.findOneByOrFail(Session, { id });
    expect(Math.abs(Number(lastUsedAt) - Date.now())).toBeLessThan(10_000);
    await age(1441);
    expect(answerOf(await self(cookie))).toEqual(UNAUTHENTICATED);
    // The login token of a program does not end by not being used.
    expect((await management.call('GET', '/api/admin/sessions')).body).toMatchObject({
      sessions: [{ kind: 'token' }],
      total: 1,
    });
    const { id: kept } = await browserOf();
    await management.app.get(SessionRetention).run(new Date());
    expect((await management.database.manager.findBy(Session, BROWSERS)).map((session) => session.id)).toEqual([kept]);
  });

  it('security row 44: comes after RAMPART_SESSION_DAYS, however much it is used', async () => {
    const { cookie, id } = await browserOf();
    const { createdAt, expiresAt } = await management.database.manager.findOneByOrFail(Session, { id });
    expect(Math.round((Number(expiresAt) - Number(createdAt)) / 3_600_000)).toBe(30 * 24);
    const endsIn = (seconds: number) =>
      management.database.query(
        'UPDATE admin_sessions SET expires_at = now() + make_interval(secs => $1), last_used_at = now() WHERE id = $2',
        [seconds, id],
      );
    await endsIn(60);
    expect((await self(cookie)).status).toBe(200);
    await endsIn(-1);
    expect(answerOf(await self(cookie))).toEqual(UNAUTHENTICATED);
    expect((await management.call('GET', '/api/admin/sessions')).body).toMatchObject({ total: 1 });
    await management.app.get(SessionRetention).run(new Date());
    expect(await management.database.manager.existsBy(Session, { id })).toBe(false);
  });

  it('security row 44: comes when twenty others of its admin were used later', async () => {
    const oldest = await browserOf('plain');
    const unused = await browserOf('plain');
    const others = await Promise.all(Array.from({ length: 18 }, () => browserOf('plain')));
    const ofRoot = await browserOf();
    // The first one was used after all others.
    await management.database.query(
      `UPDATE admin_sessions SET last_used_at = now() - interval '5 minutes' WHERE kind = 'browser'`,
    );
    const touch = (id: number, minutes: number) =>
      management.database.query(
        'UPDATE admin_sessions SET last_used_at = now() - make_interval(mins => $2) WHERE id = $1',
        [id, minutes],
      );
    await touch(oldest.id, 0);
    await touch(unused.id, 6);
    const newest = await browserOf('plain');
    expect(answerOf(await self(unused.cookie))).toEqual(UNAUTHENTICATED);
    for (const { cookie } of [oldest, newest, ofRoot, ...others]) expect((await self(cookie)).status).toBe(200);
  });
});

describe('security row 45: a login token', () => {
  const tokenOf = async (username: string, userAgent: string) => {
    const login = { username, password: SUDO.password };
    const { body } = await send('POST', '/api/admin/token', { 'user-agent': userAgent }, login);
    return { authorization: `Bearer ${body.access_token}` };
  };
  const isIn = async (headers: Headers) => (await send('GET', '/api/admin', headers)).status === 200;

  it('a login token stands in the list of logins with where it comes from, and is ended there', async () => {
    const from = { 'x-forwarded-for': '192.0.2.7', 'user-agent': 'billing/1.0' };
    const login = { username: 'plain', password: SUDO.password };
    const { body } = await send('POST', '/api/admin/token', from, login);
    const bot = { authorization: `Bearer ${body.access_token}` };
    const other = await tokenOf('plain', 'curl/8');
    await management.database.query(`UPDATE admin_sessions SET last_used_at = now() - interval '1 hour'`);
    const list = async () => (await send('GET', '/api/admin/sessions?limit=2', bot)).body;
    const { sessions, total } = await list();
    expect(total).toBeGreaterThanOrEqual(2);
    expect(sessions).toMatchObject([
      { admin: 'plain', kind: 'token', user_agent: 'curl/8', is_current: false },
      { admin: 'plain', kind: 'token', address: '192.0.2.7', user_agent: 'billing/1.0', is_current: true },
    ]);
    const lastUse = async () => Date.now() - Date.parse((await list()).sessions[1].last_used_at);
    expect(await lastUse()).toBeLessThan(60_000);
    const shown = JSON.stringify([sessions, await management.database.manager.find(Session)]);
    const { jti } = decodeJwt(body.access_token);
    expect(jti).toMatch(/^[\w-]{22}$/);
    expect(shown).not.toContain(jti);
    expect((await send('DELETE', `/api/session/${sessions[1].id}`, other)).status).toBe(204);
    expect(await Promise.all([bot, other].map(isIn))).toEqual([false, true]);
    const [entry] = await management.database.manager.find(AuditEntry, { order: { id: 'DESC' }, take: 1 });
    expect(entry).toMatchObject({ actor: 'plain', action: 'session.end', target: `session/${sessions[1].id}` });
  });

  it('a login token is no session of a browser, and a session no login token', async () => {
    const { cookie, id } = await browserOf('plain');
    const bot = await tokenOf('plain', 'curl/8');
    await management.database.query(`UPDATE admin_sessions SET kind = 'token' WHERE id = $1`, [id]);
    expect(await isIn({ cookie })).toBe(false);
    await management.database.query(`UPDATE admin_sessions SET kind = 'browser' WHERE user_agent = 'curl/8'`);
    expect(await isIn(bot)).toBe(false);
  });

  it('a login token ends when a thousand others of its admin were used later', async () => {
    const [first, second] = [await tokenOf('plain', 'first'), await tokenOf('plain', 'second')];
    await management.database.query(
      `INSERT INTO admin_sessions (admin_id, hash, kind, token_version, address, authenticated_at, expires_at)
       SELECT admin_id, sha256(n::text::bytea), 'token', token_version, '', now(), expires_at
       FROM admin_sessions, generate_series(1, 998) AS n WHERE user_agent = 'first'`,
    );
    await management.database.query(
      `UPDATE admin_sessions SET last_used_at = now() - interval '1 minute' WHERE user_agent = 'first'`,
    );
    await tokenOf('plain', 'newest');
    expect(await Promise.all([first, second].map(isIn))).toEqual([false, true]);
    await management.database.query(`DELETE FROM admin_sessions WHERE address = ''`);
  });

  it('DELETE /api/admin/sessions ends all logins of the caller but the one that asks', async () => {
    const inBrowser = async () => ({ cookie: (await browserOf('plain')).cookie, ...OWN_PAGE });
    for (const logInMine of [inBrowser, () => tokenOf('plain', 'mine')]) {
      const mine = await logInMine();
      const [browser, token] = [{ cookie: (await browserOf('plain')).cookie }, await tokenOf('plain', 'other')];
      const ofRoot = { cookie: (await browserOf()).cookie };
      const { status, body } = await send('DELETE', '/api/admin/sessions', mine);
      expect({ status, body }).toEqual({ status: 200, body: { ended: expect.any(Number) } });
      expect(await Promise.all([mine, browser, token, ofRoot].map(isIn))).toEqual([true, false, false, true]);
    }
  });

  it('DELETE /api/admin/sessions ends the logins of another admin for sudo admins alone', async () => {
    const [browser, token] = [await browserOf('plain'), await tokenOf('plain', 'bot')];
    const url = '/api/admin/sessions?admin=plain';
    const byPlain = await send('DELETE', '/api/admin/sessions?admin=root', token);
    expect(answerOf(byPlain)).toEqual({ status: 403, body: { detail: "You're not allowed", code: 'FORBIDDEN' } });
    expect((await management.call('DELETE', url)).status).toBe(200);
    expect(await Promise.all([{ cookie: browser.cookie }, token].map(isIn))).toEqual([false, false]);
    expect((await management.call('GET', '/api/admin')).status).toBe(200);
    const [entry] = await management.database.manager.find(AuditEntry, { order: { id: 'DESC' }, take: 1 });
    expect(entry).toMatchObject({ actor: 'root', action: 'session.end_all', target: 'admin/plain' });
  });
});

describe('GET /api/admin/sessions', () => {
  const adminsOf = ({ body }: { body: unknown }) =>
    Object(body).sessions.map(({ admin, is_current }: { admin: string; is_current: boolean }) => [admin, is_current]);

  it('lists all sessions for sudo admins and own ones for others, who cannot end those of others', async () => {
    const [root, plain] = [await browserOf(), await browserOf('plain')];
    const list = (cookie: string, query = '') => send('GET', `/api/admin/sessions${query}`, { cookie });
    expect(adminsOf(await list(root.cookie))).toEqual([
      ['plain', false],
      ['root', true],
      // The login token of these tests.
      ['root', false],
    ]);
    expect(adminsOf(await list(root.cookie, '?admin=plain'))).toEqual([['plain', false]]);
    expect(adminsOf(await list(root.cookie, '?offset=1&limit=1'))).toEqual([['root', true]]);
    expect(adminsOf(await list(plain.cookie))).toEqual([['plain', true]]);
    const end = (by: string, id: number) => send('DELETE', `/api/session/${id}`, { cookie: by, ...OWN_PAGE });
    expect(answerOf(await end(plain.cookie, root.id))).toEqual(NOT_FOUND);
    expect((await end(root.cookie, plain.id)).status).toBe(204);
    expect(answerOf(await self(plain.cookie))).toEqual(UNAUTHENTICATED);
    expect((await self(root.cookie)).status).toBe(200);
  });
});

describe('security row 46: the cookie of a session', () => {
  const secretOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);
  const PLAIN = /^rampart_session=[\w-]{43}; Path=\/api; HttpOnly; SameSite=Strict$/;
  const SAFE = /^__Host-rampart_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/;

  it('the cookie of a session cannot be set by a sister site, whose cookies are not even looked at', async () => {
    const [root, plain] = [await browserOf(), await browserOf('plain')];
    const tossed = `rampart_session=${secretOf(plain.cookie)}`;
    for (const cookies of [`${tossed}; ${root.cookie}`, `${root.cookie}; ${tossed}`])
      expect((await self(cookies)).body).toMatchObject({ username: 'root' });
    expect(answerOf(await self(tossed))).toEqual(UNAUTHENTICATED);
  });

  it('the cookie of a session counts when another one of its name has ended, and none does when they are of two admins', async () => {
    const [root, other, plain] = [await browserOf(), await browserOf(), await browserOf('plain')];
    const ended = `__Host-rampart_session=${'A'.repeat(43)}`;
    for (const cookies of [`${ended}; ${root.cookie}`, `${root.cookie}; ${ended}`, `${root.cookie}; ${other.cookie}`])
      expect((await self(cookies)).body).toMatchObject({ username: 'root' });
    expect(answerOf(await self(`${plain.cookie}; ${root.cookie}`))).toEqual(UNAUTHENTICATED);
  });

  it('the cookie of a session from before HTTPS is removed by the next login', async () => {
    const { cookie } = await logIn(undefined, { cookie: `rampart_session=${'A'.repeat(43)}` });
    expect(cookie?.slice(0, 2)).toEqual([expect.stringMatching(SAFE), 'rampart_session=; Max-Age=0; Path=/api']);
  });

  it('the cookie of a session on any path has no rights outside of the API', async () => {
    const { cookie } = await browserOf();
    for (const url of ['/health', '/sub/x'])
      expect(answerOf(await send('GET', url, { cookie }))).toEqual(answerOf(await send('GET', url, {})));
  });

  it('the cookie of a session is for plain HTTP only where public URL and request are, and a stranger cannot claim HTTPS', async () => {
    const trial = await TestManagement.start({
      RAMPART_PUBLIC_URL: 'http://panel.example:8000',
      RAMPART_TRUSTED_PROXIES: '10.0.0.1',
    });
    try {
      const setBy = async (remoteAddress: string, proto: string) => {
        const headers = { ...OWN_PAGE, 'x-forwarded-proto': proto };
        const login = { method: 'POST', url: '/api/admin/session', remoteAddress, headers, payload: SUDO } as const;
        const { headers: answered } = await trial.app.inject(login);
        expect(answered['strict-transport-security']).toBeUndefined();
        return String(answered['set-cookie']?.[0]);
      };
      const cookie = await setBy('192.0.2.1', 'https');
      expect(cookie).toMatch(PLAIN);
      expect(await setBy('10.0.0.1', 'http')).toMatch(PLAIN);
      expect(await setBy('10.0.0.1', 'https')).toMatch(SAFE);
      const sent = { cookie: cookie.split(';', 1)[0] as string };
      expect((await sendTo(trial, 'GET', '/api/admin', sent)).status).toBe(200);
      const ended = await sendTo(trial, 'DELETE', '/api/admin/session', { ...sent, ...OWN_PAGE });
      expect(ended.cookie).toEqual(['rampart_session=; Max-Age=0; Path=/api; HttpOnly; SameSite=Strict']);
    } finally {
      await trial.close();
    }
  });
});
