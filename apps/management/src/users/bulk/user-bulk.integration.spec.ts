import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SHADOWSOCKS_METHODS, USER_STATUSES, VLESS_FLOWS } from '@rampart/domain';
import { until } from '@rampart/testing';
import { lockRevision } from '../../database/revision.js';
import { User } from '../../user-store/entities/user.entity.js';
import { UserProxySettings } from '../../user-store/entities/user-proxy-settings.entity.js';
import { oneOf } from '../../validation/messages.js';
import { BEFORE, BulkFixture, DAY, done, type Stored, settingsOf, TAG, wouldChange } from './testing/bulk-fixture.js';

let fixture: BulkFixture;
beforeAll(async () => {
  fixture = await BulkFixture.start();
});
beforeEach(() => fixture.reset());
afterAll(() => fixture?.close());

/** A request, and the new state of each user that it changes, by id; all other users stay unchanged. */
type Case = [request: object, changed: Stored];

const IN_FIVE_DAYS = new Date(Date.now() + 5 * DAY * 1_000);

async function expectChange(url: string, [request, changed]: Case): Promise<void> {
  const count = Object.keys(changed).length;
  expect(await fixture.post(url, { ...request, dry_run: true })).toEqual(wouldChange(count));
  expect(await fixture.stored()).toEqual(BEFORE);
  expect(await fixture.post(url, { ...request, dry_run: false })).toEqual(done(count));
  expect(await fixture.stored()).toEqual({ ...BEFORE, ...changed });
}

describe('POST /api/users/bulk/expire', () => {
  const url = 'bulk/expire';

  it.each<Case>([
    [
      { amount: 20 * DAY },
      {
        11: ['active', 30, 0],
        12: ['active', 10, 100],
        13: ['active', 21, 100],
        14: ['limited', 30, 100],
        15: ['disabled', 10, 100],
        18: ['limited', 10, 100],
        19: ['limited', 21, 100],
      },
    ],
    [
      { amount: -5 * DAY, users: null, admins: null, group_ids: null, status: null },
      {
        11: ['active', 5, 0],
        12: ['expired', -15, 100],
        13: ['expired', -4, 100],
        14: ['limited', 5, 100],
        15: ['disabled', -15, 100],
        18: ['expired', -15, 100],
        19: ['expired', -4, 100],
      },
    ],
    [{ amount: 0 }, {}],
  ])('a bulk call with %j changes these users and no others', async (...change) => {
    await expectChange(url, change);
  });

  it.each<[target: object, ids: number[]]>([
    [{ users: [11, 13, 16, 17, 4711] }, [11, 13]],
    [{ users: [11], admins: [2] }, [11]],
    [{ users: [], admins: [2] }, []],
    [{ users: null, admins: [2, 4711] }, [13, 14, 15]],
    [{ admins: [] }, []],
    [{ group_ids: [1] }, [11, 12, 13, 14, 15, 19]],
    [{ group_ids: [2, 4711] }, [14]],
    [{ group_ids: [] }, [11, 12, 13, 14, 15, 18, 19]],
    [{ admins: [1], group_ids: [1], status: ['expired', 'limited'] }, [12, 19]],
    [{ status: ['disabled'] }, [15]],
    [{ status: [] }, [11, 12, 13, 14, 15, 18, 19]],
    [{ users: [11, 12, 18], status: ['expired'], group_ids: [1] }, [12]],
    [{ search: 'SER15' }, [15]],
    [{ search: 'user1', admins: [2] }, [13, 14, 15]],
    [{ search: '_' }, []],
    [{ search: '', users: [11] }, [11]],
    [{ expire_after: IN_FIVE_DAYS }, [11, 14]],
    [{ expire_before: IN_FIVE_DAYS.toISOString(), status: ['active', 'limited'] }, [13, 19]],
    [{ expire_after: Math.floor(Date.now() / 1_000), expire_before: IN_FIVE_DAYS }, [13, 19]],
    [{ users: [11, 13], expire_before: IN_FIVE_DAYS }, [13]],
    [{ users: [11], expire_after: null, expire_before: 0 }, [11]],
  ])('the selection %j of a bulk call means the users %j', async (target, ids) => {
    expect(await fixture.post(url, { amount: DAY, ...target, dry_run: true })).toEqual(wouldChange(ids.length));
    expect(await fixture.post(url, { amount: DAY, ...target })).toEqual(done(ids.length));
    const after = await fixture.stored();
    expect(
      Object.keys(after)
        .map(Number)
        .filter((id) => after[id]?.[1] !== BEFORE[id]?.[1]),
    ).toEqual(ids);
  });

  it('tells nodes only of the users whose service begins or ends', async () => {
    const revision = await fixture.revision();
    await fixture.post(url, { amount: 5 * DAY, users: [11, 12, 13, 14] });
    expect(await fixture.nodeChangesSince(revision)).toEqual([]);
    expect(await fixture.revision()).toBe(revision);
    await fixture.post(url, { amount: 20 * DAY });
    expect(await fixture.nodeChangesSince(revision)).toEqual([[12, [TAG]]]);
    await fixture.post(url, { amount: -30 * DAY });
    expect(await fixture.nodeChangesSince(revision + 1n)).toEqual([
      [12, []],
      [13, []],
    ]);
  });

  it.each([
    [2 * DAY, 'active', '9999-12-31T00:00:00Z', '9999-12-31T23:59:59Z'],
    [-2 * DAY, 'expired', '1970-01-02T00:00:00Z', '1970-01-01T00:00:01Z'],
  ])(
    'by %i keeps ends among the moments that can be shown, and counts nobody whose end cannot move',
    async (...given) => {
      const [amount, status, from, to] = given;
      await fixture.management.database.manager.update(User, { id: 11 }, { expire: new Date(from) });
      expect(await fixture.post(url, { amount, users: [11] })).toEqual(done(1));
      expect((await fixture.users())[0]).toMatchObject({ id: 11, status, expire: new Date(to) });
      expect(await fixture.post(url, { amount, users: [11] })).toEqual(done(0));
    },
  );

  it('sets the moment of the last change of changed users only', async () => {
    await fixture.post(url, { amount: DAY, users: [11, 17] });
    const [first, ...others] = await fixture.users();
    expect(first?.editAt).toBeInstanceOf(Date);
    expect(others.map(({ editAt }) => editAt)).toEqual(others.map(() => null));
  });
});

