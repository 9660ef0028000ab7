import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SignJWT } from 'jose';
import { Admin } from '../admins/store/admin.entity.js';
import { Keys, keyId } from '../keys/keys.js';
import { AUTHORITY, LEAF } from '../nodes/testing/certificates.js';
import { SECRETS } from '../testing/mutations/mutation.js';
import { MUTATIONS } from '../testing/mutations/mutations.js';
import { type Method, type Route, routesOf } from '../testing/routes.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { codeAt } from '../totp/totp-codes.js';

const STEP_UP = {
  status: 401,
  body: {
    detail: 'This needs a login of the last 10 minutes: log in again, or send password and code to /api/admin/step-up',
    code: 'STEP_UP_REQUIRED',
  },
};
const NO_IDENTITY = {
  status: 403,
  body: {
    detail:
      'Changing admins, their logins, second factors, API tokens or connections of nodes needs an API token with the grant `identity`',
    code: 'API_TOKEN_IDENTITY',
  },
};
const OWN_ADMIN = {
  status: 403,
  body: {
    detail:
      'An API token changes neither the password nor the rights of its own admin by name, ends none of its logins, and does not delete it',
    code: 'API_TOKEN_OWN_ADMIN',
  },
};
const OWN_PAGE = { 'x-rampart-dashboard': '1' };
const MINUTE_MS = 60_000;
const NEW_PASSWORD = 'another horse battery';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_LOGIN_ADDRESS_FAILURES: '1000' });
});
afterAll(() => management?.close());
beforeEach(() => management.database.query(`DELETE FROM admins WHERE username <> 'root'`));

type Headers = Record<string, string>;
type Credentials = Readonly<typeof SUDO>;

/** The headers of a login token, of a browser, and of API tokens of an admin. */
const loginToken = async ({ username, password }: Credentials): Promise<Headers> => ({
  authorization: `Bearer ${await management.login(username, password)}`,
});
async function browser(login: Credentials & { totp?: string }): Promise<Headers> {
  const { headers } = await management.request('POST', '/api/admin/session', login, '', OWN_PAGE);
  return { ...OWN_PAGE, cookie: String(headers['set-cookie']).split(';')[0] as string };
}
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();
async function apiToken({ username }: Credentials, body: object = {}): Promise<Headers> {
  const token = { admin_username: username, name: 'bot', scope: 'all', expires_at: IN_AN_HOUR, ...body };
  const made = await management.call('POST', '/api/admin/tokens', token);
  expect(made.status).toBe(201);
  return { authorization: `Bearer ${Object(made.body).token}` };
}

const send = (method: Method, url: string, by: Headers, body?: object) => management.call(method, url, body, '', by);

/** Runs with the clock of management so many minutes ahead. */
async function later<T>(minutes: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now.bind(Date);
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * MINUTE_MS);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

const marked = (): Route[] => routesOf(management.app).filter(({ identityProof }) => identityProof !== undefined);

/** Ways to act for an admin, how many minutes ago it logged in, and what they get on routes of both kinds. */
const CALLERS: readonly [string, (login: Credentials) => Promise<Headers>, number, ...(object | undefined)[]][] = [
  ['a fresh login token', loginToken, 9, undefined, undefined],
  ['an old login token', loginToken, 11, STEP_UP, undefined],
  ['a fresh session', browser, 9, undefined, undefined],
  ['an old session', browser, 11, STEP_UP, undefined],
  ['an API token', apiToken, 0, NO_IDENTITY, NO_IDENTITY],
  ['an API token for secrets', (login) => apiToken(login, { grants: ['secrets'] }), 0, NO_IDENTITY, NO_IDENTITY],
  ['an API token with identity', (login) => apiToken(login, { grants: ['identity'] }), 11, undefined, undefined],
];

/** Routes about admins, logins and API tokens, and those that say to whom management connects as a node. */
const IDENTITY_PATHS = /^\/api\/(?:admins?|tokens?|sessions?)(?:\/|$)|^\/api\/nodes?(?:\/:node_id)?$|\/enrol$/;
/** Routes with such paths that change nobody's identity. */
const UNMARKED = [
  // Management connects to one node less.
  'DELETE /api/node/:node_id',
  // A login, and what makes one count as new.
  'POST /api/admin/token',
  'POST /api/admin/session',
  'POST /api/admin/step-up',
  // A login ends itself.
  'DELETE /api/admin/session',
  // Traffic and users of an admin.
  'POST /api/admin/:username/reset',
  'POST /api/admin/:username/users/disable',
  'POST /api/admin/:username/users/activate',
  'DELETE /api/admin/:username/users',
];

