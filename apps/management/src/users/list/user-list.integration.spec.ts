import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { TestManagement } from '../../testing/test-management.js';
import { User } from '../../user-store/entities/user.entity.js';
import { USER_FIELDS } from '../view/user.dto.js';
import { UserListService } from './user-list.service.js';

const UUID = 'b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e01';
const DAY = 86_400_000;

let management: TestManagement;
let plain: string;
beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
  for (const name of ['one', 'two']) {
    await management.call('POST', '/api/group', { name, inbound_tags: ['Shadowsocks TCP'] });
  }
  const passwords = { trojan: { password: 'secret one' }, shadowsocks: { password: 'p'.repeat(22) } };
  await create({ username: 'Anna', note: '100% Sun_day', group_ids: [1], data_limit: 300 });
  await create({ username: 'ben', note: 'A\\B', group_ids: [1, 2], expire: 2_000_000_000 }, plain);
  await create({ username: 'cara', data_limit: 200, proxy_settings: { vless: { id: UUID } } });
  await create({ username: 'dana', note: 'ANNALISA', status: 'on_hold', on_hold_expire_duration: 60 }, plain);
  await create({ username: 'emil', group_ids: [2], data_limit: 100, proxy_settings: { vmess: { id: UUID } } });
  await create({ username: 'fay.anna', proxy_settings: passwords });
  await set('Anna', { usedTraffic: 5, onlineAt: new Date(3 * DAY) });
  await set('ben', { usedTraffic: 7, editAt: new Date(2 * DAY) });
  await set('cara', { status: 'disabled', editAt: new Date(DAY), onlineAt: new Date(DAY) });
  await set('emil', { status: 'limited', usedTraffic: 100, expire: new Date(DAY) });
});
afterAll(() => management?.close());

const create = (user: object, token?: string) => management.call('POST', '/api/user', user, token);

const set = (username: string, columns: Partial<Omit<User, 'admin'>>) =>
  management.database.manager.update(User, { username }, columns);

const list = async (query: string, token?: string) =>
  Object((await management.call('GET', `/api/users?${query}`, undefined, token)).body);

const names = async (query: string, token?: string): Promise<string> => {
  const { users, total } = await list(query, token);
  expect(total).toBe(users.length);
  return users.map(({ username }: { username: string }) => username).join(' ');
};

const ALL = 'Anna ben cara dana emil fay.anna';

