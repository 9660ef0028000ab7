import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Route, routesOf } from '../testing/routes.js';
import { SUDO, TestManagement } from '../testing/test-management.js';

let management: TestManagement;
let token: string;
let routes: readonly Route[];
beforeAll(async () => {
  management = await TestManagement.start();
  token = await management.login(SUDO.username, SUDO.password);
  routes = routesOf(management.app).filter(({ method }) => method !== 'GET');
});
afterAll(() => management?.close());

const send = async ({ method, path }: Pick<Route, 'method' | 'path'>, payload: string | Buffer) => {
  const { statusCode: status, body } = await management.app.inject({
    method,
    url: path.replaceAll(/:\w+/g, '1'),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload,
  });
  return { status, body };
};

/** Routes that read a payload: public ones read no large body, and only sudo routes (one is enough) read a megabyte. */
const reached = ({ length }: string | Buffer) =>
  length < 1_000_000
    ? routes.filter(({ level }) => length < 32 * 1024 || level !== 'public')
    : routes.filter(({ level }) => level === 'sudo').slice(0, 1);

const refused = (path: string, problem: string) => ({
  status: 422,
  body: JSON.stringify({ detail: { [path]: problem }, code: 'INVALID_FIELDS' }),
});

/** Bodies that every route refuses: the checks depend neither on the route nor on the member. */
const HOSTILE: [name: string, payload: string | Buffer, path: string, problem: string][] = [
  ['broken JSON', '{"name":', 'body', 'JSON decode error'],
  ['two values', '{} {}', 'body', 'JSON decode error'],
  ['not a number', '{"name":NaN}', 'body', 'JSON decode error'],
  ['a raw NUL', '{"name":"\0"}', 'body', 'JSON decode error'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'body', 'The body is not UTF-8'],
  [
    'half of a UTF-8 character',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from('я').subarray(0, 1), Buffer.from('"}')]),
    'body',
    'The body is not UTF-8',
  ],
  ['a name twice', '{"name":"a","config":{},"name":"b"}', 'name', 'stands twice in its object'],
  [
    'a nested name twice',
    '{"config":{"inbounds":[{"tag":"a","\\u0074ag":"b"}]}}',
    'config.inbounds.0.tag',
    'stands twice in its object',
  ],
  [
    'a NUL character',
    '{"config":{"a":["x\\u0000"]}}',
    'config.a.0',
    'contains a NUL character or half a surrogate pair',
  ],
  ['a NUL in a plain text', '{"username":"a\\u0000"}', 'username', 'contains a NUL character or half a surrogate pair'],
  ['a lone surrogate', '{"remark":"\\ud83e"}', 'remark', 'contains a NUL character or half a surrogate pair'],
  [
    '10,000 members',
    JSON.stringify({ config: Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`k${n}`, n])) }),
    'config',
    'has more than 10000 members',
  ],
];

