import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../database/revision.js';
import { TestManagement } from '../testing/test-management.js';
import { UserGroup } from '../user-store/entities/user-group.entity.js';
import { after, changedUsersAfter } from '../user-store/served/served-users.js';
import { Group } from './group.entity.js';

const TAG = 'Shadowsocks TCP';
const NOT_FOUND = { status: 404, body: { detail: 'Group not found', code: 'GROUP_NOT_FOUND' } };
const FORBIDDEN = { status: 403, body: { detail: "You're not allowed", code: 'FORBIDDEN' } };

let management: TestManagement;
let plain: string;
beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
  await management.call('POST', '/api/core', {
    name: 'second',
    config: {
      inbounds: ['two', 'three'].map((tag, n) => ({ tag, port: 2000 + n, protocol: 'shadowsocks', settings: {} })),
      outbounds: [{ tag: 'DIRECT', protocol: 'freedom' }],
    },
  });
});
afterAll(() => management?.close());

const manager = () => management.database.manager;
const create = (group: unknown) => management.call('POST', '/api/group', group);
const modify = (id: number, change: unknown, token?: string) =>
  management.call('PUT', `/api/group/${id}`, change, token);
const stored = (id: number) => manager().findOneBy(Group, { id });
const count = () => manager().count(Group);

async function groupOf(name: string, tags = [TAG]): Promise<Group> {
  const { body } = await create({ name, inbound_tags: tags });
  return manager().findOneByOrFail(Group, { id: Number(Reflect.get(Object(body), 'id')) });
}

async function userOf(username: string, groups: readonly Group[], status = 'active'): Promise<void> {
  await management.call('POST', '/api/user', { username, group_ids: groups.map(({ id }) => id) });
  await management.database.query('UPDATE users SET status = $2 WHERE username = $1', [username, status]);
}

/** The changed users since a revision, with their tags. */
async function nodeChangesSince(revision: bigint): Promise<[username: string | undefined, tags: readonly string[]][]> {
  const users = await changedUsersAfter(manager(), after(revision), 1000);
  return users.map(({ email, inboundTags }) => [email.split('.')[1], inboundTags]);
}

describe('POST /api/group', () => {
  it('creates a group', async () => {
    const group = {
      name: 'basic',
      inbound_tags: [TAG],
      is_disabled: false,
      id: 1,
      total_users: 0,
      version: expect.any(String),
    };
    expect(await create({ name: 'basic', inbound_tags: [TAG, TAG], id: 9, total_users: 9, colour: 'red' })).toEqual({
      status: 201,
      body: group,
    });
    expect(await management.call('GET', '/api/group/1')).toEqual({ status: 200, body: group });
  });

  it('creates a disabled group', async () => {
    expect(await create({ name: 'off', inbound_tags: [TAG], is_disabled: true })).toMatchObject({
      status: 201,
      body: { is_disabled: true },
    });
  });

  it.each([
    [{ name: 'no', inbound_tags: [TAG] }, { name: 'Name must be 3-64 characters' }],
    [{ name: 'x'.repeat(65), inbound_tags: [TAG] }, { name: 'Name must be 3-64 characters' }],
    [{ name: 'Basic 2', inbound_tags: [TAG] }, { name: 'Name can only contain a-z and 0-9' }],
    [{ name: 5, inbound_tags: [TAG] }, { name: 'Input should be a string' }],
    [{ name: 'none', inbound_tags: [] }, { inbound_tags: 'You must select at least one inbound' }],
    [{ name: 'none', inbound_tags: TAG }, { inbound_tags: 'Input should be a list of strings' }],
    [{ name: 'none', inbound_tags: [1] }, { inbound_tags: 'Input should be a list of strings' }],
    [{ name: 'none', inbound_tags: [TAG], is_disabled: 'no' }, { is_disabled: 'Input should be true or false' }],
    [{}, { name: 'Field required', inbound_tags: 'You must select at least one inbound' }],
  ])('refuses %j', async (group, detail) => {
    const before = await count();
    expect(await create(group)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await count()).toBe(before);
  });

  it('refuses a tag that no core offers', async () => {
    const before = await count();
    expect(await create({ name: 'unknown', inbound_tags: [TAG, 'nowhere'] })).toEqual({
      status: 400,
      body: { detail: 'Inbound tag not found in core configurations', code: 'INBOUND_TAG_UNKNOWN' },
    });
    expect(await count()).toBe(before);
  });

  it('refuses a name that is taken, also by a call at the same moment', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({ name: 'racing', inbound_tags: [TAG] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      detail: 'Group by this name already exists',
      code: 'GROUP_EXISTS',
    });
  });
});

