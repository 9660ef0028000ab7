import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Api } from '@rampart/testing';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import { createGroup, createUser, type Group, type User } from './fixtures.js';
import { about, expectRefused } from './refusal.js';

const UNKNOWN = 987_654;
const ROOT_ID = 1;

/** Users a, b and c belong to root, p and q to the plain admin. Each begins with the groups that its row names. */
const NAMES = ['a', 'b', 'c', 'p', 'q'] as const;
type Name = (typeof NAMES)[number];
type Letters = string;

interface Row {
  readonly title: string;
  readonly by?: 'sudo' | 'plain';
  /** Which of the groups x, y and z the call names. */
  readonly groups: Letters;
  readonly users?: Letters;
  readonly admins?: readonly ('root' | 'plain')[];
  readonly has?: Letters;
  readonly start: Partial<Record<Name, Letters>>;
  readonly after: Partial<Record<Name, Letters>>;
  readonly count: number;
}

const adds: readonly Row[] = [
  { title: 'to users', groups: 'y', users: 'ab', start: { a: 'x' }, after: { a: 'xy', b: 'y' }, count: 2 },
  {
    title: 'only where it is new',
    groups: 'y',
    users: 'abc',
    start: { a: 'y', b: 'xy' },
    after: { a: 'y', b: 'xy', c: 'y' },
    count: 1,
  },
  {
    title: 'to nobody when all have it',
    groups: 'x',
    users: 'ab',
    start: { a: 'x', b: 'xy' },
    after: { a: 'x', b: 'xy' },
    count: 0,
  },
  { title: 'several at once', groups: 'xyz', users: 'ab', start: { a: 'x' }, after: { a: 'xyz', b: 'xyz' }, count: 2 },
  {
    title: 'to the users of an admin',
    groups: 'z',
    admins: ['plain'],
    start: { p: 'x' },
    after: { p: 'xz', q: 'z' },
    count: 2,
  },
  {
    title: 'to the users of two admins',
    groups: 'z',
    admins: ['plain', 'root'],
    start: { a: 'z' },
    after: { a: 'z', b: 'z', c: 'z', p: 'z', q: 'z' },
    count: 4,
  },
  { title: 'to all', groups: 'z', start: {}, after: { a: 'z', b: 'z', c: 'z', p: 'z', q: 'z' }, count: 5 },
  {
    title: 'to users before admins',
    groups: 'z',
    users: 'a',
    admins: ['plain'],
    start: {},
    after: { a: 'z' },
    count: 1,
  },
  {
    title: 'to nobody for an empty list of users',
    groups: 'z',
    users: '',
    admins: ['plain'],
    start: {},
    after: {},
    count: 0,
  },
  { title: 'to nobody for an empty list of admins', groups: 'z', admins: [], start: {}, after: {}, count: 0 },
  {
    title: 'to all who have a group',
    groups: 'z',
    has: 'x',
    start: { a: 'x', b: 'y', p: 'xy' },
    after: { a: 'xz', b: 'y', p: 'xyz' },
    count: 2,
  },
  {
    title: 'to all who have any of two',
    groups: 'z',
    has: 'xy',
    start: { a: 'x', b: 'y' },
    after: { a: 'xz', b: 'yz' },
    count: 2,
  },
  {
    title: 'to all where the filter is empty',
    groups: 'z',
    users: 'ab',
    has: '',
    start: {},
    after: { a: 'z', b: 'z' },
    count: 2,
  },
  {
    title: 'to users who have a group',
    groups: 'z',
    users: 'ab',
    has: 'x',
    start: { a: 'x', c: 'x' },
    after: { a: 'xz', c: 'x' },
    count: 1,
  },
  {
    title: "to an admin's users who have a group",
    groups: 'z',
    admins: ['plain'],
    has: 'x',
    start: { a: 'x', p: 'x' },
    after: { a: 'x', p: 'xz' },
    count: 1,
  },
  {
    title: 'to all own users of a plain admin',
    by: 'plain',
    groups: 'z',
    start: { a: 'x' },
    after: { a: 'x', p: 'z', q: 'z' },
    count: 2,
  },
  {
    title: 'to no others’ users by a plain admin',
    by: 'plain',
    groups: 'z',
    users: 'abp',
    start: {},
    after: { p: 'z' },
    count: 1,
  },
  { title: 'to nobody of another admin', by: 'plain', groups: 'z', admins: ['root'], start: {}, after: {}, count: 0 },
];

const removals: readonly Row[] = [
  {
    title: 'from users',
    groups: 'x',
    users: 'ab',
    start: { a: 'xy', b: 'x', c: 'x' },
    after: { a: 'y', c: 'x' },
    count: 2,
  },
  {
    title: 'only where it is',
    groups: 'x',
    users: 'ab',
    start: { a: 'xy', b: 'y' },
    after: { a: 'y', b: 'y' },
    count: 1,
  },
  { title: 'from nobody when none has it', groups: 'z', users: 'ab', start: { a: 'x' }, after: { a: 'x' }, count: 0 },
  { title: 'several at once', groups: 'xy', users: 'ab', start: { a: 'xyz', b: 'y' }, after: { a: 'z' }, count: 2 },
  {
    title: 'from the users of an admin',
    groups: 'x',
    admins: ['root'],
    start: { a: 'x', b: 'xy', p: 'x' },
    after: { b: 'y', p: 'x' },
    count: 2,
  },
  { title: 'from all', groups: 'x', start: { a: 'x', b: 'xz', p: 'x', q: 'y' }, after: { b: 'z', q: 'y' }, count: 3 },
  {
    title: 'from users before admins',
    groups: 'x',
    users: 'a',
    admins: ['plain'],
    start: { a: 'x', p: 'x' },
    after: { p: 'x' },
    count: 1,
  },
  { title: 'from nobody for an empty list', groups: 'x', users: '', start: { a: 'x' }, after: { a: 'x' }, count: 0 },
  {
    title: 'from all who have another',
    groups: 'x',
    has: 'y',
    start: { a: 'xy', b: 'x', q: 'xy' },
    after: { a: 'y', b: 'x', q: 'y' },
    count: 2,
  },
  {
    title: 'from own users alone by a plain admin',
    by: 'plain',
    groups: 'x',
    start: { a: 'x', p: 'x' },
    after: { a: 'x' },
    count: 1,
  },
];