describe('POST /api/users/bulk/data_limit', () => {
  const url = 'bulk/data_limit';

  it.each<Case>([
    [
      { amount: 50 },
      {
        12: ['expired', -10, 150],
        13: ['active', 1, 150],
        14: ['active', 10, 150],
        15: ['disabled', -10, 150],
        16: ['on_hold', null, 150],
        18: ['expired', -10, 150],
        19: ['limited', 1, 150],
      },
    ],
    [
      { amount: -1, admins: [2] },
      { 13: ['limited', 1, 99], 14: ['limited', 10, 99], 15: ['disabled', -10, 99] },
    ],
    // A limit of 0 would mean no limit, so a limit is never lowered below one byte.
    [
      { amount: -100, users: [11, 13, 16] },
      { 13: ['limited', 1, 1], 16: ['on_hold', null, 1] },
    ],
    [{ amount: -Number.MAX_SAFE_INTEGER, users: [14] }, { 14: ['limited', 10, 1] }],
    [{ amount: Number.MAX_SAFE_INTEGER, users: [14] }, { 14: ['active', 10, Number.MAX_SAFE_INTEGER] }],
    [{ amount: 0 }, {}],
  ])('a bulk call with %j changes these users and no others', async (...change) => {
    await expectChange(url, change);
  });

  it('tells nodes only of the users whose service begins or ends', async () => {
    const revision = await fixture.revision();
    await fixture.post(url, { amount: 50 });
    expect(await fixture.nodeChangesSince(revision)).toEqual([[14, [TAG]]]);
    await fixture.post(url, { amount: -100 });
    expect(await fixture.nodeChangesSince(revision + 1n)).toEqual([
      [13, []],
      [14, []],
    ]);
    expect(await fixture.revision()).toBe(revision + 2n);
  });

  it('adds up the amounts of simultaneous calls', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => fixture.post(url, { amount: 50, users: [13, 14] })));
    expect(answers).toEqual([done(2), done(2), done(2)]);
    expect(await fixture.stored()).toEqual({ ...BEFORE, 13: ['active', 1, 250], 14: ['active', 10, 250] });
  });
});

