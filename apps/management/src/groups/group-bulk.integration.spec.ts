import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PasswordHasher } from '../admins/passwords/password-hasher.js';
import { Admin } from '../admins/store/admin.entity.js';
import { currentRevision } from '../database/revision.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { User } from '../user-store/entities/user.entity.js';
import { UserGroup } from '../user-store/entities/user-group.entity.js';
import { after, changedUsersAfter } from '../user-store/served/served-users.js';
import { Group } from './group.entity.js';

const TAG = 'Shadowsocks TCP';
const IDS = 'Input should be a list of ids';

/** The groups of the tests by id. */
const GROUPS = [
  { id: 1, name: 'one', inboundTags: [TAG] },
  { id: 2, name: 'two', inboundTags: [TAG] },
  { id: 3, name: 'off', inboundTags: [TAG], isDisabled: true },
  { id: 4, name: 'empty', inboundTags: [] },
];
/** Users 11 to 16: admin, status and groups. */
const USERS: [id: number, adminId: number | null, status: User['status'], groupIds: number[]][] = [
  [11, 1, 'active', []],
  [12, 1, 'on_hold', [1]],
  [13, 2, 'active', [2]],
  [14, 2, 'disabled', [1, 2]],
  [15, 3, 'active', [3]],
  [16, null, 'limited', []],
];
const BEFORE = Object.fromEntries(USERS.map(([id, , , groupIds]) => [id, groupIds]));

let management: TestManagement;
let plain: string;
beforeAll(async () => {
  management = await TestManagement.start();
  const passwordHash = await management.app.get(PasswordHasher).hash(SUDO.password);
  await management.database.manager.insert(Admin, [
    { id: 2, username: 'plain', passwordHash },
    { id: 3, username: 'other', passwordHash },
  ]);
  plain = await management.login('plain', SUDO.password);
  await management.database.manager.insert(Group, GROUPS);
});
afterAll(() => management?.close());

beforeEach(async () => {
  const { manager } = management.database;
  await manager.query('DELETE FROM users');
  await manager.query(
    `INSERT INTO users (id, username, status, admin_id)
     SELECT id, 'user' || id, status, admin_id
     FROM unnest($1::integer[], $2::integer[], $3::text[]) AS given (id, admin_id, status)`,
    [USERS.map(([id]) => id), USERS.map(([, adminId]) => adminId), USERS.map(([, , status]) => status)],
  );
  await manager.insert(
    UserGroup,
    USERS.flatMap(([userId, , , groupIds]) => groupIds.map((groupId) => ({ userId, groupId }))),
  );
});

type Operation = 'add' | 'remove';
const call = (operation: Operation, body: object, token?: string) =>
  management.call('POST', `/api/groups/bulk/${operation}`, body, token);
const done = (count: number) => ({
  status: 200,
  body: { detail: `operation has been successfuly done on ${count} users` },
});
const revisionNow = () => currentRevision(management.database.manager);

/** The groups of each user, by user id. */
async function memberships(): Promise<Record<string, number[]>> {
  const rows = await management.database.manager.find(UserGroup, { order: { userId: 'ASC', groupId: 'ASC' } });
  const groups: Record<string, number[]> = Object.fromEntries(USERS.map(([id]) => [id, []]));
  for (const { userId, groupId } of rows) groups[userId]?.push(groupId);
  return groups;
}

async function nodeChangesSince(revision: bigint): Promise<[id: number, tags: readonly string[]][]> {
  const users = await changedUsersAfter(management.database.manager, after(revision), 1000);
  expect(users.every((user) => user.revision === revision + 1n)).toBe(true);
  return users.map(({ id, inboundTags }) => [id, inboundTags]);
}

/** A request, the number of changed users, and the memberships that change. */
type Case = [request: object, count: number, changed: Record<number, number[]>];