describe('PUT /api/group/{id}', () => {
  it('changes the given fields and keeps the rest', async () => {
    const { id } = await groupOf('partial');
    const version = expect.any(String);
    const view = { name: 'partial', inbound_tags: [TAG], is_disabled: false, id, total_users: 0, version };
    const steps: [object, object][] = [
      [{}, {}],
      [{ name: 'partial2' }, { name: 'partial2' }],
      [{ is_disabled: true }, { is_disabled: true }],
      [{ inbound_tags: ['two', 'two', TAG] }, { inbound_tags: ['two', TAG] }],
      [{ name: null, is_disabled: null, id: 99, total_users: 7 }, {}],
      [{ inbound_tags: null }, { inbound_tags: [] }],
      [{ inbound_tags: ['three'] }, { inbound_tags: ['three'] }],
      [{ inbound_tags: [] }, { inbound_tags: [] }],
      [
        { name: 'v-i_p', inbound_tags: [TAG], is_disabled: false },
        { name: 'v-i_p', inbound_tags: [TAG], is_disabled: false },
      ],
    ];
    for (const [change, effect] of steps) {
      expect(await modify(id, change)).toEqual({ status: 200, body: Object.assign(view, effect) });
      expect(await management.call('GET', `/api/group/${id}`)).toEqual({ status: 200, body: view });
    }
  });

  it.each([
    [{ name: 'no' }, { name: 'Name must be 3-64 characters' }],
    [{ name: '' }, { name: 'Name must be 3-64 characters' }],
    [{ name: 'x'.repeat(65) }, { name: 'Name must be 3-64 characters' }],
    [{ name: 'Vip 1' }, { name: 'Name can only contain a-z, 0-9, - and _' }],
    [{ name: 5 }, { name: 'Input should be a string' }],
    [{ inbound_tags: TAG }, { inbound_tags: 'Input should be a list of strings' }],
    [{ inbound_tags: [null] }, { inbound_tags: 'Input should be a list of strings' }],
    [{ is_disabled: 'yes' }, { is_disabled: 'Input should be true or false' }],
  ])('refuses %j', async (change, detail) => {
    const [before, revision] = [await stored(1), await currentRevision(manager())];
    expect(await modify(1, change)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await stored(1)).toEqual(before);
    expect(await currentRevision(manager())).toBe(revision);
  });

  it('refuses a tag that no core offers, and changes nothing', async () => {
    const [before, revision] = [await stored(1), await currentRevision(manager())];
    expect(await modify(1, { name: 'elsewhere', inbound_tags: [TAG, 'nowhere'] })).toEqual({
      status: 400,
      body: { detail: 'Inbound tag not found in core configurations', code: 'INBOUND_TAG_UNKNOWN' },
    });
    expect(await stored(1)).toEqual(before);
    expect(await currentRevision(manager())).toBe(revision);
  });

  it('refuses a name that is taken, but accepts its own', async () => {
    const { id } = await groupOf('taker');
    const revision = await currentRevision(manager());
    expect(await modify(id, { name: 'basic', is_disabled: true })).toEqual({
      status: 409,
      body: { detail: 'Group by this name already exists', code: 'GROUP_EXISTS' },
    });
    expect(await stored(id)).toMatchObject({ name: 'taker', isDisabled: false });
    expect(await currentRevision(manager())).toBe(revision);
    expect((await modify(id, { name: 'taker' })).status).toBe(200);
  });

  it('answers 404 for an unknown group', async () => {
    expect(await modify(4711, { name: 'nobody', inbound_tags: ['nowhere'] })).toEqual(NOT_FOUND);
  });

  it('is for sudo admins', async () => {
    const before = await stored(1);
    expect(await modify(1, { name: 'mine' }, plain)).toEqual(FORBIDDEN);
    expect((await modify(1, { name: 'mine' }, '')).status).toBe(401);
    expect(await stored(1)).toEqual(before);
  });

  it('gives its active and on_hold users a revision when its tags change, and only then', async () => {
    const [group, other] = [await groupOf('heard'), await groupOf('heard2', ['three'])];
    await userOf('h-active', [group, other]);
    await userOf('h-hold', [group], 'on_hold');
    for (const status of ['disabled', 'limited', 'expired']) await userOf(`h-${status}`, [group], status);
    await userOf('h-stranger', [other]);
    const nodeChanges = (...tags: string[]) => [
      ['h-active', [...tags, 'three'].sort()],
      ['h-hold', tags],
    ];
    const steps: [object, unknown[]][] = [
      [{ name: 'heard3' }, []],
      [{ inbound_tags: [TAG], is_disabled: false }, []],
      [{ inbound_tags: [TAG, 'two'] }, nodeChanges(TAG, 'two')],
      [{ inbound_tags: ['two', TAG] }, []],
      [{ is_disabled: true }, nodeChanges()],
      [{ inbound_tags: ['two'] }, []],
      [{ is_disabled: false }, nodeChanges('two')],
      [{ inbound_tags: null }, nodeChanges()],
      [{ is_disabled: true }, []],
    ];
    for (const [change, expected] of steps) {
      const revision = await currentRevision(manager());
      expect(await modify(group.id, change)).toMatchObject({ status: 200, body: { total_users: 5 } });
      expect({ change, nodeChanges: await nodeChangesSince(revision) }).toEqual({ change, nodeChanges: expected });
      expect(await currentRevision(manager())).toBe(expected.length > 0 ? revision + 1n : revision);
    }
  });

  it('loses none of two changes at the same moment', async () => {
    const { id } = await groupOf('moment');
    await Promise.all([modify(id, { name: 'moment2' }), modify(id, { is_disabled: true })]);
    expect(await stored(id)).toMatchObject({ name: 'moment2', isDisabled: true });
  });
});