describe('POST /api/users/bulk/proxy_settings', () => {
  const url = 'bulk/proxy_settings';
  const ids = Object.keys(BEFORE).map(Number);
  const vision = (id: number) => ({
    ...settingsOf(id),
    vless: { ...settingsOf(id).vless, flow: 'xtls-rprx-vision' },
  });
  const settings = async () => {
    const rows = await fixture.management.database.manager.find(UserProxySettings, { order: { userId: 'ASC' } });
    return rows.map(({ proxySettings }) => proxySettings);
  };

  it.each<[request: object, changed: number[], expected: (id: number) => object]>([
    [{ flow: 'xtls-rprx-vision' }, ids.filter((id) => id !== 12), vision],
    [{ flow: '' }, [12], (id) => ({ ...settingsOf(id), vless: { ...settingsOf(id).vless, flow: '' } })],
    [
      { flow: 'none', users: [11, 12] },
      [12],
      (id) => ({ ...settingsOf(id), vless: { ...settingsOf(id).vless, flow: '' } }),
    ],
    [
      { method: 'aes-256-gcm', flow: null, admins: [2] },
      [13, 14, 15],
      (id) => ({ ...settingsOf(id), shadowsocks: { password: `shadowsocks of ${id}`, method: 'aes-256-gcm' } }),
    ],
    [
      { flow: 'xtls-rprx-vision', method: 'aes-128-gcm', users: [12] },
      [12],
      (id) => ({ ...vision(id), shadowsocks: { password: `shadowsocks of ${id}`, method: 'aes-128-gcm' } }),
    ],
    [{ flow: null, method: null }, [], settingsOf],
    [{}, [], settingsOf],
  ])('%j changes %j, and no credential', async (request, changed, expected) => {
    expect(await fixture.post(url, { ...request, dry_run: true })).toEqual(wouldChange(changed.length));
    expect(await settings()).toEqual(ids.map(settingsOf));
    expect(await fixture.post(url, request)).toEqual(done(changed.length));
    expect(await settings()).toEqual(ids.map((id) => (changed.includes(id) ? expected(id) : settingsOf(id))));
    expect(await fixture.stored()).toEqual(BEFORE);
  });

  it('tells nodes only of users that they serve', async () => {
    const revision = await fixture.revision();
    await fixture.post(url, { flow: 'xtls-rprx-vision' });
    expect(await fixture.nodeChangesSince(revision)).toEqual([
      [11, [TAG]],
      [13, [TAG]],
      [16, [TAG]],
      [17, []],
    ]);
    await fixture.post(url, { flow: 'xtls-rprx-vision' });
    expect(await fixture.revision()).toBe(revision + 1n);
  });
});

