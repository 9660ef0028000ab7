import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import { createGroup, createUser, type Group, type User } from './fixtures.js';
import { about, type Call, expectRefused, someText } from './refusal.js';

interface GroupList {
  readonly groups: readonly Group[];
  readonly total: number;
}

const UNKNOWN = 987_654;
const TAGS = ['group one', 'group two'];
const LENGTH = about('name', 'Name must be 3-64 characters');

describe('groups', () => {
  let core: Core;
  let group: Group;
  const refused = (calls: readonly Call[], status: number, detail: unknown) =>
    expectRefused(calls, status, detail, ['/api/groups']);
  const allNames = async () => (await environment.sudo.get<GroupList>('/api/groups')).groups.map(({ name }) => name);

  beforeAll(async () => {
    core = await createCore(...TAGS.map((tag) => vless(tag)));
    group = await createGroup(...TAGS);
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
  });
  afterEach(async () => {
    const { groups } = await environment.sudo.get<GroupList>('/api/groups');
    const made = groups.filter(({ id }) => id !== group.id);
    await Promise.all(made.map(({ id }) => environment.sudo.remove(`/api/group/${id}`)));
  });

  it('a group is created, read, modified in part and deleted', async () => {
    const created = await environment.sudo.create<Group>('/api/group', { name: 'first1', inbound_tags: TAGS });
    const path = `/api/group/${created.id}`;
    const shape = { name: 'first1', inbound_tags: TAGS, is_disabled: false, id: created.id, total_users: 0 };
    Object.assign(shape, { version: expect.any(String) });
    expect(created).toEqual(shape);
    expect(await environment.sudo.get(path)).toEqual(shape);
    for (const change of [
      { is_disabled: true },
      { name: 'second2' },
      { inbound_tags: [TAGS[1]] },
      { is_disabled: false },
      { name: 'third3', inbound_tags: [TAGS[0]], is_disabled: true },
    ]) {
      Object.assign(shape, change);
      expect(await environment.sudo.modify(path, change)).toEqual(shape);
      expect(await environment.sudo.get(path)).toEqual(shape);
    }
    await environment.sudo.remove(path);
    await refused([{ method: 'GET', path }], 404, 'Group not found');
  });

  it('a group can be created disabled', async () => {
    const body = { name: 'disabled', inbound_tags: TAGS, is_disabled: true };
    expect(await environment.sudo.create('/api/group', body)).toMatchObject({ is_disabled: true });
  });

  it.each([[[]], [null]])('a group grants no inbound once its inbound_tags are %j', async (inbound_tags) => {
    const { id } = await createGroup(...TAGS);
    expect(await environment.sudo.modify(`/api/group/${id}`, { inbound_tags })).toMatchObject({ inbound_tags: [] });
    expect(await environment.sudo.get(`/api/group/${id}`)).toMatchObject({ inbound_tags: [] });
  });

  it('groups are listed in pages, with the total count', async () => {
    const made = [group, await createGroup(...TAGS), await createGroup(...TAGS)];
    const list = (query: string) => environment.sudo.get<GroupList>(`/api/groups${query}`);
    const ids = made.map(({ id }) => id);
    expect(await list('')).toEqual({ groups: made, total: 3 });
    const pages = await Promise.all(['?limit=2', '?offset=1', '?offset=1&limit=1', '?offset=3'].map(list));
    expect(pages.map(({ groups }) => groups.map(({ id }) => id))).toEqual([
      ids.slice(0, 2),
      ids.slice(1),
      [ids[1]],
      [],
    ]);
    expect(pages.map(({ total }) => total)).toEqual([3, 3, 3, 3]);
  });

  it('a group counts its users', async () => {
    const { id } = await createGroup(...TAGS);
    const users: User[] = [];
    for (const total_users of [1, 2]) {
      users.push(await createUser([{ ...group, id }]));
      expect(await environment.sudo.get(`/api/group/${id}`)).toMatchObject({ total_users });
    }
    for (const { username } of users) await environment.sudo.remove(`/api/user/${username}`);
    expect(await environment.sudo.get(`/api/group/${id}`)).toMatchObject({ total_users: 0 });
  });

  it.each([['abc'], ['x'.repeat(64)], ['0123456789'], ['abcdefghijklmnopqrstuvwxyz']])(
    'a group takes the name %s',
    async (name) => {
      const created = await environment.sudo.create<Group>('/api/group', { name, inbound_tags: TAGS });
      expect(await environment.sudo.modify(`/api/group/${created.id}`, { name })).toMatchObject({ name });
      expect(await allNames()).toContain(name);
    },
  );

  it.each(['with-hyphen', 'with_underscore'])(
    'a group takes %s as a new name, and a new group is refused with it',
    async (name) => {
      await refused([{ method: 'POST', path: '/api/group', body: { name, inbound_tags: TAGS } }], 422, about('name'));
      const { id } = await createGroup(...TAGS);
      expect(await environment.sudo.modify(`/api/group/${id}`, { name })).toMatchObject({ name });
    },
  );

  it.each([
    ['two characters', 'ab', LENGTH],
    ['65 characters', 'x'.repeat(65), LENGTH],
    ['no characters', '', LENGTH],
    ['a capital', 'abcD', about('name')],
    ['a space', 'ab cd', about('name')],
    ['a letter beyond a-z', 'abcé', about('name')],
    ['an Arabic digit', 'abc٣', about('name')],
    ['a line break at its end', 'abc\n', about('name')],
    ['a number', 12345, about('name')],
  ])('a group name of %s is refused, when creating and when modifying', async (_title, name, detail) => {
    await refused(
      [
        { method: 'POST', path: '/api/group', body: { name, inbound_tags: TAGS } },
        { method: 'PUT', path: `/api/group/${group.id}`, body: { name } },
      ],
      422,
      detail,
    );
  });

  it.each([
    ['no name', { name: undefined }, 422, about('name')],
    [
      'no inbound_tags',
      { inbound_tags: undefined },
      422,
      about('inbound_tags', 'You must select at least one inbound'),
    ],
    ['null inbound_tags', { inbound_tags: null }, 422, about('inbound_tags', 'You must select at least one inbound')],
    ['empty inbound_tags', { inbound_tags: [] }, 422, about('inbound_tags', 'You must select at least one inbound')],
    ['inbound_tags of numbers', { inbound_tags: [1] }, 422, about('inbound_tags')],
    ['an unknown tag', { inbound_tags: ['nowhere'] }, 400, 'Inbound tag not found in core configurations'],
    ['one unknown tag', { inbound_tags: [...TAGS, 'nowhere'] }, 400, 'Inbound tag not found in core configurations'],
    ['is_disabled that is no boolean', { is_disabled: 'maybe' }, 422, about('is_disabled')],
  ])('a new group with %s is refused', async (_title, rest, status, detail) => {
    const body = { name: 'refused', inbound_tags: TAGS, ...rest };
    await refused([{ method: 'POST', path: '/api/group', body }], status, detail);
  });

  it.each([
    ['an unknown tag', { inbound_tags: ['nowhere'] }, 400, 'Inbound tag not found in core configurations'],
    [
      'a mistake among good members',
      { name: 'good', inbound_tags: ['nowhere'] },
      400,
      'Inbound tag not found in core configurations',
    ],
    ['is_disabled that is no boolean', { is_disabled: 'maybe' }, 422, about('is_disabled')],
  ])('a modification of a group with %s is refused', async (_title, body, status, detail) => {
    await refused([{ method: 'PUT', path: `/api/group/${group.id}`, body }], status, detail);
  });

  it('a group with the name of another one is refused', async () => {
    const { id } = await createGroup(...TAGS);
    await refused(
      [
        { method: 'POST', path: '/api/group', body: { name: group.name, inbound_tags: TAGS } },
        { method: 'PUT', path: `/api/group/${id}`, body: { name: group.name } },
      ],
      409,
      someText,
    );
  });

  it('a call for an unknown group answers 404', async () => {
    const path = `/api/group/${UNKNOWN}`;
    const calls: Call[] = [
      { method: 'GET', path },
      { method: 'PUT', path, body: {} },
      { method: 'DELETE', path },
    ];
    await refused(calls, 404, 'Group not found');
  });

  it('users leave a deleted group, and its inbounds stay', async () => {
    const kept = await createGroup(...TAGS);
    const deleted = await createGroup(...TAGS);
    const user = await createUser([kept, deleted]);
    await environment.sudo.remove(`/api/group/${deleted.id}`);
    expect(await environment.sudo.get(`/api/user/${user.username}`)).toMatchObject({ group_ids: [kept.id] });
    expect(await environment.sudo.get('/api/inbounds')).toEqual(expect.arrayContaining(TAGS));
    await environment.sudo.remove(`/api/user/${user.username}`);
  });

  it('a user may have several groups', async () => {
    const many = await Promise.all(Array.from({ length: 40 }, () => createGroup(...TAGS)));
    const user = await createUser(many);
    expect(user.group_ids.toSorted((a, b) => a - b)).toEqual(many.map(({ id }) => id).toSorted((a, b) => a - b));
    await environment.sudo.remove(`/api/user/${user.username}`);
  });

  it('PUT /api/user/{username} assigns groups to a user', async () => {
    const [one, two] = [await createGroup(...TAGS), await createGroup(...TAGS)];
    const { username } = await createUser([one]);
    const path = `/api/user/${username}`;
    expect(await environment.sudo.modify(path, { group_ids: [two.id] })).toMatchObject({ group_ids: [two.id] });
    expect(await environment.sudo.modify(path, { group_ids: [one.id, two.id] })).toMatchObject({
      group_ids: [one.id, two.id],
    });
    await expectRefused([{ method: 'PUT', path, body: { group_ids: [UNKNOWN] } }], 404, 'Group not found', [path]);
    await environment.sudo.remove(path);
  });
});
