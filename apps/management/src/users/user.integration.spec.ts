import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../database/revision.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { User } from '../user-store/entities/user.entity.js';
import { Grants } from '../user-store/served/grants.js';
import { raiseRevisionOf } from '../user-store/served/raise-revision.js';
import { after, changedUsersAfter, servedUsers } from '../user-store/served/served-users.js';

const TAG = 'Shadowsocks TCP';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let management: TestManagement;
let plain: string;
beforeAll(async () => {
  management = await TestManagement.start();
  await management.keepTombstones();
  plain = await management.plainAdmin('plain');
  await management.call('POST', '/api/group', { name: 'one', inbound_tags: [TAG] });
  await management.call('POST', '/api/group', { name: 'off', inbound_tags: [TAG], is_disabled: true });
});
afterAll(() => management?.close());

const create = (user: object, token?: string) => management.call('POST', '/api/user', user, token);
const manager = () => management.database.manager;

describe('POST /api/user', () => {
  it('creates a user with fresh credentials', async () => {
    const created = await create({ username: 'Alice.1', id: 7, used_traffic: 5, is_sudo: true, admin: { id: 2 } });
    const view = {
      proxy_settings: {
        vmess: { id: expect.stringMatching(UUID) },
        vless: { id: expect.stringMatching(UUID), flow: '' },
        trojan: { password: expect.stringMatching(/^[\w-]{32}$/) },
        shadowsocks: { password: expect.stringMatching(/^[\w-]{32}$/), method: 'chacha20-ietf-poly1305' },
      },
      expire: 0,
      data_limit: 0,
      data_limit_reset_strategy: 'no_reset',
      note: null,
      on_hold_expire_duration: null,
      on_hold_timeout: null,
      group_ids: [],
      auto_delete_in_days: null,
      next_plan: null,
      id: 1,
      username: 'Alice.1',
      status: 'active',
      used_traffic: 0,
      lifetime_used_traffic: 0,
      version: expect.any(String),
      created_at: expect.stringMatching(MOMENT),
      edit_at: null,
      online_at: null,
      subscription_url: expect.stringMatching(/^https:\/\/panel\.example\/sub\/djEuMS4w\.[\w-]{43}$/),
      admin: { id: 1, username: 'root' },
    };
    expect(created).toEqual({ status: 201, body: view });
    expect(await management.call('GET', '/api/user/Alice.1')).toEqual({ status: 200, body: created.body });
  });

  it('stores all given members', async () => {
    const given = {
      username: 'bob',
      status: 'on_hold',
      note: 'a friend',
      data_limit: 10 * 2 ** 30,
      data_limit_reset_strategy: 'month',
      on_hold_expire_duration: 86400,
      group_ids: [2, 1],
      auto_delete_in_days: 30,
      proxy_settings: {
        vless: { id: 'b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e01', flow: 'xtls-rprx-vision' },
        shadowsocks: { password: 'p'.repeat(22), method: 'aes-256-gcm' },
      },
    };
    expect(await create({ ...given, on_hold_timeout: 2_000_000_000, expire: 0 })).toMatchObject({
      status: 201,
      body: { ...given, on_hold_timeout: '2033-05-18T03:33:20.000Z', expire: 0, group_ids: [1, 2] },
    });
  });

  it.each([
    ['e-unix', 2_000_000_000, '2033-05-18T03:33:20.000Z'],
    ['e-zone', '2033-05-18T03:33:20Z', '2033-05-18T03:33:20.000Z'],
    ['e-naive', '2033-05-18T03:33:20', '2033-05-18T03:33:20.000Z'],
    ['e-offset', '2033-05-18 05:33:20+02:00', '2033-05-18T03:33:20.000Z'],
    ['e-never', null, 0],
  ])('as %s takes expire %j', async (username, expire, expected) => {
    expect(await create({ username, expire })).toMatchObject({ status: 201, body: { expire: expected } });
  });

  it('answers with the status that follows from the terms', async () => {
    expect(await create({ username: 'too-late', expire: 1 })).toMatchObject({ body: { status: 'expired' } });
    const hold = { status: 'on_hold', on_hold_expire_duration: 60, on_hold_timeout: 1 };
    expect(await create({ username: 'hold-over', ...hold })).toMatchObject({
      body: { status: 'active', expire: expect.stringMatching(MOMENT), on_hold_timeout: null },
    });
  });

  it.each([
    [{ username: undefined }, { username: 'Field required' }],
    [{ username: 'ab' }, { username: 'Username must be 3-128 characters' }],
    [{ username: 'a b c' }, { username: 'Username can only contain a-z, A-Z, 0-9, -, _, @ and .' }],
    [{ username: 'a.-b' }, { username: 'Username cannot have consecutive special characters' }],
    [{ status: 'disabled' }, { status: "Input should be one of 'active', 'on_hold'" }],
    [{ status: 'on_hold' }, { status: 'User cannot be on hold without a valid on_hold_expire_duration' }],
    [
      { status: 'on_hold', on_hold_expire_duration: 0 },
      { status: 'User cannot be on hold without a valid on_hold_expire_duration' },
    ],
    [
      { status: 'on_hold', on_hold_expire_duration: 60, expire: 2e9 },
      { status: 'User cannot be on hold with specified expire' },
    ],
    [{ group_ids: [] }, { group_ids: 'you must select at least one group' }],
    [{ group_ids: ['1'] }, { group_ids: 'Input should be a list of ids' }],
    [{ data_limit: -1 }, { data_limit: 'Input should be an integer from 0 to 9007199254740991' }],
    [{ data_limit: 2 ** 53 }, { data_limit: 'Input should be an integer from 0 to 9007199254740991' }],
    [
      { expire: 'tomorrow' },
      { expire: 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z' },
    ],
    [
      { expire: '2027-02-31' },
      { expire: 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z' },
    ],
    [{ expire: -1 }, { expire: 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z' }],
    [{ note: 'x'.repeat(501) }, { note: 'Input should have at most 500 characters' }],
    [{ proxy_settings: { vless: { id: 'me' } } }, { 'proxy_settings.vless.id': 'Input should be a UUID' }],
    [
      { proxy_settings: { vless: { flow: 'fast' } } },
      { 'proxy_settings.vless.flow': "Input should be one of '', 'xtls-rprx-vision'" },
    ],
    [
      { proxy_settings: { shadowsocks: { password: 'short' } } },
      { 'proxy_settings.shadowsocks.password': 'Input should have 22 to 128 characters' },
    ],
    [{ proxy_settings: [] }, { proxy_settings: 'Input should be an object' }],
  ])('refuses %j', async (more, detail) => {
    const [users, revision] = [await manager().count(User), await currentRevision(manager())];
    expect(await create({ username: 'refused', ...more })).toEqual({
      status: 422,
      body: { detail, code: 'INVALID_FIELDS' },
    });
    expect([await manager().count(User), await currentRevision(manager())]).toEqual([users, revision]);
  });

  it('refuses unknown groups and stores nothing of the request', async () => {
    const revision = await currentRevision(manager());
    const many = Array.from({ length: 10_000 }, (_, n) => n + 1);
    for (const group_ids of [[1, 4711], many]) {
      expect(await create({ username: 'groupless', group_ids })).toEqual({
        status: 404,
        body: { detail: 'Group not found', code: 'GROUP_NOT_FOUND' },
      });
    }
    expect(await manager().existsBy(User, { username: 'groupless' })).toBe(false);
    expect(await currentRevision(manager())).toBe(revision);
  });

  it('refuses a name that is taken, but accepts it in another case of letters', async () => {
    const revision = await currentRevision(manager());
    expect(await create({ username: 'Alice.1' })).toEqual({
      status: 409,
      body: { detail: 'User already exists', code: 'USER_EXISTS' },
    });
    expect(await currentRevision(manager())).toBe(revision);
    expect((await create({ username: 'alice.1' })).status).toBe(201);
  });

  it('creates only one of several users that are sent with the same name at the same moment', async () => {
    const revision = await currentRevision(manager());
    const answers = await Promise.all([1, 2, 3].map(() => create({ username: 'racing' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await currentRevision(manager())).toBe(revision + 1n);
  });
});

describe('users of another admin', () => {
  it('are invisible to a plain admin, one by one and in lists', async () => {
    expect(await create({ username: 'own' }, plain)).toMatchObject({
      status: 201,
      body: { admin: { username: 'plain' } },
    });
    const forbidden = { status: 403, body: { detail: "You're not allowed", code: 'FORBIDDEN' } };
    expect(await management.call('GET', '/api/user/bob', undefined, plain)).toEqual(forbidden);
    expect(await management.call('DELETE', '/api/user/bob', undefined, plain)).toEqual(forbidden);
    expect(await manager().existsBy(User, { username: 'bob' })).toBe(true);
    expect((await management.call('GET', '/api/users', undefined, plain)).body).toMatchObject({
      users: [{ username: 'own' }],
      total: 1,
    });
    expect(await management.call('GET', '/api/user/own')).toMatchObject({ status: 200 });
  });
});

describe('GET /api/user/{username}', () => {
  it.each(['nobody', 'BOB', '%F0%9F%94%8C', 'x'.repeat(500)])('answers 404 for %s', async (username) => {
    expect(await management.call('GET', `/api/user/${username}`)).toEqual({
      status: 404,
      body: { detail: 'User not found', code: 'USER_NOT_FOUND' },
    });
  });
});

describe('DELETE /api/user/{username}', () => {
  it('leaves a tombstone for the nodes', async () => {
    const created = await create({ username: 'leaving', group_ids: [1] });
    const id = Number(Reflect.get(Object(created.body), 'id'));
    const revision = await currentRevision(manager());
    expect(await management.request('DELETE', '/api/user/leaving')).toMatchObject({ status: 204, text: '' });
    expect(await changedUsersAfter(manager(), after(revision), 10)).toEqual([
      { id, email: `${id}.leaving`, proxySettings: null, inboundTags: [], revision: revision + 1n },
    ]);
    expect(await management.call('DELETE', '/api/user/leaving')).toEqual({
      status: 404,
      body: { detail: 'User not found', code: 'USER_NOT_FOUND' },
    });
    expect(await currentRevision(manager())).toBe(revision + 1n);
  });

  it('accepts an empty body with a content type', async () => {
    await create({ username: 'axios' });
    const { statusCode } = await management.app.inject({
      method: 'DELETE',
      url: '/api/user/axios',
      headers: {
        authorization: `Bearer ${await management.login(SUDO.username, SUDO.password)}`,
        'content-type': 'application/json',
      },
    });
    expect(statusCode).toBe(204);
  });
});

describe('the changes that nodes are told of', () => {
  it('come in the order of their revisions, in batches of any size', async () => {
    const start = after(await currentRevision(manager()));
    await create({ username: 'n-one', group_ids: [1, 2] });
    await create({ username: 'n-two', group_ids: [2] });
    await create({ username: 'n-three', group_ids: [1] });
    await management.call('DELETE', '/api/user/n-two');
    const { id } = await manager().findOneByOrFail(User, { username: 'n-three' });
    await manager().update(User, { id }, { status: 'disabled' });
    await raiseRevisionOf(manager(), start.revision + 4n, [id]);
    const all = await changedUsersAfter(manager(), start, 100);
    expect(
      all.map(({ email, inboundTags, revision }) => [email.split('.')[1], inboundTags, revision - start.revision]),
    ).toEqual([
      ['n-one', [TAG], 1n],
      ['n-two', [], 4n],
      ['n-three', [], 4n],
    ]);
    expect(all[0]?.proxySettings).toMatchObject({ vless: { flow: '' } });
    const single = [];
    for (let position = start; ; ) {
      const [user] = await changedUsersAfter(manager(), position, 1);
      if (!user) break;
      single.push(user);
      position = { revision: user.revision, userId: user.id };
    }
    expect(single).toEqual(all);
  });

  it('contain only served users for a node that starts', async () => {
    const grants = await Grants.read(manager(), () => true);
    const served = await servedUsers(manager(), grants, 0, 100);
    expect(served.map(({ email }) => email.split('.')[1])).toEqual(['bob', 'n-one']);
    expect(await servedUsers(manager(), grants, served[0]?.id ?? 0, 100)).toEqual(served.slice(1));
  });
});