describe('DELETE /api/group/{id}', () => {
  const remove = (id: number, token?: string) => management.request('DELETE', `/api/group/${id}`, undefined, token);

  it('deletes its memberships; users keep the tags of other groups', async () => {
    const [group, other] = [await groupOf('leaving', [TAG, 'two']), await groupOf('staying', ['two', 'three'])];
    await userOf('d-both', [group, other]);
    await userOf('d-hold', [group], 'on_hold');
    await userOf('d-disabled', [group], 'disabled');
    await userOf('d-stranger', [other]);
    const revision = await currentRevision(manager());
    expect(await remove(group.id)).toMatchObject({ status: 204, text: '' });
    expect(await nodeChangesSince(revision)).toEqual([
      ['d-both', ['three', 'two']],
      ['d-hold', []],
    ]);
    expect(await manager().countBy(UserGroup, { groupId: group.id })).toBe(0);
    expect(await management.call('GET', '/api/user/d-both')).toMatchObject({ body: { group_ids: [other.id] } });
    expect(await management.call('GET', '/api/user/d-disabled')).toMatchObject({ body: { group_ids: [] } });
    expect((await management.call('GET', '/api/inbounds')).body).toEqual([TAG, 'two', 'three']);
    expect(await management.call('GET', `/api/group/${group.id}`)).toEqual(NOT_FOUND);
    expect(await remove(group.id)).toMatchObject(NOT_FOUND);
    expect(await currentRevision(manager())).toBe(revision + 1n);
  });

  it('takes no revision for a group without tags', async () => {
    const group = await groupOf('silent');
    await userOf('d-silent', [group]);
    await modify(group.id, { is_disabled: true });
    const revision = await currentRevision(manager());
    expect((await remove(group.id)).status).toBe(204);
    expect(await currentRevision(manager())).toBe(revision);
  });

  it('is for sudo admins', async () => {
    expect(await remove(1, plain)).toMatchObject(FORBIDDEN);
    expect((await remove(1, '')).status).toBe(401);
    expect(await stored(1)).not.toBeNull();
  });
});

