import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Route, reachesMany, routesOf } from '../testing/routes.js';
import { TestManagement } from '../testing/test-management.js';

const SELECTORS = { whom: [1], expire_after_id: 3, group: null };

let management: TestManagement;
let bulk: readonly Route[];
let before: unknown;
beforeAll(async () => {
  management = await TestManagement.start();
  bulk = routesOf(management.app).filter(({ route }) => reachesMany(route));
  await management.call('POST', '/api/user', { username: 'alice', data_limit: 5, expire: '2020-01-01' });
  before = await stored();
});
afterAll(() => management?.close());

const stored = async () => [
  await management.database.query('SELECT * FROM users'),
  await management.database.query('SELECT * FROM audit_entries'),
];
const urlOf = ({ path }: Route) => path.replaceAll(/:\w+/g, 'root');
const detailOf = (body: unknown): Record<string, string> => Reflect.get(Object(body), 'detail');

describe('a bulk call', () => {
  it('refuses every unknown selector in its body, and changes nothing', async () => {
    expect(bulk.length).toBeGreaterThan(12);
    for (const route of bulk) {
      const { status, body } = await management.call(route.method, urlOf(route), { amount: 1, ...SELECTORS });
      const unknown = Object.entries(detailOf(body)).filter(([, text]) => text.startsWith('Unknown field. '));
      const names = unknown.map(([name]) => name).filter((name) => name in SELECTORS);
      expect({ route: route.route, status, names }).toEqual({
        route: route.route,
        status: 422,
        names: Object.keys(SELECTORS),
      });
    }
    expect(await stored()).toEqual(before);
  });

  it('the error of a bulk call names the members that it accepts', async () => {
    expect(await management.call('POST', '/api/users/bulk/expire', { amount: 1, expired_before: 5 })).toEqual({
      status: 422,
      body: {
        detail: {
          expired_before:
            'Unknown field. This call takes admins, amount, dry_run, expire_after, expire_before, group_ids, search, status, users',
        },
        code: 'INVALID_FIELDS',
      },
    });
    expect(await management.call('POST', '/api/users/reset', { users: [1] })).toEqual({
      status: 422,
      body: { detail: { users: 'Unknown field. This call takes none in its body' }, code: 'INVALID_FIELDS' },
    });
  });

  it.each([
    ['DELETE', '/api/users/expired?status=limited', 'status'],
    ['POST', '/api/nodes/reconnect?ids=1', 'ids'],
  ] as const)('refuses an unknown selector in its query: %s %s', async (method, url, name) => {
    const { status, body } = await management.call(method, url);
    expect({ status, names: Object.keys(detailOf(body)) }).toEqual({ status: 422, names: [name] });
  });

  it('the error of a bulk call names only some of very many unknown members', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`n${n}`, 1]));
    const { body } = await management.call('POST', '/api/groups/bulk/add', { group_ids: [1], ...many });
    expect(Object.keys(detailOf(body))).toHaveLength(20);
  });
});

it('a call on one object ignores unknown members', async () => {
  const body = { username: 'bob', ...SELECTORS };
  expect(await management.call('POST', '/api/user', body)).toMatchObject({ status: 201, body: { username: 'bob' } });
});