describe('GET /api/users', () => {
  it.each([
    ['', ALL],
    ['search=&sort=&proxy_id=', ALL],
    ['search=anna', 'Anna dana fay.anna'],
    ['search=NN', 'Anna dana fay.anna'],
    ['search=100%25', 'Anna'],
    ['search=n_d', 'Anna'],
    ['search=n_l', ''],
    ['search=%25', 'Anna'],
    ['search=a%5Cb', 'ben'],
    ["search=' OR 1=1 --", ''],
    ['status=active', 'Anna ben fay.anna'],
    ['status=limited&status=on_hold', 'dana emil'],
    ['group=1', 'Anna ben'],
    ['group=2&group=1', 'Anna ben emil'],
    ['group=4711', ''],
    ['admin=plain', 'ben dana'],
    ['admin=plain&admin=root', ALL],
    ['admin=nobody', ''],
    ['username=ben&username=cara&username=BEN', 'ben cara'],
    [`proxy_id=${UUID}`, 'cara emil'],
    ['proxy_id=secret%20one', 'fay.anna'],
    [`proxy_id=${'p'.repeat(22)}`, 'fay.anna'],
    ['proxy_id=xtls-rprx-vision', ''],
    ['search=anna&status=on_hold&admin=plain', 'dana'],
    ['unknown=1', ALL],
  ])('GET /api/users?%s finds: %s', async (query, expected) => {
    expect(await names(query)).toBe(expected);
  });

  it('finds letters of any script in any case, with the index as without it', async () => {
    for (const [note, search] of [
      ['Иван Петров', 'ИВАН'],
      ['کاربر ویژه', 'ویژه'],
      ['微信用户', '用户'],
      ['ÇELİK', 'çelik'],
    ] as const) {
      await set('cara', { note });
      expect(await names(`search=${encodeURIComponent(search)}`)).toBe('cara');
      const found = `SELECT user_id FROM user_searches WHERE words LIKE lower('%${search}%')`;
      expect(await indexed((manager) => manager.query(found))).toEqual([{ user_id: 3 }]);
    }
    await set('cara', { note: null });
  });

  it.each([
    ['username', 'Anna ben cara dana emil fay.anna'],
    ['-username', 'fay.anna emil dana cara ben Anna'],
    ['-used_traffic', 'emil ben Anna fay.anna dana cara'],
    ['data_limit', 'emil cara Anna ben dana fay.anna'],
    ['-data_limit', 'fay.anna dana ben Anna cara emil'],
    ['expire', 'emil ben Anna cara dana fay.anna'],
    ['-created_at', 'fay.anna emil dana cara ben Anna'],
    ['edit_at', 'Anna dana emil fay.anna cara ben'],
    ['-edit_at', 'ben cara fay.anna emil dana Anna'],
    ['-online_at', 'Anna cara fay.anna emil dana ben'],
    ['used_traffic,-username', 'fay.anna dana cara Anna ben emil'],
  ])('GET /api/users?sort=%s: %s', async (sort, expected) => {
    expect(await names(`sort=${sort}`)).toBe(expected);
  });

  it('returns pages in the requested order, and counts all users', async () => {
    const page = async (query: string) => {
      const { users, total } = await list(`sort=-username&status=active&${query}`);
      return [users.map(({ username }: { username: string }) => username).join(' '), total];
    };
    expect(await page('limit=2')).toEqual(['fay.anna ben', 3]);
    expect(await page('offset=2&limit=2')).toEqual(['Anna', 3]);
    expect(await page('offset=1')).toEqual(['ben Anna', 3]);
    expect(await page('offset=9')).toEqual(['', 3]);
  });

  it('shows users like the route of a single user, with links only on request', async () => {
    const { body } = await management.call('GET', '/api/user/ben');
    expect(await list('username=ben&load_sub=true')).toEqual({ users: [body], total: 1 });
    const without = { users: [{ ...Object(body), subscription_url: '' }], total: 1 };
    expect(await list('username=ben')).toEqual(without);
    expect(await list('username=ben&load_sub=0')).toEqual(without);
  });

  it('GET /api/users?fields= shows users with those members only', async () => {
    const { body } = await management.call('GET', '/api/user/ben');
    const whole = Object(body);
    const { id, username, admin } = whole;
    expect(await list('username=ben&fields=id,username&fields=admin')).toEqual({
      users: [{ id, username, admin }],
      total: 1,
    });
    expect(await list('username=ben&fields=subscription_url&load_sub=true')).toEqual({
      users: [{ subscription_url: whole.subscription_url }],
      total: 1,
    });
    const { proxy_settings, ...slim } = whole;
    const names = Object.keys(slim).join(',');
    expect(await list(`username=ben&load_sub=true&fields=${names}`)).toEqual({ users: [slim], total: 1 });
    expect(await list('username=ben&fields=proxy_settings')).toEqual({ users: [{ proxy_settings }], total: 1 });
    expect(await list('username=ben&load_sub=true&fields=')).toEqual({ users: [whole], total: 1 });
  });

  it.each([
    [
      'fields=id,password',
      {
        fields: `Input should be one of ${USER_FIELDS.map((name) => `'${name}'`).join(', ')}`,
      },
    ],
    ['sort=bogus', { sort: '"bogus" is not a valid sort option' }],
    ['sort=username&sort=expire', { sort: '"username,expire" is not a valid sort option' }],
    ['status=gone', { status: "Input should be one of 'active', 'expired', 'limited', 'disabled', 'on_hold'" }],
    ['group=one', { group: 'Input should be a list of ids' }],
    ['limit=-1', { limit: 'Input should be an integer from 0 to 2147483647' }],
    ['load_sub=maybe', { load_sub: 'Input should be true or false' }],
    ['search=a&search=b', { search: 'Input should be a string' }],
    [`proxy_id=${'x'.repeat(129)}`, { proxy_id: 'Input should have at most 128 characters' }],
  ])('refuses ?%s', async (query, detail) => {
    expect(await management.call('GET', `/api/users?${query}`)).toEqual({
      status: 422,
      body: { detail, code: 'INVALID_FIELDS' },
    });
  });

  it('finds a user by a credential as long as the user has it', async () => {
    const [before, after] = ['b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e41', 'b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e42'];
    const give = (id: string) => management.call('PUT', '/api/user/dana', { proxy_settings: { vmess: { id } } });
    await give(before);
    expect(await names(`proxy_id=${before}`)).toBe('dana');
    await give(after);
    expect([await names(`proxy_id=${before}`), await names(`proxy_id=${after}`)]).toEqual(['', 'dana']);
  });

  it('lists only own users for a plain admin, whatever the filter', async () => {
    const queries = ['', 'admin=root&admin=plain', 'search=b', 'username=Anna&username=ben', `proxy_id=${UUID}`];
    const answers = await Promise.all(queries.map((query) => names(query, plain)));
    expect(answers).toEqual(['ben dana', 'ben dana', 'ben', 'ben', '']);
    expect(await names('admin=root', plain)).toBe('');
  });

  it.each([
    ['user_searches_words', `user_searches WHERE words LIKE '%anna%'`],
    [
      'user_credential_keys_vless',
      `user_credential_keys WHERE vless = (ARRAY['${UUID}'])[1]::uuid OR trojan = (ARRAY['${UUID}'])[1]::uuid`,
    ],
    ['users_status', `users WHERE status = ANY ('{limited}'::text[])`],
  ])('has the index %s for its filter', async (index, filtered) => {
    expect(await planOf(`SELECT FROM ${filtered}`)).toContain(index);
  });

  it.each([
    ['Only Scan Backward using users_username', 'username DESC'],
    ['users_expire', 'expire DESC, id DESC'],
    ['users_created_at', 'created_at, id'],
    ['users_edit_at', 'edit_at DESC NULLS LAST, id DESC'],
    ['Only Scan using users_data_limit', 'nullif(data_limit, 0), id'],
  ])('has the index %s for its order', async (index, order) => {
    expect(await planOf(`SELECT id FROM users ORDER BY ${order} LIMIT 100`)).toContain(index);
  });

  it('finds many users in every order, by their own texts only', async () => {
    await management.database.query(
      `INSERT INTO users (username, data_limit)
       SELECT 'many' || n, n FROM generate_series(10001, 20100) n`,
    );
    const found = async (query: string) => {
      const { users, total } = Object((await management.call('GET', `/api/users?${query}`)).body);
      return [users.map(({ username }: { username: string }) => username), total];
    };
    expect(await found('search=MANY&limit=2')).toEqual([['many10001', 'many10002'], 10_100]);
    expect(await found('search=many&sort=-username&limit=2')).toEqual([['many20100', 'many20099'], 10_100]);
    expect(await found('search=many&sort=-data_limit&offset=10099&limit=2')).toEqual([['many10001'], 10_100]);
    expect(await found('search=many200&sort=-used_traffic&status=active&limit=1')).toEqual([['many20099'], 100]);
    for (const sort of ['', '-username', 'used_traffic', '-edit_at,username', 'data_limit'])
      for (const query of [`fields=username&sort=${sort}`, `fields=username&search=many&sort=${sort}`]) {
        const [all, total] = await found(query);
        for (const [offset, limit] of [
          [3000, 5],
          [total - 3, 5],
          [total + 7, 5],
          [2500, 0],
        ] as const)
          expect([query, await found(`${query}&offset=${offset}&limit=${limit}`)]).toEqual([
            query,
            [all.slice(offset, limit ? offset + limit : undefined), total],
          ]);
      }
    await management.database.query(`DELETE FROM users WHERE username LIKE 'many%'`);
    expect(await found('search=many')).toEqual([[], 0]);
  });

  it('returns each user once over several batches, and streams an empty list too', async () => {
    await management.database.query(`INSERT INTO users (username) SELECT 'bulk' || n FROM generate_series(1, 2100) n`);
    const total = await management.database.manager.count(User);
    const ids = async (query: string) => {
      const { body, headers } = await management.request('GET', `/api/users${query}`);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(body).toMatchObject({ total });
      return (Reflect.get(Object(body), 'users') as { id: number }[]).map(({ id }) => id);
    };
    const all = await ids('');
    expect(all).toHaveLength(total);
    expect(new Set(all).size).toBe(total);
    expect(await ids('?offset=5&limit=1500')).toEqual(all.slice(5, 1505));
    expect(await ids('?offset=1000000')).toEqual([]);
    await management.database.query(`DELETE FROM users WHERE username LIKE 'bulk%'`);
  });
});