describe.each([
  ['expire', { amount: 20 * DAY }, [13, 14, 15]],
  ['data_limit', { amount: 50 }, [13, 14, 15]],
  ['proxy_settings', { method: 'aes-256-gcm' }, [13, 14, 15]],
])('POST /api/users/bulk/%s', (name, request, own) => {
  const url = `bulk/${name}`;
  const IDS = 'Input should be a list of ids';

  it('a bulk call changes only the own users of a plain admin', async () => {
    const before = await fixture.users();
    for (const target of [{ users: [11, 16, 17] }, { admins: [1, 3] }, { search: 'user16' }, { status: ['on_hold'] }]) {
      expect(await fixture.post(url, { ...request, ...target }, fixture.plain)).toEqual(done(0));
    }
    expect(await fixture.post(url, { ...request, dry_run: true }, fixture.plain)).toEqual(wouldChange(own.length));
    expect(await fixture.users()).toEqual(before);
    expect(await fixture.post(url, request, fixture.plain)).toEqual(done(own.length));
    const after = await fixture.users();
    expect(after.filter((user, index) => user.editAt !== before[index]?.editAt).map(({ id }) => id)).toEqual(own);
  });

  it('a bulk call on users refuses callers without a token', async () => {
    expect(await fixture.post(url, request, '')).toMatchObject({ status: 401 });
  });

  it('security row 24: a bulk call makes one change of an admin at a time, and holds one connection for it', async () => {
    const { database } = fixture.management;
    const waiting = async () => {
      const sql = "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      return (await database.query(sql))[0].n;
    };
    const runner = database.createQueryRunner();
    await runner.startTransaction();
    await lockRevision(runner.manager);
    const asked = Array.from({ length: 12 }, () => fixture.post(url, request, fixture.plain));
    const other = fixture.post(url, request);
    await until(async (saw) => saw(await waiting()) === 2);
    // Far more requests than there are connections; requests of other admins must be answered meanwhile.
    expect((await fixture.management.call('GET', '/api/users?limit=1')).status).toBe(200);
    expect(await waiting()).toBe(2);
    await runner.commitTransaction();
    await runner.release();
    const answers = await Promise.all([...asked, other]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('security row 24: a bulk call refuses a list that would take long to check', async () => {
    const revision = await fixture.revision();
    const longest = { ...request, users: Array.from({ length: 10_000 }, (_, index) => index + 1_000) };
    expect(await fixture.post(url, longest)).toEqual(done(0));
    for (const member of ['users', 'admins', 'group_ids']) {
      expect(await fixture.post(url, { ...request, [member]: [...longest.users, 1] })).toEqual({
        status: 422,
        body: { detail: { [member]: 'Input should be a list of at most 10000 ids' }, code: 'INVALID_FIELDS' },
      });
    }
    expect(await fixture.stored()).toEqual(BEFORE);
    expect(await fixture.revision()).toBe(revision);
  });

  it.each<[wrong: object, detail: object]>([
    [
      { users: 'all', admins: [1.5], group_ids: [0] },
      { users: IDS, admins: IDS, group_ids: IDS },
    ],
    [{ dry_run: 'yes' }, { dry_run: 'Input should be true or false' }],
    [{ status: 'active' }, { status: 'Input should be a list of strings' }],
    [{ status: ['active', 'gone'] }, { status: oneOf(USER_STATUSES).message }],
    [{ status: Array(101).fill('active') }, { status: 'Input should be a list of at most 100 values' }],
    [
      { expire_before: 'soon' },
      { expire_before: 'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z' },
    ],
  ])('a bulk call on users refuses %j', async (wrong, detail) => {
    const before = await fixture.users();
    expect(await fixture.post(url, { ...request, ...wrong })).toEqual({
      status: 422,
      body: { detail, code: 'INVALID_FIELDS' },
    });
    expect(await fixture.users()).toEqual(before);
  });
});

const MAX_BYTES = Number.MAX_SAFE_INTEGER;
it.each<[name: string, request: object, detail: object]>([
  ['expire', {}, { amount: 'Field required' }],
  ['expire', { amount: null }, { amount: 'Field required' }],
  ...['86400', 1.5, 3_155_760_001, -3_155_760_001].map((amount): [string, object, object] => [
    'expire',
    { amount },
    { amount: 'Input should be an integer from -3155760000 to 3155760000' },
  ]),
  ['data_limit', {}, { amount: 'Field required' }],
  [
    'data_limit',
    { amount: MAX_BYTES + 1 },
    { amount: `Input should be an integer from -${MAX_BYTES} to ${MAX_BYTES}` },
  ],
  ['proxy_settings', { flow: 'vision' }, { flow: oneOf(VLESS_FLOWS).message }],
  ['proxy_settings', { method: 'none' }, { method: oneOf(SHADOWSOCKS_METHODS).message }],
])('POST /api/users/bulk/%s refuses %j', async (name, request, detail) => {
  const before = await fixture.users();
  expect(await fixture.post(`bulk/${name}`, request)).toEqual({
    status: 422,
    body: { detail, code: 'INVALID_FIELDS' },
  });
  expect(await fixture.users()).toEqual(before);
});
