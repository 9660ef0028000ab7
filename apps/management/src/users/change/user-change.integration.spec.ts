import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../../database/revision.js';
import { TestManagement } from '../../testing/test-management.js';
import { User } from '../../user-store/entities/user.entity.js';
import { UserProxySettings } from '../../user-store/entities/user-proxy-settings.entity.js';
import { UserTrafficReset } from '../../user-store/entities/user-traffic-reset.entity.js';
import { after, changedUsersAfter } from '../../user-store/served/served-users.js';

const TAG = 'Shadowsocks TCP';
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PAST = '2020-01-01T00:00:00.000Z';
const FUTURE = '2033-05-18T03:33:20.000Z';
const NO_DURATION = { status: 'User cannot be on hold without a valid on_hold_expire_duration' };
const WITH_EXPIRE = { status: 'User cannot be on hold with specified expire' };
const INTEGER = 'Input should be an integer from 0 to 9007199254740991';

let management: TestManagement;
let username: string;
let before: Record<string, unknown>;
let revision: bigint;
let users = 0;

beforeAll(async () => {
  management = await TestManagement.start();
  await management.call('POST', '/api/group', { name: 'one', inbound_tags: [TAG] });
  await management.call('POST', '/api/group', { name: 'two', inbound_tags: [TAG] });
  await management.call('POST', '/api/group', { name: 'off', inbound_tags: [TAG], is_disabled: true });
});
afterAll(() => management?.close());

const manager = () => management.database.manager;
const get = async () => Object((await management.call('GET', `/api/user/${username}`)).body);
const modify = (change: object) => management.call('PUT', `/api/user/${username}`, change);
const act = (action: string) => management.call('POST', `/api/user/${username}/${action}`);
const set = async (columns: Partial<Omit<User, 'admin'>>) => {
  await manager().update(User, { username }, columns);
  before = await get();
};
/** The changes that nodes hear of since the test prepared the user. */
const nodeChanges = async () =>
  (await changedUsersAfter(manager(), after(revision), 10)).map(({ email, inboundTags }) => [email, inboundTags]);

const FULL = {
  note: 'a friend',
  data_limit: 1000,
  data_limit_reset_strategy: 'month',
  expire: FUTURE,
  auto_delete_in_days: 30,
  group_ids: [1],
};

beforeEach(async () => {
  users += 1;
  username = `user${users}`;
  const { body } = await management.call('POST', '/api/user', { username, ...FULL });
  before = Object(body);
  revision = await currentRevision(manager());
});