describe('every route that writes', () => {
  it.each(HOSTILE)('refuses %s', async (_name, payload, path, problem) => {
    for (const route of reached(payload)) {
      expect({ route: route.route, ...(await send(route, payload)) }).toEqual({
        route: route.route,
        ...refused(path, problem),
      });
    }
  });

  it.each([
    ['lists', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['objects', '{"a":'.repeat(10_000) + 1 + '}'.repeat(10_000)],
    ['a million lists', `{"config":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`],
  ])('security row 11: refuses deep %s, and the process lives', async (_name, payload) => {
    for (const route of reached(payload)) {
      const { status, body } = await send(route, payload);
      expect({ route: route.route, status, body }).toEqual({
        route: route.route,
        status: 422,
        body: expect.stringContaining(
          route.level === 'public' ? 'has more than 10 objects and lists' : 'is nested deeper than 100 levels',
        ),
      });
    }
    expect((await management.call('GET', '/health', undefined, '')).status).toBe(200);
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'security row 14: refuses the name %s and changes no prototype',
    async (name) => {
      const before = Reflect.ownKeys(Object.prototype).length;
      for (const route of routes) {
        for (const at of ['', 'config.', '0.http_headers.']) {
          const path = `${at}${name}`;
          const payload = path
            .split('.')
            .reduceRight((inner, step) => (step === '0' ? `[${inner}]` : `{"${step}":${inner}}`), '{"polluted":"yes"}');
          expect({ route: route.route, ...(await send(route, payload)) }).toEqual({
            route: route.route,
            ...refused(path, 'is not allowed as a name'),
          });
          expect(Reflect.get({}, 'polluted')).toBeUndefined();
          expect(Reflect.ownKeys(Object.prototype).length).toBe(before);
        }
      }
    },
  );
});

describe('security row 97: many values in a body', () => {
  const listOf = (element: string, length: number) => {
    const count = Math.floor((length - 20) / (element.length + 1));
    return `{"users":[${Array(count).fill(element).join(',')}]}`;
  };
  const LENGTHS = { public: 30_000, admin: 1_000_000 } as const;

  it.each([
    ['{}', 'objects and lists', { public: 10, admin: 1_000 }],
    ['[]', 'objects and lists', { public: 10, admin: 1_000 }],
    ['[[[[[[]]]]]]', 'objects and lists', { public: 10, admin: 1_000 }],
    ['{"a":1}', 'objects and lists', { public: 10, admin: 1_000 }],
    ['1', 'values', { public: 100, admin: 50_000 }],
    ['""', 'values', { public: 100, admin: 50_000 }],
  ] as const)(
    'of the form %s are refused before they are parsed, where others than sudo admins send them',
    async (element, kind, most) => {
      const parse = jest.spyOn(JSON, 'parse');
      try {
        for (const route of routes) {
          if (route.level !== 'public' && route.level !== 'admin') continue;
          const payload = listOf(element, LENGTHS[route.level]);
          expect({ route: route.route, ...(await send(route, payload)) }).toEqual({
            route: route.route,
            ...refused('body', `has more than ${most[route.level]} ${kind}`),
          });
          expect(parse.mock.calls.filter(([text]) => text === payload)).toEqual([]);
        }
      } finally {
        parse.mockRestore();
      }
    },
  );

  it('are accepted as far as the lists of the longest call go', async () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => 2_147_470_000 + index);
    const body = { users: ids, admins: ids, has_group_ids: ids, status: Array(100).fill('active') };
    const plain = await management.plainAdmin('plain');
    const answer = await management.call('POST', '/api/groups/bulk/add', { ...body, group_ids: ids }, plain);
    expect(answer).toEqual({ status: 404, body: { detail: 'Group not found', code: 'GROUP_NOT_FOUND' } });
  });

  it('are no reason to refuse the longest name, password and code of a login', async () => {
    const escaped = (length: number) => '\\ud83d\\ude00'.repeat(length);
    const payload = `{"username":"${escaped(1_024)}","password":"${escaped(1_024)}","totp":"${escaped(64)}"}`;
    expect(await send({ method: 'POST', path: '/api/admin/token' }, payload)).toEqual({
      status: 401,
      body: JSON.stringify({ detail: 'Incorrect username or password', code: 'LOGIN_FAILED' }),
    });
    const longer = `{"username":"${'a'.repeat(33_000)}","password":"a"}`;
    expect((await send({ method: 'POST', path: '/api/admin/token' }, longer)).status).toBe(413);
  });
});

describe('what cannot be stored', () => {
  it.each([
    ['GET', '/api/user/%00'],
    ['POST', '/api/user/a%00b/reset'],
    ['DELETE', '/api/user/%00'],
    ['GET', '/api/core/%00'],
    ['GET', '/sub/%00'],
  ] as const)('a name that cannot be stored is not found: %s %s', async (method, path) => {
    expect(await management.call(method, path)).toEqual({
      status: 404,
      body: { detail: 'Not Found', code: 'NOT_FOUND' },
    });
  });

  it('text that cannot be stored is refused in a query and in a form', async () => {
    const problem = 'contains a NUL character or half a surrogate pair';
    expect(await management.call('GET', '/api/users?search=%00')).toEqual({
      status: 422,
      body: { detail: { search: problem }, code: 'INVALID_FIELDS' },
    });
    const answer = await management.app.inject({
      method: 'POST',
      url: '/api/admin/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'username=%00&password=x',
    });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({
      status: 422,
      body: { detail: { username: problem }, code: 'INVALID_FIELDS' },
    });
  });
});

describe('JSON', () => {
  it('a JSON body may begin with a byte order mark', async () => {
    const payload = `\uFEFF${JSON.stringify(SUDO)}`;
    expect((await send({ method: 'POST', path: '/api/admin/token' }, payload)).status).toBe(200);
  });
});

describe('security row 17: a format string', () => {
  const save = (remark: string) =>
    management.call('POST', '/api/host', { remark, inbound_tag: 'Shadowsocks TCP', address: ['a'], priority: 1 });

  it.each([
    ['{USERNAME.__class__}', /^Unknown variable \{USERNAME\.__class__\}: known are SERVER_IP, /],
    ['{USERNAME[0]}', /^Unknown variable \{USERNAME\[0\]\}: /],
    ['{USERNAME!r:>1000000}', /^Unknown variable \{USERNAME!r:>1000000\}: /],
    ['{{USERNAME}', /^Stray \} at 10: write \}\} for a brace$/],
    ['{'.repeat(10_000), /^Input should have at most 256 characters$/],
  ])('a format string cannot reach other values: %.40s', async (remark, problem) => {
    const hosts = await management.call('GET', '/api/hosts');
    expect(await save(remark)).toEqual({
      status: 422,
      body: { detail: { remark: expect.stringMatching(problem) }, code: 'INVALID_FIELDS' },
    });
    expect(await management.call('GET', '/api/hosts')).toEqual(hosts);
  });

  it('a format string produces no more text than its parts', async () => {
    const remark = '{{'.repeat(128);
    expect(await save(remark)).toMatchObject({ status: 201, body: { remark } });
  });
});
