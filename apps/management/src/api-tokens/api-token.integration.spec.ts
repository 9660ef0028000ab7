import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { includesRoute, TOKEN_SCOPES } from '../access/token-scope.js';
import { Admin } from '../admins/store/admin.entity.js';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { routesOf } from '../testing/routes.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { ApiToken } from './api-token.entity.js';
import { hashOfApiToken } from './api-token.js';

const URL = '/api/admin/tokens';
const UNAUTHENTICATED = { status: 401, body: { detail: 'Could not validate credentials', code: 'UNAUTHENTICATED' } };
const FORBIDDEN = { status: 403, body: { detail: "You're not allowed", code: 'FORBIDDEN' } };
const OUT_OF_SCOPE = {
  status: 403,
  body: { detail: 'The scope of this API token does not include this', code: 'API_TOKEN_SCOPE' },
};
const NOT_FOUND = { status: 404, body: { detail: 'API token not found', code: 'API_TOKEN_NOT_FOUND' } };

let management: TestManagement;
let plain: string;
beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
});
afterAll(() => management?.close());
beforeEach(() => management.database.query('DELETE FROM api_tokens'));

/** A moment in an hour. */
const END = new Date(Date.now() + 3_600_000).toISOString();

async function create(body: object = {}, by?: string): Promise<{ id: number; token: string }> {
  const answer = await management.call('POST', URL, { name: 'bot', scope: 'all', expires_at: END, ...body }, by);
  expect(answer.status).toBe(201);
  return Object(answer.body);
}

const self = (token: string) => management.call('GET', '/api/admin', undefined, token);
const namesOf = (answer: { body: unknown }) =>
  Object(answer.body).tokens.map(({ admin, name }: { admin: string; name: string }) => `${admin} ${name}`);

describe('POST /api/admin/tokens', () => {
  it('returns the token once and stores only its hash', async () => {
    const { status, body } = await management.call('POST', URL, { name: 'bot', scope: 'read', expires_at: END });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.any(Number),
        name: 'bot',
        admin: 'root',
        scope: 'read',
        grants: [],
        allowed_networks: [],
        made_by: null,
        expires_at: END,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        last_used_at: null,
        token: expect.stringMatching(/^rampart_[\w-]{43}$/),
      },
    });
    const { token, ...shown } = Object(body);
    expect((await management.call('GET', URL)).body).toEqual({ tokens: [shown], total: 1 });
    const [row] = await management.database.manager.find(ApiToken);
    expect(row?.hash).toEqual(hashOfApiToken(token));
    const [entry] = await management.database.manager.find(AuditEntry, { order: { id: 'DESC' }, take: 1 });
    expect(entry).toMatchObject({
      actor: 'root',
      action: 'api_token.create',
      target: `api_token/${shown.id}`,
      difference: { name: { after: 'bot' }, scope: { after: 'read' } },
    });
    expect(JSON.stringify([row, entry])).not.toContain(token.slice(8));
  });

  it.each([
    [{}, { name: 'Field required', scope: 'Field required' }],
    [
      { name: '', scope: 'sudo' },
      { name: 'Field required', scope: "Input should be one of 'read', 'users', 'all'" },
    ],
    [
      { name: 'x'.repeat(65), scope: 'all', expires_at: 'soon' },
      {
        name: 'Input should have at most 64 characters',
        expires_at: 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z',
      },
    ],
    [
      { name: 'x', scope: 'all', grants: ['identity', 'everything'] },
      { grants: "Input should be one of 'identity', 'secrets'" },
    ],
    [{ name: 'x', scope: 'all', expires_at: 1 }, { expires_at: 'Input should be a moment in the future' }],
  ])('refuses %j', async (body, detail) => {
    expect(await management.call('POST', URL, body)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await management.database.manager.count(ApiToken)).toBe(0);
  });
});

it('POST /api/admin/tokens stores each grant once, and lists show them', async () => {
  const grants = ['secrets', 'identity', 'secrets'];
  expect(await create({ grants })).toMatchObject({ grants: ['identity', 'secrets'] });
  expect((await management.call('GET', URL)).body).toMatchObject({ tokens: [{ grants: ['identity', 'secrets'] }] });
});

