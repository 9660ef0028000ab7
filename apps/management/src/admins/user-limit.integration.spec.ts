import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SUDO, TestManagement } from '../testing/test-management.js';

let management: TestManagement;
let plain: string;
let sudo: string;
let template: number;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_ADMIN_USERS: '10' });
  plain = await management.plainAdmin('plain');
  sudo = await management.login(SUDO.username, SUDO.password);
  await management.call('POST', '/api/group', { name: 'one', inbound_tags: ['Shadowsocks TCP'] });
  const { body } = await management.call('POST', '/api/user_template', { name: 'one', group_ids: [1] });
  template = Number(Object(body).id);
});
afterAll(() => management?.close());
beforeEach(async () => {
  await management.database.query('DELETE FROM users');
  await modify({ max_users: null, is_sudo: false });
});

const modify = (change: object) => management.call('PUT', '/api/admin/plain', change);
const create = (username: string, token = plain) =>
  management.call('POST', '/api/user', { username, proxy_settings: {} }, token);
const createMany = (count: number, token = plain, more: object = {}) => {
  const request = { user_template_id: template, count, strategy: 'random', ...more };
  return management.call('POST', '/api/users/bulk/from_template', request, token);
};
const usersOf = async (username: string): Promise<number> => {
  const [row] = await management.database.query<{ count: number }[]>(
    'SELECT count(*)::integer FROM users JOIN admins ON admins.id = admin_id WHERE admins.username = $1',
    [username],
  );
  return row?.count ?? 0;
};
const full = (has: number, most = 10) => ({
  status: 403,
  body: { detail: `Admin plain may have at most ${most} users, and has ${has}`, code: 'USER_LIMIT' },
});

describe('security row 123: how many users an admin without sudo creates', () => {
  const lastId = async (): Promise<string> =>
    (await management.database.query('SELECT last_value FROM users_id_seq'))[0].last_value;
  const made = (users: number, hours: number) =>
    management.database.query(
      `INSERT INTO user_creations SELECT id, now() - $2 * interval '1 hour', $1 FROM admins WHERE username = 'plain'
       ON CONFLICT (admin_id) DO UPDATE SET since = excluded.since, users = excluded.users`,
      [users, hours],
    );

  it('is at most twice as many in a day as it may have, but 10,000 in any case, whoever was deleted', async () => {
    await made(9_998, 1);
    for (const name of ['one', 'two']) {
      expect((await create(name)).status).toBe(201);
      await management.call('DELETE', `/api/user/${name}`, undefined, plain);
    }
    const { status, body, headers } = await management.request('POST', '/api/user', { username: 'three' }, plain);
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        detail: 'Admin plain has created 10000 users within a day: more would be too many, try again later',
        code: 'USERS_THROTTLED',
      },
    });
    expect(Math.abs(Number(headers['retry-after']) - 23 * 3_600)).toBeLessThan(60);
    expect((await createMany(2)).status).toBe(429);
    expect((await create('of-sudo', sudo)).status).toBe(201);
    await modify({ max_users: 6_000 });
    expect((await createMany(2)).status).toBe(201);
    await modify({ max_users: null });
    await made(10_000, 24);
    expect((await create('three')).status).toBe(201);
  });

  it('takes no ids of users but for those who are created', async () => {
    await made(0, 0);
    const sequence = { strategy: 'sequence', username: 'ali', start_number: 1 };
    await createMany(4, plain, sequence);
    const before = await lastId();
    expect(await createMany(4, plain, sequence)).toMatchObject({ status: 201, body: { created: 0 } });
    expect((await create('ali1')).status).toBe(409);
    expect(await createMany(6, plain, { dry_run: true })).toMatchObject({ body: { created: 6 } });
    expect(await createMany(6, plain, { ...sequence, dry_run: true })).toMatchObject({ body: { created: 2 } });
    expect(await lastId()).toBe(before);
  });
});

describe('security row 110: how many users an admin without sudo may have', () => {
  it('is kept by twenty bulk calls at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => createMany(5)));
    expect(await usersOf('plain')).toBe(10);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  });

  it('is kept by single users, also from a template, and a place is free when one is deleted', async () => {
    await createMany(9);
    expect((await create('last')).status).toBe(201);
    expect(await create('more')).toEqual(full(10));
    const fromTemplate = () =>
      management.call('POST', '/api/user/from_template', { user_template_id: template, username: 'more' }, plain);
    expect(await fromTemplate()).toEqual(full(10));
    expect((await create('last')).status).toBe(409);
    await management.call('DELETE', '/api/user/last', undefined, plain);
    expect((await fromTemplate()).status).toBe(201);
  });

  it('counts no names that are taken', async () => {
    const sequence = { strategy: 'sequence', username: 'ali', start_number: 1 };
    await createMany(8, plain, sequence);
    expect(await createMany(11, plain, sequence)).toEqual(full(8));
    expect(await createMany(10, plain, sequence)).toMatchObject({ status: 201, body: { created: 2 } });
  });

  it('is told by a dry run too, which creates nobody', async () => {
    expect(await createMany(11, plain, { dry_run: true })).toEqual(full(0));
    expect(await createMany(10, plain, { dry_run: true })).toMatchObject({ body: { created: 10 } });
    expect(await usersOf('plain')).toBe(0);
  });

  it('is kept when users are given to the admin, but for those that it has', async () => {
    await createMany(9);
    for (const name of ['one', 'two']) await create(name, sudo);
    const give = (name: string) => management.call('PUT', `/api/user/${name}/set_owner?admin_username=plain`);
    expect((await give('one')).status).toBe(200);
    expect(await give('two')).toEqual(full(10));
    expect((await give('one')).status).toBe(200);
  });

  it('is that of the admin before that of the setting', async () => {
    await modify({ max_users: 3 });
    expect(await createMany(4)).toEqual(full(0, 3));
    await modify({ max_users: 12 });
    expect((await createMany(12)).status).toBe(201);
    await modify({ max_users: 0 });
    expect((await createMany(30)).status).toBe(201);
  });

  it('lets users stay who are beyond it', async () => {
    await modify({ max_users: 0 });
    await createMany(20);
    expect((await modify({ max_users: 5 })).body).toMatchObject({ max_users: 5, total_users: 20 });
    expect(await create('more')).toEqual(full(20, 5));
    expect(await usersOf('plain')).toBe(20);
  });

  it('does not hold for sudo admins', async () => {
    expect((await createMany(30, sudo)).status).toBe(201);
    await modify({ is_sudo: true, max_users: 1 });
    const promoted = await management.login('plain', SUDO.password);
    expect((await createMany(12, promoted)).status).toBe(201);
  });
});