describe('bulk changes of groups', () => {
  let core: Core;
  const groups: Record<string, Group> = {};
  const users: Record<string, User> = {};
  const ids = (letters: Letters) => [...letters].map((letter) => groups[letter]?.id as number);
  const targets = ({ groups: letters, users: who, admins, has }: Row) => ({
    group_ids: ids(letters),
    ...(who !== undefined && { users: [...who].map((name) => users[name]?.id) }),
    ...(admins && { admins: admins.map((name) => (name === 'root' ? ROOT_ID : environment.plainId)) }),
    ...(has !== undefined && { has_group_ids: ids(has) }),
  });
  const caller = ({ by }: Row): Api => (by === 'plain' ? environment.plain : environment.sudo);
  const held = async (): Promise<Record<string, number[]>> => {
    const all = (await environment.sudo.get<{ users: User[] }>('/api/users')).users;
    const groupsOf = (name: Name) => all.find(({ id }) => id === users[name]?.id)?.group_ids ?? [];
    return Object.fromEntries(NAMES.map((name) => [name, groupsOf(name).toSorted((m, n) => m - n)]));
  };
  const put = async (of: Partial<Record<Name, Letters>>) => {
    const before = await held();
    const others = NAMES.filter((name) => String(before[name]) !== String(ids(of[name] ?? '')));
    await Promise.all(
      others.map((name) =>
        environment.sudo.modify(`/api/user/${users[name]?.username}`, { group_ids: ids(of[name] ?? '') }),
      ),
    );
  };
  const wanted = (of: Partial<Record<Name, Letters>>) =>
    Object.fromEntries(NAMES.map((name) => [name, ids(of[name] ?? '')]));

  beforeAll(async () => {
    core = await createCore(vless('bulk groups'));
    for (const letter of 'xyz') groups[letter] = await createGroup('bulk groups');
    for (const name of NAMES)
      users[name] = await createUser([], {}, 'pq'.includes(name) ? environment.plain : environment.sudo);
  });
  afterAll(async () => {
    for (const { username } of Object.values(users)) await environment.sudo.remove(`/api/user/${username}`);
    for (const { id } of Object.values(groups)) await environment.sudo.remove(`/api/group/${id}`);
    await deleteCore(core);
  });

  describe.each([
    ['add', adds],
    ['remove', removals],
  ] as const)('%s', (action, rows) => {
    const path = `/api/groups/bulk/${action}`;

    it.each(rows.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
      await put(row.start);
      expect(await caller(row).run(path, { ...targets(row), dry_run: true })).toEqual({
        dry_run: true,
        affected_users: row.count,
      });
      expect(await held()).toEqual(wanted(row.start));
      expect(await caller(row).run(path, targets(row))).toEqual({
        detail: `operation has been successfuly done on ${row.count} users`,
      });
      expect(await held()).toEqual(wanted(row.after));
    });

    describe('refuses', () => {
      beforeEach(() => put({ a: 'x', b: 'y' }));

      it.each([
        ['no groups', {}, 422, about('group_ids')],
        ['empty groups', { group_ids: [] }, 422, about('group_ids')],
        ['groups that are no integers', { group_ids: ['x'] }, 422, about('group_ids')],
        ['an unknown group', { group_ids: [UNKNOWN] }, 404, 'Group not found'],
        ['users that are no integers', { group_ids: [1], users: ['a'] }, 422, about('users')],
        ['admins that are no integers', { group_ids: [1], admins: ['root'] }, 422, about('admins')],
        ['a filter that is no list', { group_ids: [1], has_group_ids: 1 }, 422, about('has_group_ids')],
      ])('a bulk change of groups refuses %s', async (_title, body, status, detail) => {
        await expectRefused([{ method: 'POST', path, body }], status, detail, ['/api/users', '/api/groups']);
      });

      it('a bulk change refuses an unknown group beside a known one', async () => {
        const body = { group_ids: [...ids('xz'), UNKNOWN] };
        await expectRefused([{ method: 'POST', path, body }], 404, 'Group not found', ['/api/users', '/api/groups']);
      });
    });

    it('a bulk change with unknown ids changes nobody', async () => {
      await put({ a: 'x' });
      for (const who of [{ users: [UNKNOWN] }, { admins: [UNKNOWN] }])
        expect(await environment.sudo.run(path, { group_ids: ids('x'), ...who })).toEqual({
          detail: 'operation has been successfuly done on 0 users',
        });
      expect(await held()).toEqual(wanted({ a: 'x' }));
    });
  });
});