describe(UserListService.name, () => {
  it('security row 117: shows a few users of one list alone in a turn of the event loop', async () => {
    await management.database.query(`INSERT INTO users (username) SELECT 'turn' || n FROM generate_series(1, 450) n`);
    const service = management.app.get(UserListService);
    const taken = new Set<number>();
    let turn = 0;
    let immediate: NodeJS.Immediate;
    const count = (): void => {
      turn += 1;
      immediate = setImmediate(count);
    };
    count();
    const read = async (username: string, load_sub: boolean): Promise<number[]> => {
      const list = await service.list({ id: 1, username, isSudo: true }, { search: 'turn', load_sub });
      const parts: number[] = [];
      for await (const { length } of list.pages) {
        parts.push(length);
        taken.add(turn);
      }
      return parts;
    };
    const lists = [read('one', false), read('one', true), read('other', false), read('other', true)];
    const [plain, signed] = [Array<number>(9).fill(50), Array<number>(18).fill(25)];
    expect(await Promise.all(lists)).toEqual([plain, signed, plain, signed]);
    clearImmediate(immediate!);
    expect(taken.size).toBe(2 * (9 + 18));
    await management.database.query(`DELETE FROM users WHERE username LIKE 'turn%'`);
  });
});

const planOf = (query: string): Promise<string> =>
  indexed(async (manager) => JSON.stringify(await manager.query(`EXPLAIN ${query}`)));

/** Keeps PostgreSQL from scanning the whole table, which it prefers on small tables. */
function indexed<T>(run: (manager: EntityManager) => Promise<T>): Promise<T> {
  return management.database.transaction(async (manager) => {
    await manager.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off');
    return run(manager);
  });
}