describe('security row 57: the end and the number of API tokens', () => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000 - 60_000).toISOString();
  const post = (expires_at: unknown) => management.call('POST', URL, { name: 'bot', scope: 'read', expires_at });
  const refused = (expires_at: string) => ({ status: 422, body: { detail: { expires_at }, code: 'INVALID_FIELDS' } });

  it('security row 57: an API token must name its end, which is at most as far as the setting says', async () => {
    const missing = refused('Field required, a moment in the next 366 days: RAMPART_API_TOKEN_DAYS is 366');
    for (const none of [undefined, null, 0]) expect(await post(none)).toEqual(missing);
    expect((await post(days(366))).status).toBe(201);
    expect(await post(days(367))).toEqual(
      refused('Input should be a moment in the next 366 days: RAMPART_API_TOKEN_DAYS is 366'),
    );
  });

  it('security row 57: an admin has at most 100 API tokens, however many are made at once', async () => {
    const end = days(1);
    await management.database.query(
      `INSERT INTO api_tokens (admin_id, name, scope, expires_at, hash)
       SELECT 1, 'bot', 'read', now(), decode(md5(n::text), 'hex') FROM generate_series(1, 98) n`,
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(end)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
    expect(await post(end)).toEqual({
      status: 409,
      body: { detail: 'An admin has at most 100 API tokens: delete one that is not used', code: 'API_TOKEN_LIMIT' },
    });
    expect((await management.call('POST', URL, { name: 'own', scope: 'read', expires_at: end }, plain)).status).toBe(
      201,
    );
  });

  it('an API token may have no end where the setting is 0', async () => {
    const lenient = await TestManagement.start({ RAMPART_API_TOKEN_DAYS: '0' });
    try {
      const { status, body } = await lenient.call('POST', URL, { name: 'bot', scope: 'read' });
      expect({ status, body }).toMatchObject({ status: 201, body: { expires_at: null } });
      const far = { name: 'bot', scope: 'read', expires_at: '2999-01-01' };
      expect((await lenient.call('POST', URL, far)).status).toBe(201);
    } finally {
      await lenient.close();
    }
  });
});

describe('an API token', () => {
  it('has the access level of its admin', async () => {
    const [root, own] = [await create(), await create({}, plain)];
    expect(await self(root.token)).toMatchObject({ status: 200, body: { username: 'root' } });
    expect(await self(own.token)).toMatchObject({ status: 200, body: { username: 'plain' } });
    expect((await management.call('GET', '/api/admins', undefined, root.token)).status).toBe(200);
    expect(await management.call('GET', '/api/admins', undefined, own.token)).toEqual(FORBIDDEN);
    const body = { username: 'of-token' };
    expect(await management.call('POST', '/api/user', body, own.token)).toMatchObject({
      status: 201,
      body: { admin: { username: 'plain' } },
    });
  });

  it('loses the rights that its admin loses, and survives a new password', async () => {
    await management.database.manager.update(Admin, { username: 'plain' }, { isSudo: true });
    const { token } = await create({}, await management.login('plain', SUDO.password));
    expect((await management.call('GET', '/api/admins', undefined, token)).status).toBe(200);
    await management.call('PUT', '/api/admin/plain', { is_sudo: false });
    expect(await management.call('GET', '/api/admins', undefined, token)).toEqual(FORBIDDEN);
    await management.call('PUT', '/api/admin/plain', { password: SUDO.password });
    expect((await self(token)).status).toBe(200);
    plain = await management.login('plain', SUDO.password);
  });

  it('security row 6: ends when its admin is disabled or deleted', async () => {
    const other = await management.plainAdmin('other');
    const { token } = await create({}, other);
    await management.call('PUT', '/api/admin/other', { is_disabled: true });
    expect(await self(token)).toEqual(UNAUTHENTICATED);
    await management.call('PUT', '/api/admin/other', { is_disabled: false });
    expect((await self(token)).status).toBe(200);
    await management.call('DELETE', '/api/admin/other');
    expect(await self(token)).toEqual(UNAUTHENTICATED);
    expect(await management.database.manager.count(ApiToken)).toBe(0);
  });

  it('is invalid after its expiry and after its deletion', async () => {
    const { id, token } = await create();
    expect((await self(token)).status).toBe(200);
    await management.database.query(`UPDATE api_tokens SET expires_at = now() WHERE id = $1`, [id]);
    expect(await self(token)).toEqual(UNAUTHENTICATED);
    await management.database.query(`UPDATE api_tokens SET expires_at = NULL WHERE id = $1`, [id]);
    expect((await self(token)).status).toBe(200);
    expect(await management.call('DELETE', `${URL}/${id}`)).toEqual({ status: 204, body: undefined });
    expect(await self(token)).toEqual(UNAUTHENTICATED);
    expect(await management.call('DELETE', `${URL}/${id}`)).toEqual(NOT_FOUND);
    const entries = await management.database.manager.find(AuditEntry, { order: { id: 'DESC' }, take: 3 });
    expect(entries).toMatchObject([
      {
        ...{ actor: 'root', action: 'api_token.delete', target: `api_token/${id}` },
        difference: { name: { before: 'bot' }, scope: { before: 'all' } },
      },
      { action: 'api_token.read_secrets', target: `api_token/${id}`, difference: { read: { after: 'admins' } } },
      { action: 'api_token.create', target: `api_token/${id}` },
    ]);
  });

  it.each(['rampart_', 'rampart_x', `rampart_${'A'.repeat(43)}`, `rampart_${'x'.repeat(10_000)}`])(
    'the text %s is no API token',
    async (text) => {
      await create();
      expect(await self(text)).toEqual(UNAUTHENTICATED);
    },
  );

  it('stores when it was last used, at most once a minute', async () => {
    const { id, token } = await create();
    const used = async () => (await management.database.manager.findOneByOrFail(ApiToken, { id })).lastUsedAt;
    const version = async () => (await management.database.query('SELECT xmin FROM api_tokens WHERE id = $1', [id]))[0];
    await Promise.all(Array.from({ length: 10 }, () => self(token)));
    expect(Math.abs(Number(await used()) - Date.now())).toBeLessThan(10_000);
    const before = await version();
    await self(token);
    expect(await version()).toEqual(before);
    await management.database.query(`UPDATE api_tokens SET last_used_at = now() - interval '61 seconds'`);
    await self(token);
    expect(Math.abs(Number(await used()) - Date.now())).toBeLessThan(10_000);
  });
});

