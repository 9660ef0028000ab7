import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../../database/revision.js';
import { TestManagement } from '../../testing/test-management.js';
import { User } from '../../user-store/entities/user.entity.js';
import { after, changedUsersAfter } from '../../user-store/served/served-users.js';

let management: TestManagement;
let plain: string;
let revision: bigint;

beforeAll(async () => {
  management = await TestManagement.start();
  await management.keepTombstones();
  plain = await management.plainAdmin('plain');
});
afterAll(() => management?.close());

beforeEach(async () => {
  await manager().deleteAll(User);
  for (const username of ['jan', 'feb', 'mar', 'limited', 'limited-jan', 'active', 'disabled-jan']) {
    await management.call('POST', '/api/user', { username, expire: 2_000_000_000 });
  }
  await management.call('POST', '/api/user', { username: 'own-jan' }, plain);
  const expired = (username: string, month: string, status: User['status'] = 'expired') =>
    manager().update(User, { username }, { status, expire: new Date(`2020-${month}-15T00:00:00Z`) });
  await expired('jan', '01');
  await expired('feb', '02');
  await expired('mar', '03');
  await expired('own-jan', '01');
  await expired('limited-jan', '01', 'limited');
  await expired('disabled-jan', '01', 'disabled');
  await manager().update(User, { username: 'limited' }, { status: 'limited' });
  revision = await currentRevision(manager());
});

const manager = () => management.database.manager;
const URL = '/api/users/expired';
const left = async () =>
  (await manager().find(User, { order: { id: 'ASC' } })).map(({ username }) => username).join(' ');

const FILTERS: readonly [string, string][] = [
  ['', 'jan feb mar limited-jan own-jan'],
  ['?admin_username=', 'jan feb mar limited-jan own-jan'],
  ['?expired_after=2020-02-15', 'feb mar'],
  ['?expired_before=2020-02-15T00:00:00Z', 'jan feb limited-jan own-jan'],
  ['?expired_after=2020-02-01&expired_before=2020-03-01', 'feb'],
  ['?expired_after=1582934400', 'mar'],
  ['?expired_before=2040-01-01', 'jan feb mar limited-jan own-jan'],
  ['?expired_after=2040-01-01', ''],
  ['?admin_username=root', 'jan feb mar limited-jan'],
  ['?admin_username=plain', 'own-jan'],
  ['?admin_username=nobody', ''],
  ['?target=expired', 'jan feb mar own-jan'],
  ['?target=limited', 'limited-jan'],
  ['?target=disabled&expired_before=2020-02-01', 'disabled-jan'],
  ['?target=on_hold', ''],
];

describe('GET /api/users/expired', () => {
  it.each(FILTERS)('%s: %s', async (query, expected) => {
    expect(await management.call('GET', URL + query)).toEqual({
      status: 200,
      body: expected === '' ? [] : expected.split(' '),
    });
  });

  it('lists only own users for a plain admin', async () => {
    const own = { status: 200, body: ['own-jan'] };
    expect(await management.call('GET', URL, undefined, plain)).toEqual(own);
    expect(await management.call('GET', `${URL}?admin_username=plain`, undefined, plain)).toEqual(own);
    expect(await management.call('GET', `${URL}?admin_username=root`, undefined, plain)).toEqual({
      status: 200,
      body: [],
    });
  });
});

describe('DELETE /api/users/expired', () => {
  it.each(FILTERS)('%s: %s', async (query, expected) => {
    const all = (await left()).split(' ');
    const users = expected === '' ? [] : expected.split(' ');
    const gone = await manager().find(User, { where: users.map((username) => ({ username })), order: { id: 'ASC' } });
    const ids = users.length === 0 ? [] : gone.map(({ id, username }) => `${id}.${username}`);
    expect(await management.call('DELETE', URL + query)).toEqual({ status: 200, body: { users, count: users.length } });
    expect((await left()).split(' ')).toEqual(all.filter((username) => !users.includes(username)));
    expect(await changedUsersAfter(manager(), after(revision), 100)).toEqual(
      ids.map((email) => expect.objectContaining({ email, proxySettings: null, revision: revision + 1n })),
    );
    expect(await currentRevision(manager())).toBe(revision + (users.length === 0 ? 0n : 1n));
  });

  it('deletes nobody with dry_run, and names the users that it would delete', async () => {
    const all = await left();
    const would = (affected_users: number) => ({ status: 200, body: { dry_run: true, affected_users } });
    const query = '?dry_run=true&expired_before=2020-02-15&target=expired';
    expect(await management.call('DELETE', URL + query)).toEqual(would(3));
    expect(await management.call('DELETE', `${URL}?dry_run=1`, undefined, plain)).toEqual(would(1));
    expect(await left()).toBe(all);
    expect(await management.call('DELETE', `${URL}?dry_run=false&target=limited`)).toMatchObject({
      body: { users: ['limited-jan'], count: 1 },
    });
  });

  it('deletes only own users for a plain admin', async () => {
    const nothing = { status: 200, body: { users: [], count: 0 } };
    expect(await management.call('DELETE', `${URL}?admin_username=root`, undefined, plain)).toEqual(nothing);
    expect(await management.call('DELETE', URL, undefined, plain)).toEqual({
      status: 200,
      body: { users: ['own-jan'], count: 1 },
    });
    expect(await left()).toBe('jan feb mar limited limited-jan active disabled-jan');
  });
});

describe.each(['GET', 'DELETE'] as const)('%s /api/users/expired', (method) => {
  it.each([
    [
      'expired_after=soon',
      'expired_after',
      'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z',
    ],
    [
      'expired_before=-1',
      'expired_before',
      'Input should be unix seconds or a date and time such as 2026-12-31T00:00:00Z',
    ],
    ['target=active', 'target', "Input should be one of 'expired', 'limited', 'on_hold', 'disabled'"],
    [`admin_username=${'x'.repeat(129)}`, 'admin_username', 'Input should have at most 128 characters'],
  ])('/api/users/expired refuses ?%s and changes nothing', async (query, field, message) => {
    const all = await left();
    expect(await management.call(method, `${URL}?${query}`)).toEqual({
      status: 422,
      body: { detail: { [field]: message }, code: 'INVALID_FIELDS' },
    });
    expect(await left()).toBe(all);
  });
});
