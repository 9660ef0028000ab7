import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newProxySettings, USER_STATUSES, type UserState, withChosenStatus } from '@rampart/domain';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { currentRevision } from '../database/revision.js';
import { User } from '../user-store/entities/user.entity.js';
import { after, changedUsersAfter } from '../user-store/served/served-users.js';
import { ADMIN_NOT_FOUND, AdminFixture, PASSWORD } from './testing/admin-fixture.js';

let fixture: AdminFixture;
let plain: string;
let plainId: number;
let revision: bigint;

beforeAll(async () => {
  fixture = await AdminFixture.start();
  await fixture.create('plain');
  plainId = await fixture.idOf('plain');
  plain = await fixture.management.login('plain', PASSWORD);
});
afterAll(() => fixture?.close());

beforeEach(async () => {
  await fixture.manager.deleteAll(User);
  for (const status of USER_STATUSES) {
    await fixture.management.call('POST', '/api/user', { username: `own-${status}` }, plain);
    await fixture.management.call('POST', '/api/user', { username: `other-${status}` });
    const terms = status === 'on_hold' ? { onHoldExpireDuration: 60 } : {};
    await fixture.manager.update(User, { username: `own-${status}` }, { status, ...terms });
    await fixture.manager.update(User, { username: `other-${status}` }, { status, ...terms });
  }
  revision = await currentRevision(fixture.manager);
});

const statuses = async () =>
  Object.fromEntries(
    (await fixture.manager.find(User, { order: { id: 'ASC' } })).map((user) => [user.username, user.status]),
  );
const nodeChanges = async () =>
  (await changedUsersAfter(fixture.manager, after(revision), 1000)).map(({ email }) => email.split('.')[1]);
const done = (users: number) => ({
  status: 200,
  body: { detail: `operation has been successfuly done on ${users} users` },
});

describe('POST /api/admin/{username}/users/disable', () => {
  const url = '/api/admin/plain/users/disable';

  it('disables users that are active or on hold, and no others', async () => {
    const before = await statuses();
    expect(await fixture.management.call('POST', url)).toEqual(done(2));
    expect(await statuses()).toEqual({ ...before, 'own-active': 'disabled', 'own-on_hold': 'disabled' });
    expect(await nodeChanges()).toEqual(['own-active', 'own-on_hold']);
    expect(await currentRevision(fixture.manager)).toBe(revision + 1n);
    expect(await fixture.lastEntry()).toEqual({
      actor: 'root',
      action: 'admin.disable_users',
      target: 'admin/plain',
      difference: { affected_users: { after: 2 } },
    });
  });

  it('tells nodes nothing when no user is left to disable', async () => {
    await fixture.management.call('POST', url);
    revision = await currentRevision(fixture.manager);
    expect(await fixture.management.call('POST', url)).toEqual(done(0));
    expect(await currentRevision(fixture.manager)).toBe(revision);
  });
});

describe('POST /api/admin/{username}/users/activate', () => {
  const url = '/api/admin/plain/users/activate';

  it('enables disabled users, and changes no others', async () => {
    const before = await statuses();
    expect(await fixture.management.call('POST', url)).toEqual(done(1));
    expect(await statuses()).toEqual({ ...before, 'own-disabled': 'active' });
    expect(await nodeChanges()).toEqual(['own-disabled']);
    expect(await currentRevision(fixture.manager)).toBe(revision + 1n);
    expect(await fixture.lastEntry()).toMatchObject({
      action: 'admin.activate_users',
      difference: { affected_users: { after: 1 } },
    });
  });

  it('restores a disabled hold unchanged', async () => {
    await fixture.management.call('POST', '/api/admin/plain/users/disable');
    expect(await fixture.management.call('POST', url)).toEqual(done(3));
    expect(await fixture.manager.findOneByOrFail(User, { username: 'own-on_hold' })).toMatchObject({
      status: 'on_hold',
      onHoldExpireDuration: 60,
      expire: null,
    });
  });

  it('gives the same status as the domain, whatever the terms are', async () => {
    const day = 86_400_000;
    const moments = [null, -day, day].map((shift) => (shift === null ? null : new Date(Date.now() + shift)));
    const states = moments.flatMap((expire) =>
      moments.flatMap((onHoldTimeout) =>
        [null, 0, 3600].flatMap((onHoldExpireDuration) =>
          [0, 5, 10].map(
            (dataLimit): UserState => ({
              status: 'disabled',
              expire,
              onHoldTimeout,
              onHoldExpireDuration,
              dataLimit,
              usedTraffic: 5,
            }),
          ),
        ),
      ),
    );
    await fixture.manager.deleteAll(User);
    await fixture.manager.insert(
      User,
      states.map((state, index) => ({
        ...state,
        username: `state-${index}`,
        proxySettings: newProxySettings(randomBytes),
        adminId: plainId,
      })),
    );
    const from = Date.now();
    expect(await fixture.management.call('POST', url)).toEqual(done(states.length));
    const users = await fixture.manager.find(User, { order: { id: 'ASC' } });
    const serves = (status: string) => status === 'active' || status === 'on_hold';
    const expected = states.map((state) => withChosenStatus(state, 'active', new Date(from)));
    expect(users.map(shown(from))).toEqual(expected.map(shown(from)));
    expect((await nodeChanges()).length).toBe(expected.filter(({ status }) => serves(status)).length);
  });
});

/** The state of a user with its end in minutes from a moment: the end of a hold is counted from the change itself. */
const shown =
  (from: number) =>
  ({ status, expire, onHoldExpireDuration, onHoldTimeout }: UserState) => ({
    status,
    expire: expire && Math.round((expire.getTime() - from) / 60_000),
    onHoldExpireDuration,
    onHoldTimeout,
  });

describe('DELETE /api/admin/{username}/users', () => {
  it('deletes all users of the admin, and nodes are told', async () => {
    const before = await statuses();
    expect(await fixture.management.call('DELETE', '/api/admin/plain/users')).toEqual(done(5));
    expect(Object.keys(await statuses())).toEqual(Object.keys(before).filter((name) => name.startsWith('other-')));
    expect(await nodeChanges()).toEqual(USER_STATUSES.map((status) => `own-${status}`));
    expect(await fixture.lastEntry()).toEqual({
      actor: 'root',
      action: 'admin.delete_users',
      target: 'admin/plain',
      difference: { affected_users: { after: 5 } },
    });
  });
});

describe.each([
  ['POST', 'disable'],
  ['POST', 'activate'],
  ['DELETE', ''],
] as const)('%s /api/admin/{username}/users/%s', (method, verb) => {
  it('bulk calls on the users of an unknown admin are answered with 404, and change nothing', async () => {
    const before = [await statuses(), await fixture.manager.count(AuditEntry)];
    expect(await fixture.management.call(method, `/api/admin/nobody/users/${verb}`)).toEqual(ADMIN_NOT_FOUND);
    expect([await statuses(), await fixture.manager.count(AuditEntry)]).toEqual(before);
    expect(await currentRevision(fixture.manager)).toBe(revision);
  });
});