describe('GET /api/groups', () => {
  const list = (query: string, token?: string) => management.call('GET', `/api/groups${query}`, undefined, token);

  it('counts the users of each group, and all groups also on one page', async () => {
    await userOf('alice', [await manager().findOneByOrFail(Group, { id: 1 })]);
    expect(await list('?offset=0&limit=1')).toEqual({
      status: 200,
      body: {
        groups: [
          {
            name: 'basic',
            inbound_tags: [TAG],
            is_disabled: false,
            id: 1,
            total_users: 1,
            version: expect.any(String),
          },
        ],
        total: await count(),
      },
    });
  });

  it('security row 121: counts only the own users for a plain admin', async () => {
    const [shared, other] = [await groupOf('shared'), await groupOf('other')];
    const seller = await management.plainAdmin('seller');
    for (const [username, group_ids, by] of [
      ['own1', [shared.id], seller],
      ['own2', [shared.id], seller],
      ['of-root', [shared.id, other.id], undefined],
    ] as const)
      expect((await management.call('POST', '/api/user', { username, group_ids }, by)).status).toBe(201);
    const sizes = async (by?: string) => {
      const { groups } = Object((await list('', by)).body);
      const found = groups.filter(({ id }: { id: number }) => [shared.id, other.id].includes(id));
      const single = await Promise.all(
        [shared, other].map(async ({ id }) => (await management.call('GET', `/api/group/${id}`, undefined, by)).body),
      );
      expect(single).toEqual(found);
      return found.map(({ total_users }: { total_users: number }) => total_users);
    };
    expect([await sizes(), await sizes(seller)]).toEqual([
      [3, 1],
      [2, 0],
    ]);
  });

  it('counts users after every change of memberships', async () => {
    const [large, small] = [await groupOf('large'), await groupOf('small')];
    const sizes = async () => {
      const [one, two] = await Promise.all([stored(large.id), stored(small.id)]);
      const [counted] = await manager().query(
        'SELECT count(*) FILTER (WHERE group_id = $1)::int AS one, count(*) FILTER (WHERE group_id = $2)::int AS two FROM user_groups',
        [large.id, small.id],
      );
      expect([one?.totalUsers, two?.totalUsers]).toEqual([counted.one, counted.two]);
      return [counted.one, counted.two];
    };
    for (const name of ['first', 'second', 'third']) await userOf(name, [large]);
    expect(await sizes()).toEqual([3, 0]);
    await management.call('PUT', '/api/user/first', { group_ids: [small.id] });
    expect(await sizes()).toEqual([2, 1]);
    await management.call('POST', '/api/groups/bulk/add', { group_ids: [small.id], has_group_ids: [large.id] });
    expect(await sizes()).toEqual([2, 3]);
    await management.call('POST', '/api/groups/bulk/remove', { group_ids: [small.id], has_group_ids: [large.id] });
    expect(await sizes()).toEqual([2, 1]);
    await management.call('DELETE', '/api/user/second');
    expect(await sizes()).toEqual([1, 1]);
    await management.database.query('DELETE FROM users WHERE username = ANY ($1)', [['first', 'third']]);
    expect(await sizes()).toEqual([0, 0]);
    await userOf('fourth', [large, small]);
    await management.call('DELETE', `/api/group/${large.id}`);
    expect((await stored(small.id))?.totalUsers).toBe(1);
  });

  it('lists all groups for every admin without a limit, and in consecutive pages with one', async () => {
    const groups = (answer: { body: unknown }): unknown[] => Reflect.get(Object(answer.body), 'groups');
    const all = groups(await list('', plain));
    expect(all).toHaveLength(await count());
    expect(groups(await list('?limit=0', plain))).toEqual(all);
    expect(groups(await list('?offset=2', plain))).toEqual(all.slice(2));
    expect(groups(await list('?offset=1&limit=2', plain))).toEqual(all.slice(1, 3));
    expect(await list('?offset=1000')).toEqual({ status: 200, body: { groups: [], total: all.length } });
  });

  it.each(['offset=-1', 'limit=-1', 'limit=ten', 'offset=1.5'])('refuses %s', async (query) => {
    const [field = ''] = query.split('=');
    expect(await list(`?${query}`)).toEqual({
      status: 422,
      body: { detail: { [field]: 'Input should be an integer from 0 to 2147483647' }, code: 'INVALID_FIELDS' },
    });
  });
});

describe('GET /api/group/{group_id}', () => {
  it('answers 404 for an unknown group', async () => {
    expect(await management.call('GET', '/api/group/4711', undefined, plain)).toEqual(NOT_FOUND);
  });

  it.each(['0', 'first', '2147483648'])('refuses the id %s', async (id) => {
    expect(await management.call('GET', `/api/group/${id}`)).toEqual({
      status: 422,
      body: { detail: { group_id: 'Input should be an integer from 1 to 2147483647' }, code: 'INVALID_FIELDS' },
    });
  });
});