describe('PUT /api/user/{username}', () => {
  it('changes only the moment of the last change when all members are absent', async () => {
    const edited = { ...before, edit_at: expect.stringMatching(MOMENT), version: expect.any(String) };
    expect(await modify({})).toEqual({ status: 200, body: edited });
    expect(await modify({ id: 7, username: 'other', used_traffic: 5, admin: null })).toEqual({
      status: 200,
      body: edited,
    });
    expect(await nodeChanges()).toEqual([]);
    expect(await currentRevision(manager())).toBe(revision);
  });

  it.each([
    [{ note: 'other' }, {}],
    [{ note: null }, {}],
    [{ note: '' }, { note: null }],
    [{ data_limit: 2000 }, {}],
    [{ data_limit: null }, { data_limit: 0 }],
    [{ data_limit: 0 }, {}],
    [{ data_limit_reset_strategy: 'day' }, {}],
    [{ data_limit_reset_strategy: null }, { data_limit_reset_strategy: 'no_reset' }],
    [{ expire: 2_100_000_000 }, { expire: '2036-07-18T13:20:00.000Z' }],
    [{ expire: null }, { expire: 0 }],
    [{ expire: 0 }, {}],
    [{ auto_delete_in_days: 7 }, {}],
    [{ auto_delete_in_days: -1 }, { auto_delete_in_days: null }],
    [{ auto_delete_in_days: null }, {}],
    [{ on_hold_expire_duration: 60 }, {}],
    [{ on_hold_timeout: 2_000_000_000 }, { on_hold_timeout: FUTURE }],
    [{ status: null }, { status: 'active' }],
    [{ proxy_settings: null }, { proxy_settings: expect.anything() }],
    [{ group_ids: [2, 2] }, { group_ids: [2] }],
    [{ group_ids: [3, 1] }, { group_ids: [1, 3] }],
  ])('with %j changes that alone, and nodes need not know', async (change, shown) => {
    expect(await modify(change)).toEqual({
      status: 200,
      body: { ...before, ...change, ...shown, edit_at: expect.stringMatching(MOMENT), version: expect.any(String) },
    });
    expect(await nodeChanges()).toEqual([]);
    expect(await currentRevision(manager())).toBe(revision);
  });

  it.each([[[]], [null], [[3]]])('group_ids %j takes the user from the nodes', async (group_ids) => {
    expect(await modify({ group_ids })).toMatchObject({ status: 200, body: { group_ids: group_ids ?? [] } });
    expect(await nodeChanges()).toEqual([[`${before['id']}.${username}`, []]]);
    expect(await currentRevision(manager())).toBe(revision + 1n);
  });

  it('keeps the credentials of a protocol that the request does not contain', async () => {
    const id = 'b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e01';
    const kept = Object(before['proxy_settings']);
    expect(await modify({ proxy_settings: { vmess: { id }, vless: { flow: 'xtls-rprx-vision' } } })).toMatchObject({
      status: 200,
      body: { proxy_settings: { ...kept, vmess: { id }, vless: { id: kept.vless.id, flow: 'xtls-rprx-vision' } } },
    });
    expect(await nodeChanges()).toEqual([[`${before['id']}.${username}`, [TAG]]]);
    const again = await currentRevision(manager());
    await modify({ proxy_settings: { vmess: { id }, trojan: null, shadowsocks: {} } });
    expect(await currentRevision(manager())).toBe(again);
  });

  it('tells nodes nothing about the credentials of a user that they do not serve', async () => {
    await set({ status: 'disabled' });
    await modify({ proxy_settings: { trojan: { password: 'another password' } } });
    expect(await nodeChanges()).toEqual([]);
    await modify({ status: 'active' });
    expect(await nodeChanges()).toEqual([[`${before['id']}.${username}`, [TAG]]]);
  });

  it.each([
    ['a limit raised', { status: 'limited', usedTraffic: 1000 }, { data_limit: 1001 }, 'active'],
    ['a limit taken away', { status: 'limited', usedTraffic: 1000 }, { data_limit: null }, 'active'],
    ['a limit not raised enough', { status: 'limited', usedTraffic: 2000 }, { data_limit: 2000 }, 'limited'],
    ['a limit lowered', { usedTraffic: 500 }, { data_limit: 500 }, 'limited'],
    ['an end put off', { status: 'expired', expire: new Date(PAST) }, { expire: FUTURE }, 'active'],
    ['an end taken away', { status: 'expired', expire: new Date(PAST) }, { expire: null }, 'active'],
    ['an end in the past', { status: 'active' }, { expire: PAST }, 'expired'],
    ['an end that has passed unnoticed', { expire: new Date(PAST) }, {}, 'expired'],
    ['more time for one without traffic', { status: 'expired', usedTraffic: 1000 }, { expire: FUTURE }, 'limited'],
    ['disabled', { status: 'active' }, { status: 'disabled' }, 'disabled'],
    ['more of everything for a disabled user', { status: 'disabled' }, { data_limit: 0, expire: 0 }, 'disabled'],
    ['enabled', { status: 'disabled' }, { status: 'active' }, 'active'],
    ['enabled too late', { status: 'disabled', expire: new Date(PAST) }, { status: 'active' }, 'expired'],
    ['enabled without traffic left', { status: 'disabled', usedTraffic: 1000 }, { status: 'active' }, 'limited'],
  ] as const)('changes the status in the same answer: %s', async (_, columns, change, status) => {
    await set(columns);
    const wasServed = before['status'] === 'active';
    expect(await modify(change)).toMatchObject({ status: 200, body: { status } });
    expect(await get()).toMatchObject({ status });
    const tags = status === 'active' ? [TAG] : [];
    expect(await nodeChanges()).toEqual(
      wasServed === (status === 'active') ? [] : [[`${before['id']}.${username}`, tags]],
    );
  });

  it('removes the stored end when it puts a user on hold', async () => {
    const hold = { status: 'on_hold', on_hold_expire_duration: 60, on_hold_timeout: FUTURE };
    expect(await modify(hold)).toMatchObject({ status: 200, body: { ...hold, expire: 0 } });
    expect(await nodeChanges()).toEqual([]);
    expect(await modify({ ...hold, expire: 0 })).toMatchObject({ status: 200, body: { ...hold, expire: 0 } });
    expect(await modify({ note: 'still' })).toMatchObject({ status: 200, body: { ...hold, note: 'still' } });
    expect(await modify({ status: 'disabled' })).toMatchObject({ body: { ...hold, status: 'disabled' } });
    expect(await modify({ status: 'active' })).toMatchObject({ body: hold });
  });

  it('ends a hold: the duration counts from now, unless an end is given', async () => {
    const ended = { status: 'active', on_hold_expire_duration: null, on_hold_timeout: null };
    await modify({ status: 'on_hold', on_hold_expire_duration: 3600 });
    const { body } = await modify({ status: 'active' });
    const { edit_at, expire } = Object(body);
    expect(body).toMatchObject(ended);
    expect(Date.parse(expire) - Date.parse(edit_at)).toBe(3_600_000);
    await modify({ status: 'on_hold', on_hold_expire_duration: 3600 });
    expect(await modify({ status: 'active', expire: FUTURE })).toMatchObject({ body: { ...ended, expire: FUTURE } });
    await modify({ status: 'on_hold', on_hold_expire_duration: 3600 });
    expect(await modify({ on_hold_timeout: PAST })).toMatchObject({ body: ended });
  });

  it.each([
    [{ status: 'expired' }, { status: "Input should be one of 'active', 'disabled', 'on_hold'" }],
    [{ status: 'on_hold' }, NO_DURATION],
    [{ status: 'on_hold', on_hold_expire_duration: 0 }, NO_DURATION],
    [{ status: 'on_hold', on_hold_expire_duration: null }, NO_DURATION],
    [{ status: 'on_hold', on_hold_expire_duration: 60, expire: FUTURE }, WITH_EXPIRE],
    [{ data_limit: -1 }, { data_limit: INTEGER }],
    [
      { data_limit: 1.5, note: 5 },
      { data_limit: INTEGER, note: 'Input should be a string' },
    ],
    // The length counts code points, as PostgreSQL does: each of these emojis has two, one is a variation selector.
    [{ note: '⌛️'.repeat(251) }, { note: 'Input should have at most 500 characters' }],
    [{ group_ids: 'one' }, { group_ids: 'Input should be a list of ids' }],
    [{ group_ids: [0] }, { group_ids: 'Input should be a list of ids' }],
    [{ expire: 'soon' }, { expire: 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z' }],
    [{ proxy_settings: { vless: { id: 'me' } } }, { 'proxy_settings.vless.id': 'Input should be a UUID' }],
  ])('refuses %j and changes nothing', async (change, detail) => {
    expect(await modify({ note: 'changed', ...change })).toEqual({
      status: 422,
      body: { detail, code: 'INVALID_FIELDS' },
    });
    expect(await get()).toEqual(before);
    expect(await currentRevision(manager())).toBe(revision);
  });

  it.each([
    [{ on_hold_expire_duration: null }, NO_DURATION],
    [{ expire: FUTURE }, WITH_EXPIRE],
  ])('refuses %j of a user on hold', async (change, detail) => {
    await set({ status: 'on_hold', onHoldExpireDuration: 60, expire: null });
    expect(await modify(change)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await get()).toEqual(before);
  });

  it('refuses unknown groups and changes nothing', async () => {
    expect(await modify({ note: 'changed', group_ids: [1, 4711] })).toEqual({
      status: 404,
      body: { detail: 'Group not found', code: 'GROUP_NOT_FOUND' },
    });
    expect(await get()).toEqual(before);
    expect(await currentRevision(manager())).toBe(revision);
  });

  it('loses none of several simultaneous modifications', async () => {
    const changes = [{ note: 'both' }, { data_limit: 5 }, { group_ids: [1, 2] }, { auto_delete_in_days: 1 }];
    expect((await Promise.all(changes.map(modify))).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await get()).toMatchObject(Object.assign({}, ...changes));
  });

  it('replaces damaged credentials by valid ones', async () => {
    await manager().update(UserProxySettings, { userId: Number(before['id']) }, { proxySettings: () => `'{}'` });
    expect(await modify({ proxy_settings: { trojan: { password: 'a new one' } } })).toMatchObject({
      status: 200,
      body: { proxy_settings: { vmess: { id: '' }, trojan: { password: 'a new one' } } },
    });
  });
});

describe('POST /api/user/{username}/reset', () => {
  it('sets the counter to zero, keeps the total and logs the used traffic', async () => {
    await set({ usedTraffic: 300, pastTraffic: 50 });
    expect(await act('reset')).toEqual({
      status: 200,
      body: { ...before, used_traffic: 0, lifetime_used_traffic: 350 },
    });
    expect(await manager().findBy(UserTrafficReset, { userId: Number(before['id']) })).toEqual([
      { id: expect.any(String), userId: before['id'], usedTraffic: 300, resetAt: expect.any(Date) },
    ]);
    expect(await nodeChanges()).toEqual([]);
  });

  it.each([
    ['limited', {}, 'active', true],
    ['limited', { expire: new Date(PAST) }, 'expired', false],
    ['disabled', {}, 'disabled', false],
    ['on_hold', { expire: null, onHoldExpireDuration: 60 }, 'on_hold', false],
    ['expired', { expire: new Date(PAST) }, 'expired', false],
  ] as const)('makes a user who was %s with %j one who is %s', async (status, columns, expected, isHeard) => {
    await set({ ...columns, status, usedTraffic: 1000 });
    expect(await act('reset')).toMatchObject({ status: 200, body: { status: expected, used_traffic: 0 } });
    expect(await nodeChanges()).toEqual(isHeard ? [[`${before['id']}.${username}`, [TAG]]] : []);
  });

  it('loses no traffic in simultaneous resets', async () => {
    await set({ usedTraffic: 300 });
    await Promise.all([act('reset'), act('reset'), act('reset')]);
    expect(await get()).toMatchObject({ used_traffic: 0, lifetime_used_traffic: 300 });
  });
});

describe('POST /api/user/{username}/revoke_sub', () => {
  it('invalidates every link and credential, and keeps flow and method', async () => {
    const kept = { vless: { flow: 'xtls-rprx-vision' }, shadowsocks: { method: 'aes-256-gcm' } };
    await modify({ proxy_settings: kept });
    before = await get();
    revision = await currentRevision(manager());
    const { status, body } = await act('revoke_sub');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...before,
        proxy_settings: expect.objectContaining({}),
        subscription_url: expect.any(String),
        version: expect.any(String),
      },
    });
    expect(body).toMatchObject({ proxy_settings: kept });
    const secrets = (user: unknown): unknown[] => {
      const { proxy_settings, subscription_url } = Object(user);
      const { vmess, vless, trojan, shadowsocks } = proxy_settings;
      return [vmess.id, vless.id, trojan.password, shadowsocks.password, subscription_url];
    };
    const old = secrets(before);
    expect(secrets(body).filter((secret) => secret === undefined || old.includes(secret))).toEqual([]);
    expect(await nodeChanges()).toEqual([[`${before['id']}.${username}`, [TAG]]]);
    const link = (user: unknown) => String(Object(user).subscription_url).replace('https://panel.example', '');
    expect(await management.request('GET', link(before), undefined, '')).toMatchObject({ status: 404 });
    expect(await management.request('GET', link(body), undefined, '')).toMatchObject({ status: 200 });
  });
});