describe('security row 42: a change of who may act', () => {
  it.each(CALLERS)(
    'a change of who may act by %s gets through or not, on every route',
    async (_, headersOf, minutes, ofFresh, ofBody) => {
      for (const { route, method, identityProof } of marked()) {
        const { url, body, by } = await MUTATIONS[route]!.prepare(management);
        const login = by ? { username: by.username, password: SECRETS.password } : SUDO;
        const headers = await later(-minutes, () => headersOf(login));
        const { status, body: answer } = await send(method, url, headers, body);
        const refused = identityProof === 'body' || identityProof === 'any login' ? ofBody : ofFresh;
        if (refused) expect({ route, status, body: answer }).toEqual({ route, ...refused });
        else expect({ route, answer, isDone: status >= 200 && status < 300 }).toEqual({ route, answer, isDone: true });
      }
    },
  );

  it('a change of who may act is marked on every route about admins, tokens, factors, and connections of nodes', () => {
    const identity = routesOf(management.app)
      .filter(({ method, path }) => method !== 'GET' && IDENTITY_PATHS.test(path))
      .map(({ route }) => route);
    const open = identity.filter((route) => !marked().some((one) => one.route === route));
    expect(open.toSorted()).toEqual(UNMARKED.toSorted());
    expect(
      marked()
        .filter(({ identityProof }) => identityProof === 'body')
        .map(({ route }) => route)
        .toSorted(),
    ).toEqual(['POST /api/admin/totp', 'POST /api/admin/totp/disable', 'PUT /api/admin']);
  });

  it('a change of who may act is another address, port, certificate or key of a node, and no other change of it', async () => {
    const node = { address: '127.0.0.1', port: 1, server_ca: AUTHORITY };
    const others = { connection_type: 'rest', keep_alive: 60, core_config_id: 1 };
    const { body } = await management.call('POST', '/api/node', {
      ...node,
      ...others,
      name: 'n',
      api_key: SECRETS.uuid,
    });
    const modify = (by: Headers, change: object) => send('PUT', `/api/node/${Object(body).id}`, by, change);
    const changes = { address: '127.0.0.2', port: 2, server_ca: LEAF, api_key: SECRETS.uuid };
    const old = await later(-11, () => loginToken(SUDO));
    for (const [by, refusal] of [
      [await apiToken(SUDO), NO_IDENTITY],
      [old, STEP_UP],
    ] as const) {
      for (const [name, value] of Object.entries(changes))
        expect({ name, ...(await modify(by, { [name]: value })) }).toEqual({ name, ...refusal });
      const same = { ...node, api_key: null, name: 'm', keep_alive: 61, connection_type: 'grpc', status: 'disabled' };
      expect(await modify(by, same)).toMatchObject({ status: 200, body: { ...node, status: 'disabled' } });
      expect(await modify(by, { status: 'connecting' })).toMatchObject({ status: 200 });
    }
    expect((await modify(await loginToken(SUDO), changes)).status).toBe(200);
  });

  it('a change of who may act needs only a login of the last ten minutes; everything else needs no fresh one', async () => {
    for (const headers of [await loginToken(SUDO), await browser(SUDO)])
      expect((await later(24 * 60 - 1, () => send('GET', '/api/admins', headers))).status).toBe(200);
  });

  it.each([
    ['a new one counts from its own moment', 0, 201],
    ['an old one is refused', 11, 401],
  ])('a change of who may act by a login token of an earlier version: %s', async (_, minutes, status) => {
    const { jwt } = management.app.get(Keys);
    const { id, username, tokenVersion } = await management.database.manager.findOneByOrFail(Admin, {
      username: 'root',
    });
    const token = await new SignJWT({ access: 'sudo', aid: id, ver: tokenVersion })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: keyId(jwt).toString('hex') })
      .setSubject(username)
      .setIssuedAt(Math.floor(Date.now() / 1000) - minutes * 60)
      .setExpirationTime('1h')
      .sign(jwt);
    const headers = { authorization: `Bearer ${token}` };
    expect((await send('GET', '/api/admins', headers)).status).toBe(200);
    const made = await send('POST', '/api/admin', headers, { ...SUDO, username: 'friend', is_sudo: false });
    expect(made.status).toBe(status);
  });

  it('a change of who may act goes on after a new login with the same client, as at every other 401', async () => {
    const body = { ...SUDO, username: 'friend', is_sudo: false };
    const old = await loginToken(SUDO);
    await later(11, async () => {
      expect(await send('POST', '/api/admin', old, body)).toEqual(STEP_UP);
      expect((await send('POST', '/api/admin', await loginToken(SUDO), body)).status).toBe(201);
    });
  });
});