describe('API tokens of other admins', () => {
  it('are visible and deletable for sudo admins only', async () => {
    const root = await create({ name: 'one' });
    const own = await create({ name: 'two' }, plain);
    expect(namesOf(await management.call('GET', URL))).toEqual(['plain two', 'root one']);
    expect(namesOf(await management.call('GET', `${URL}?admin=root`))).toEqual(['root one']);
    expect(namesOf(await management.call('GET', URL, undefined, plain))).toEqual(['plain two']);
    expect(namesOf(await management.call('GET', `${URL}?admin=root`, undefined, plain))).toEqual([]);
    expect(await management.call('DELETE', `${URL}/${root.id}`, undefined, plain)).toEqual(NOT_FOUND);
    expect((await management.call('DELETE', `${URL}/${own.id}`)).status).toBe(204);
    expect((await self(root.token)).status).toBe(200);
  });

  it('are listed in pages', async () => {
    for (const name of ['one', 'two', 'three']) await create({ name });
    const page = await management.call('GET', `${URL}?offset=1&limit=1`);
    expect([namesOf(page), Object(page.body).total]).toEqual([['root two'], 3]);
  });
});

describe('the scope of an API token', () => {
  it('is checked before the body', async () => {
    const { token } = await create({ scope: 'read' });
    expect(await management.call('POST', '/api/core', '{broken', token)).toEqual(OUT_OF_SCOPE);
  });

  it('an API token with the scope read changes nothing, creates no token, and reads what its admin may read', async () => {
    const { token } = await create({ scope: 'read' });
    expect((await management.call('GET', '/api/nodes', undefined, token)).status).toBe(200);
    expect(await management.call('POST', '/api/user', { username: 'anna' }, token)).toEqual(OUT_OF_SCOPE);
    expect(await management.call('POST', URL, { name: 'x', scope: 'read' }, token)).toEqual(OUT_OF_SCOPE);
  });

  it('an API token with the scope users changes users, reads groups and templates, and nothing else', async () => {
    const { token } = await create({ scope: 'users' });
    expect((await management.call('POST', '/api/user', { username: 'berta' }, token)).status).toBe(201);
    expect((await management.call('GET', '/api/groups', undefined, token)).status).toBe(200);
    expect(await management.call('GET', '/api/cores', undefined, token)).toEqual(OUT_OF_SCOPE);
    expect(await management.call('POST', '/api/group', { name: 'abc' }, token)).toEqual(OUT_OF_SCOPE);
    expect(await management.call('PUT', '/api/admin', {}, token)).toEqual(OUT_OF_SCOPE);
  });

  it('security row 115: an API token with the scope users learns nothing of logins and API tokens', async () => {
    const { token } = await create({ scope: 'users' });
    for (const path of ['/api/admin/sessions', '/api/admin/tokens'])
      expect(await management.call('GET', path, undefined, token)).toEqual(OUT_OF_SCOPE);
  });

  it('is defined for every route', () => {
    const closed = routesOf(management.app).filter(({ level }) => level !== 'public');
    const within = (scope: (typeof TOKEN_SCOPES)[number]) =>
      closed
        .filter(({ method, path, level }) => includesRoute(scope, { method, path, isForAllAdmins: level === 'admin' }))
        .map(({ route }) => route);
    expect(within('all')).toEqual(closed.map(({ route }) => route));
    expect(within('read')).toEqual(closed.flatMap(({ method, route }) => (method === 'GET' ? [route] : [])));
    const others = within('users').filter((route) => !/^\w+ \/api\/users?(\/|$)/.test(route));
    expect(others.sort()).toEqual([
      'GET /api/admin',
      'GET /api/admin/totp',
      'GET /api/events',
      'GET /api/group/:group_id',
      'GET /api/groups',
      'GET /api/inbounds',
      'GET /api/settings/general',
      'GET /api/system',
      'GET /api/user_template/:template_id',
      'GET /api/user_templates',
    ]);
    const ofUsers = closed.filter(({ path }) => /^\/api\/users?(\/|$)/.test(path)).map(({ route }) => route);
    expect(ofUsers.filter((route) => !within('users').includes(route))).toEqual([]);
    expect(ofUsers.length).toBeGreaterThan(20);
  });
});
