import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
    ? routes.filter(({ level }) => length < 64 * 1024 || level !== 'public')
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
        body: expect.stringContaining('is nested deeper than 100 levels'),
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