describe('POST /api/admin/step-up', () => {
  const url = '/api/admin/step-up';
  const friend = { ...SUDO, username: 'friend', is_sudo: true };

  it.each([
    ['a session', browser],
    ['a login token', loginToken],
  ])('makes %s count as new', async (_, headersOf) => {
    const headers = await headersOf(SUDO);
    await later(11, async () => {
      expect(await send('POST', '/api/admin', headers, friend)).toEqual(STEP_UP);
      expect(await send('POST', url, headers, { password: SUDO.password })).toEqual({ status: 204, body: undefined });
      expect((await send('POST', '/api/admin', headers, friend)).status).toBe(201);
    });
    await later(22, async () => expect(await send('DELETE', '/api/admin/friend', headers)).toEqual(STEP_UP));
    const [entry] = await management.database.query(
      `SELECT actor, target FROM audit_entries WHERE action = 'admin.step_up' ORDER BY id DESC LIMIT 1`,
    );
    expect(entry).toEqual({ actor: 'root', target: 'admin/root' });
  });

  it('asks for the code of the second factor, and counts what is wrong as failed logins', async () => {
    const login = { username: 'friend', password: SUDO.password };
    await management.call('POST', '/api/admin', friend);
    const headers = await browser(login);
    const { body } = await send('POST', '/api/admin/totp', headers, { password: SUDO.password });
    const code = (steps: number) => codeAt(Object(body).secret, Date.now() + steps * 30_000);
    expect((await send('POST', '/api/admin/totp/confirm', headers, { code: code(-1) })).status).toBe(200);
    const refused = (detail: object) => ({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    const password = SUDO.password;
    expect(await send('POST', url, headers, { password })).toEqual(
      refused({ totp: 'Send the code that the app shows now, or a recovery code' }),
    );
    expect(await send('POST', url, headers, { password, totp: '000000' })).toEqual(
      refused({ totp: 'This code is wrong or was used already' }),
    );
    expect(await send('POST', url, headers, { password: 'wrong', totp: code(0) })).toEqual(
      refused({ password: 'This is not your password' }),
    );
    expect((await send('POST', url, headers, { password, totp: code(0) })).status).toBe(204);
    for (let tries = 0; tries < 5; tries++) await send('POST', url, headers, { password: 'wrong' });
    expect(await send('POST', url, headers, { password, totp: code(1) })).toMatchObject({
      status: 429,
      body: { code: 'LOGIN_THROTTLED' },
    });
  });

  it('is of no use to an API token', async () => {
    const headers = await apiToken(SUDO, { grants: ['identity'] });
    expect(await send('POST', url, headers, { password: SUDO.password })).toMatchObject({
      status: 404,
      body: { code: 'SESSION_NOT_FOUND' },
    });
  });
});

describe('security row 42: an API token with identity', () => {
  const create = (headers: Headers, body: object) =>
    send('POST', '/api/admin/tokens', headers, { name: 'made', scope: 'all', expires_at: IN_AN_HOUR, ...body });

  it('an API token with identity needs the scope all', async () => {
    for (const scope of ['read', 'users'])
      expect(await create(await loginToken(SUDO), { scope, grants: ['identity'] })).toEqual({
        status: 422,
        body: { detail: { grants: 'The grant identity needs the scope all' }, code: 'INVALID_FIELDS' },
      });
  });

  it('an API token with identity makes no token that may do more than itself', async () => {
    const end = new Date(Date.now() + 1_800_000).toISOString();
    const headers = await apiToken(SUDO, { grants: ['identity'], expires_at: end });
    for (const grants of [['identity'], ['secrets']])
      expect(await create(headers, { grants, expires_at: end })).toEqual({
        status: 403,
        body: { detail: 'Only a login with a password gives an API token grants', code: 'API_TOKEN_GRANTS' },
      });
    expect(await create(headers, { expires_at: IN_AN_HOUR })).toEqual({
      status: 422,
      body: {
        detail: { expires_at: `Input should be no later than the end of this token, ${end}` },
        code: 'INVALID_FIELDS',
      },
    });
    expect(await create(headers, { expires_at: end })).toMatchObject({ status: 201, body: { grants: [] } });
  });

  it('an API token with identity makes no token for other networks than its own', async () => {
    const allowed_networks = ['127.0.0.0/8', '192.0.2.1'];
    const headers = await apiToken(SUDO, { grants: ['identity'], allowed_networks });
    for (const wider of [undefined, [], ['0.0.0.0/0'], ['192.0.2.1', '192.0.2.2']])
      expect(await create(headers, { allowed_networks: wider })).toEqual({
        status: 422,
        body: {
          detail: { allowed_networks: 'Input should be networks of this token: 127.0.0.0/8, 192.0.2.1' },
          code: 'INVALID_FIELDS',
        },
      });
    const { status, body } = await create(headers, { allowed_networks: ['192.0.2.1'] });
    expect({ status, body }).toMatchObject({ status: 201, body: { allowed_networks: ['192.0.2.1'] } });
  });

  it('security row 118: the tokens that an API token with identity has made end with it, whomever they are for', async () => {
    await management.database.query('DELETE FROM api_tokens');
    await management.call('POST', '/api/admin', { ...SUDO, username: 'reseller', is_sudo: false });
    const login = await loginToken(SUDO);
    const maker = await apiToken(SUDO, { grants: ['identity'] });
    const make = async (by: Headers, body: object = {}): Promise<Headers & { id: string }> => {
      const { token, id } = Object((await create(by, body)).body);
      return { authorization: `Bearer ${token}`, id };
    };
    const made = [await make(maker), await make(maker, { admin_username: 'reseller' })];
    const kept = await make(login);
    const { tokens } = Object((await send('GET', '/api/admin/tokens', login)).body);
    const id = tokens.find(({ name }: { name: string }) => name === 'bot').id;
    expect(tokens.map(({ made_by }: { made_by: number | null }) => made_by)).toEqual([null, id, id, null]);
    const statuses = () =>
      Promise.all(
        [...made, kept].map(
          async (by) => (await send('GET', '/api/admin', { authorization: by.authorization! })).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await send('DELETE', `/api/token/${id}`, login)).status).toBe(204);
    expect(await statuses()).toEqual([401, 401, 200]);
    const { entries } = Object(
      (await send('GET', `/api/audit?target=api_token/${id}&action=api_token.delete`, login)).body,
    );
    expect(entries).toMatchObject([{ difference: { made: { before: made.map((one) => one.id) } } }]);
    const again = await apiToken(SUDO, { grants: ['identity'] });
    await make(again, { admin_username: 'reseller' });
    expect(await send('DELETE', '/api/admin/tokens', login)).toEqual({ status: 200, body: { deleted: 3 } });
  });

  it('an API token with identity neither takes over nor locks out its own admin by name', async () => {
    await management.call('POST', '/api/admin', { ...SUDO, username: 'victim', is_sudo: true });
    const headers = await apiToken({ ...SUDO, username: 'victim' }, { grants: ['identity'] });
    const put = (body: object) => send('PUT', '/api/admin/victim', headers, body);
    for (const body of [{ password: NEW_PASSWORD }, { is_sudo: false }, { is_disabled: true }])
      expect(await put(body)).toEqual(OWN_ADMIN);
    expect(await send('DELETE', '/api/admin/victim', headers)).toEqual(OWN_ADMIN);
    expect((await put({ profile_title: 'Title', is_sudo: true })).status).toBe(200);
    // Its own route asks for the present password.
    const change = { current_password: 'not this one', password: NEW_PASSWORD };
    expect(await send('PUT', '/api/admin', headers, change)).toMatchObject({ status: 422 });
    expect((await send('PUT', '/api/admin', headers, { ...change, current_password: SUDO.password })).status).toBe(200);
  });
});

describe('security row 42: an API token and the logins of admins', () => {
  const ids = async (username: string) =>
    (await management.database.query(
      `SELECT s.id FROM admin_sessions s JOIN admins a ON a.id = s.admin_id WHERE username = $1`,
      [username],
    )) as { id: number }[];

  it('an API token ends no login without identity, and with it none of its own admin, who can revoke it', async () => {
    await management.call('POST', '/api/admin', { ...SUDO, username: 'victim', is_sudo: true });
    await management.call('POST', '/api/admin', { ...SUDO, username: 'reseller', is_sudo: false });
    const [victim, reseller] = [
      { ...SUDO, username: 'victim' },
      { ...SUDO, username: 'reseller' },
    ];
    const [login] = [await loginToken(victim), await loginToken(reseller), await browser(reseller)];
    const [[mine], [theirs]] = [await ids('victim'), await ids('reseller')];
    const plain = await apiToken(victim);
    const all = '/api/admin/sessions';
    for (const url of [all, `${all}?admin=reseller`, `/api/session/${mine!.id}`, `/api/session/${theirs!.id}`])
      expect({ url, ...(await send('DELETE', url, plain)) }).toEqual({ url, ...NO_IDENTITY });
    const identity = await apiToken(victim, { grants: ['identity'] });
    for (const url of [all, `${all}?admin=victim`, `/api/session/${mine!.id}`])
      expect({ url, ...(await send('DELETE', url, identity)) }).toEqual({ url, ...OWN_ADMIN });
    expect((await send('DELETE', `/api/session/${theirs!.id}`, identity)).status).toBe(204);
    expect(await send('DELETE', `${all}?admin=reseller`, identity)).toEqual({ status: 200, body: { ended: 1 } });
    expect(await send('DELETE', '/api/admin/tokens', login)).toEqual({ status: 200, body: { deleted: 2 } });
  });
});

describe('security row 43: another password or second factor', () => {
  const own: Credentials = { username: 'owner', password: SUDO.password };
  const PASSWORD = { current_password: SUDO.password, password: NEW_PASSWORD };
  beforeEach(async () => {
    await management.call('POST', '/api/admin', { ...own, is_sudo: true });
  });

  const isIn = async (headers: Headers) => (await send('GET', '/api/admin', headers)).status === 200;

  /** Enrols the admin and confirms, by one of its logins. */
  async function enabled(by: Headers, body: object = {}) {
    const { secret } = Object((await send('POST', '/api/admin/totp', by, { password: own.password })).body);
    const code = (steps = 0) => codeAt(secret, Date.now() + steps * 30_000);
    const confirmed = await send('POST', '/api/admin/totp/confirm', by, { code: code(-1), ...body });
    expect(confirmed.status).toBe(200);
    return { code, recovery: Object(confirmed.body).recovery_codes as string[] };
  }

  it.each([
    ['a session', browser],
    ['a login token', loginToken],
  ])('another password or second factor ends all logins but %s that turns the factor on or off', async (_, by) => {
    const [mine, ...others] = [await by(own), await browser(own), await loginToken(own)];
    const { code } = await enabled(mine!);
    expect(await Promise.all([mine!, ...others].map(isIn))).toEqual([true, false, false]);
    const other = await browser({ ...own, totp: code() });
    const off = { password: own.password, code: code(1) };
    expect((await send('POST', '/api/admin/totp/disable', mine!, off)).status).toBe(204);
    expect(await Promise.all([mine!, other].map(isIn))).toEqual([true, false]);
  });

  it('another password or second factor ends all logins but the browser that changes the own password', async () => {
    const [mine, other, token] = [await browser(own), await browser(own), await loginToken(own)];
    expect((await send('PUT', '/api/admin', mine, PASSWORD)).status).toBe(200);
    expect(await Promise.all([mine, other, token].map(isIn))).toEqual([true, false, false]);
  });

  it.each<[string, Method, string, object | undefined]>([
    ['the password that another admin sets', 'PUT', '/api/admin/owner', { password: NEW_PASSWORD }],
    ['the factor that another admin removes', 'DELETE', '/api/admin/owner/totp', undefined],
  ])('another password or second factor ends all logins of the admin: %s', async (_, method, url, body) => {
    const logins = [await browser(own), await loginToken(own)];
    await send('POST', '/api/admin/totp', logins[0]!, { password: own.password });
    expect((await send(method, url, await loginToken(SUDO), body)).status).toBeLessThan(300);
    expect(await Promise.all(logins.map(isIn))).toEqual([false, false]);
  });

  it('another password or second factor revokes the API tokens only when asked to', async () => {
    const mine = await browser(own);
    const token = await apiToken(own);
    const { code } = await enabled(mine);
    expect(await isIn(token)).toBe(true);
    const off = { password: own.password, code: code(), revoke_tokens: true };
    expect((await send('POST', '/api/admin/totp/disable', mine, off)).status).toBe(204);
    expect(await isIn(token)).toBe(false);
    const second = await apiToken(own);
    await enabled(mine, { revoke_tokens: true });
    expect(await isIn(second)).toBe(false);
    const third = await apiToken(own);
    expect((await send('PUT', '/api/admin', mine, { ...PASSWORD, revoke_tokens: true })).status).toBe(200);
    expect(await isIn(third)).toBe(false);
    const fourth = await apiToken(own);
    const change = { password: SUDO.password, revoke_tokens: true };
    expect((await send('PUT', '/api/admin/owner', await loginToken(SUDO), change)).status).toBe(200);
    expect(await isIn(fourth)).toBe(false);
    const entries = await management.database.query(
      `SELECT actor, target FROM audit_entries WHERE action = 'api_token.delete_all' ORDER BY id DESC LIMIT 4`,
    );
    expect(entries.map(({ actor, target }: Record<string, string>) => `${actor} ${target}`)).toEqual([
      'root admin/owner',
      ...Array(3).fill('owner admin/owner'),
    ]);
  });

  it('another password or second factor: turning it off asks for a code, or a recovery code, and counts wrong ones', async () => {
    const mine = await browser(own);
    const { recovery } = await enabled(mine);
    const disable = (body: object) =>
      send('POST', '/api/admin/totp/disable', mine, { password: own.password, ...body });
    const refused = (code: string) => ({ status: 422, body: { detail: { code }, code: 'INVALID_FIELDS' } });
    expect(await disable({})).toEqual(refused('Send the code that the app shows now, or a recovery code'));
    expect(await disable({ code: '000000' })).toEqual(refused('This code is wrong or was used already'));
    const [entry] = await management.database.query('SELECT * FROM audit_entries ORDER BY id DESC LIMIT 1');
    expect(entry).toMatchObject({ action: 'admin.login_failed', difference: { reason: { after: 'wrong_totp' } } });
    expect((await disable({ code: recovery[0] })).status).toBe(204);
  });

  it('another password or second factor: the own one is not removed by name', async () => {
    const mine = await browser(own);
    await enabled(mine);
    expect(await send('DELETE', '/api/admin/owner/totp', mine)).toEqual({
      status: 403,
      body: {
        detail: 'Disable your own second factor with POST /api/admin/totp/disable, your password and a code',
        code: 'TOTP_OWN',
      },
    });
  });

  it('another password or second factor: an old login with a factor changes the password only with a code', async () => {
    const mine = await browser(own);
    const { code } = await enabled(mine);
    await later(11, async () => {
      expect(await send('PUT', '/api/admin', mine, PASSWORD)).toEqual({
        status: 422,
        body: {
          detail: { totp: 'Send the code that the app shows now, or a recovery code' },
          code: 'INVALID_FIELDS',
        },
      });
      expect((await send('PUT', '/api/admin', mine, { ...PASSWORD, totp: code() })).status).toBe(200);
    });
  });
});

describe('DELETE /api/admin/tokens', () => {
  it('revokes all tokens of an admin, and says how many', async () => {
    const plain = { authorization: `Bearer ${await management.plainAdmin('plain')}` };
    const own = await apiToken({ ...SUDO, username: 'plain' });
    const root = await apiToken(SUDO);
    expect(await send('DELETE', '/api/admin/tokens?admin=root', plain)).toMatchObject({ status: 403 });
    expect(await send('DELETE', '/api/admin/tokens', plain)).toEqual({ status: 200, body: { deleted: 1 } });
    expect((await send('GET', '/api/admin', own)).status).toBe(401);
    expect((await send('GET', '/api/admin', root)).status).toBe(200);
    expect(await send('DELETE', '/api/admin/tokens?admin=plain', await loginToken(SUDO))).toEqual({
      status: 200,
      body: { deleted: 0 },
    });
    expect(await send('DELETE', '/api/admin/tokens?admin=nobody', await loginToken(SUDO))).toMatchObject({
      status: 404,
      body: { code: 'ADMIN_NOT_FOUND' },
    });
  });
});