describe('POST /api/groups/bulk/add', () => {
  it.each<Case>([
    // All users, when no target is given.
    [{ group_ids: [1] }, 4, { 11: [1], 13: [1, 2], 15: [1, 3], 16: [1] }],
    [
      { group_ids: [1], users: null, admins: null, has_group_ids: null },
      4,
      { 11: [1], 13: [1, 2], 15: [1, 3], 16: [1] },
    ],
    // `users` takes precedence over `admins`, also when it is empty.
    [{ group_ids: [1], users: [11, 12, 4711] }, 1, { 11: [1] }],
    [{ group_ids: [1], users: [11], admins: [2, 3] }, 1, { 11: [1] }],
    [{ group_ids: [1], users: [] }, 0, {}],
    [{ group_ids: [1], users: [], admins: [2] }, 0, {}],
    [{ group_ids: [1], users: null, admins: [2, 4711] }, 1, { 13: [1, 2] }],
    [{ group_ids: [1], admins: [] }, 0, {}],
    // `has_group_ids` keeps users with at least one of the groups; an empty list keeps all.
    [{ group_ids: [3], has_group_ids: [1] }, 2, { 12: [1, 3], 14: [1, 2, 3] }],
    [{ group_ids: [1], has_group_ids: [2, 3] }, 2, { 13: [1, 2], 15: [1, 3] }],
    [{ group_ids: [1], has_group_ids: [] }, 4, { 11: [1], 13: [1, 2], 15: [1, 3], 16: [1] }],
    [{ group_ids: [1], has_group_ids: [4711] }, 0, {}],
    [{ group_ids: [1], users: [11, 13], has_group_ids: [2] }, 1, { 13: [1, 2] }],
    [{ group_ids: [3], admins: [2], has_group_ids: [1] }, 1, { 14: [1, 2, 3] }],
    // Words in the name or note, and states.
    [{ group_ids: [3], search: 'SER12' }, 1, { 12: [1, 3] }],
    [{ group_ids: [3], search: '%' }, 0, {}],
    [{ group_ids: [3], search: '', status: [], has_group_ids: [1] }, 2, { 12: [1, 3], 14: [1, 2, 3] }],
    [{ group_ids: [3], status: ['disabled', 'limited'] }, 2, { 14: [1, 2, 3], 16: [3] }],
    // A user with one of several groups gets the others; a user with all of them is not counted.
    [{ group_ids: [1, 2, 1], users: [11, 12, 14] }, 2, { 11: [1, 2], 12: [1, 2] }],
    [{ group_ids: [1], users: [12, 12] }, 0, {}],
  ])('%j changes %i users', async (request, count, changed) => {
    expect(await call('add', { ...request, dry_run: true })).toEqual({
      status: 200,
      body: { dry_run: true, affected_users: count },
    });
    expect(await memberships()).toEqual(BEFORE);
    expect(await call('add', { ...request, dry_run: false })).toEqual(done(count));
    expect(await memberships()).toEqual({ ...BEFORE, ...changed });
    expect(await call('add', request)).toEqual(done(0));
  });

  it('counts each user once when several calls are made at the same moment', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => call('add', { group_ids: [1] })));
    expect(answers).toContainEqual(done(4));
    expect(answers.filter((answer) => JSON.stringify(answer) === JSON.stringify(done(0)))).toHaveLength(2);
  });

  it('gives changed active and on_hold users one revision', async () => {
    const revision = await revisionNow();
    await call('add', { group_ids: [1, 2] });
    expect(await nodeChangesSince(revision)).toEqual([11, 12, 13, 15].map((id) => [id, [TAG]]));
  });
});

describe('POST /api/groups/bulk/remove', () => {
  it.each<Case>([
    [{ group_ids: [1] }, 2, { 12: [], 14: [2] }],
    [{ group_ids: [1, 2] }, 3, { 12: [], 13: [], 14: [] }],
    [{ group_ids: [1], users: [11, 14, 4711] }, 1, { 14: [2] }],
    [{ group_ids: [1], users: [12], admins: [2] }, 1, { 12: [] }],
    [{ group_ids: [1], users: [] }, 0, {}],
    [{ group_ids: [1, 2], admins: [2] }, 2, { 13: [], 14: [] }],
    [{ group_ids: [1], admins: [] }, 0, {}],
    [{ group_ids: [2], has_group_ids: [1] }, 1, { 14: [1] }],
    [{ group_ids: [1, 3], has_group_ids: [2, 3] }, 2, { 14: [2], 15: [] }],
    [{ group_ids: [2], has_group_ids: [] }, 2, { 13: [], 14: [1] }],
    [{ group_ids: [1], search: 'ser14' }, 1, { 14: [2] }],
    [{ group_ids: [1], status: ['on_hold'] }, 1, { 12: [] }],
    [{ group_ids: [4] }, 0, {}],
  ])('%j changes %i users', async (request, count, changed) => {
    expect(await call('remove', { ...request, dry_run: true })).toEqual({
      status: 200,
      body: { dry_run: true, affected_users: count },
    });
    expect(await memberships()).toEqual(BEFORE);
    expect(await call('remove', { ...request, dry_run: null })).toEqual(done(count));
    expect(await memberships()).toEqual({ ...BEFORE, ...changed });
    expect(await call('remove', request)).toEqual(done(0));
  });

  it('gives nodes the remaining tags of changed users', async () => {
    await call('add', { group_ids: [2], users: [12] });
    const revision = await revisionNow();
    await call('remove', { group_ids: [2] });
    expect(await nodeChangesSince(revision)).toEqual([
      [12, [TAG]],
      [13, []],
    ]);
  });
});

describe.each<Operation>(['add', 'remove'])('POST /api/groups/bulk/%s', (operation) => {
  it('a bulk call on the members of groups takes no revision for groups without tags, a dry run, and an empty selection', async () => {
    await call('add', { group_ids: [3, 4], users: [11, 12] });
    const revision = await revisionNow();
    await call(operation, { group_ids: [3, 4] });
    await call(operation, { group_ids: [1], users: [] });
    const last = await revisionNow();
    await call(operation, { group_ids: [1], dry_run: true });
    expect(await nodeChangesSince(revision)).toEqual([]);
    expect(await revisionNow()).toBe(last);
  });

  it('a bulk call on the members of groups does not wait for users whose traffic is being recorded', async () => {
    await call('add', { group_ids: [2], users: [12] });
    await management.database.transaction(async (recording) => {
      await recording.query('SELECT FROM users ORDER BY id DESC FOR NO KEY UPDATE');
      const request = operation === 'add' ? { group_ids: [1] } : { group_ids: [2] };
      expect(await call(operation, request)).toEqual(done(operation === 'add' ? 4 : 3));
    });
  });

  it.each([
    [{}, { group_ids: 'Field required' }],
    [{ group_ids: null }, { group_ids: 'Field required' }],
    [{ group_ids: [] }, { group_ids: 'you must select at least one group' }],
    [{ group_ids: 1 }, { group_ids: IDS }],
    [{ group_ids: ['1'] }, { group_ids: IDS }],
    [{ group_ids: [2 ** 31] }, { group_ids: IDS }],
    [
      { group_ids: [1], users: 'all', admins: [1.5], has_group_ids: [0] },
      { users: IDS, admins: IDS, has_group_ids: IDS },
    ],
    [{ group_ids: [1], dry_run: 'yes' }, { dry_run: 'Input should be true or false' }],
  ])('a bulk call on the members of groups refuses %j', async (request, detail) => {
    const revision = await revisionNow();
    expect(await call(operation, request)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await memberships()).toEqual(BEFORE);
    expect(await revisionNow()).toBe(revision);
  });

  it.each([false, true])(
    'a bulk call on the members of groups answers 404 for an unknown group, dry run %s',
    async (dry_run) => {
      const revision = await revisionNow();
      expect(await call(operation, { group_ids: [1, 4711], dry_run })).toEqual({
        status: 404,
        body: { detail: 'Group not found', code: 'GROUP_NOT_FOUND' },
      });
      expect(await memberships()).toEqual(BEFORE);
      expect(await revisionNow()).toBe(revision);
    },
  );

  it('a bulk call on the members of groups changes only the own users of a plain admin', async () => {
    const own = operation === 'add' ? { 13: [2, 3], 14: [1, 2, 3] } : { 13: [], 14: [1] };
    const request = { group_ids: [operation === 'add' ? 3 : 2] };
    await call('add', { group_ids: [2], users: [11, 12, 15] });
    const before = await memberships();
    for (const target of [{ users: [11, 15] }, { admins: [1, 3] }, { search: 'user15' }, { status: ['on_hold'] }]) {
      expect(await call(operation, { ...request, ...target }, plain)).toEqual(done(0));
    }
    expect(await call(operation, { ...request, dry_run: true }, plain)).toEqual({
      status: 200,
      body: { dry_run: true, affected_users: 2 },
    });
    expect(await memberships()).toEqual(before);
    expect(await call(operation, request, plain)).toEqual(done(2));
    expect(await memberships()).toEqual({ ...before, ...own });
  });

  it('a bulk call on the members of groups refuses callers without a token', async () => {
    expect((await call(operation, { group_ids: [1] }, '')).status).toBe(401);
    expect(await memberships()).toEqual(BEFORE);
  });
});
