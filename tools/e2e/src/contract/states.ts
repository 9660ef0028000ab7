import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import {
  createGroup,
  createHost,
  createTemplate,
  createUser,
  type Group,
  type Host,
  readUser,
  type Template,
  type User,
  userFromTemplate,
} from './fixtures.js';
import { remarksOf } from './links.js';

const TAG = 'states inbound';
const HOUR = 3600;
const STATUSES = ['active', 'expired', 'limited', 'disabled', 'on_hold'];

/** Users in every status that needs no traffic; traffic.ts has the limited user. */
const usersByStatus: readonly (readonly [status: string, make: (group: Group) => Promise<User>])[] = [
  ['active', (group) => createUser([group])],
  ['on_hold', (group) => createUser([group], { status: 'on_hold', on_hold_expire_duration: HOUR })],
  ['expired', (group) => createUser([group], { expire: '2001-01-01T00:00:00Z' })],
  [
    'disabled',
    async (group) => {
      const { username } = await createUser([group]);
      return environment.sudo.modify<User>(`/api/user/${username}`, { status: 'disabled' });
    },
  ],
];
const shownTo = (status: string): string[] => [
  `for ${status}`,
  ...STATUSES.filter((other) => other !== status).map((other) => `not for ${other}`),
  'null',
  'empty',
  'all',
];

describe('states', () => {
  let core: Core;
  let group: Group;
  let hosts: Host[];
  let template: Template;
  let waiting: User;

  beforeAll(async () => {
    core = await createCore(vless(TAG));
    group = await createGroup(TAG);
    const shown: readonly (readonly [remark: string, status: readonly string[] | null])[] = [
      ...STATUSES.map((only) => [`for ${only}`, [only]] as const),
      ...STATUSES.map((no) => [`not for ${no}`, STATUSES.filter((other) => other !== no)] as const),
      ['null', null],
      ['empty', []],
      ['all', STATUSES],
    ];
    hosts = await Promise.all(shown.map(([remark, status], priority) => createHost(TAG, { remark, status, priority })));
    template = await createTemplate([group], { status: 'on_hold', expire_duration: HOUR, on_hold_timeout: 1 });
    waiting = await userFromTemplate(template);
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/user/${waiting.username}`);
    await environment.sudo.remove(`/api/user_template/${template.id}`);
    await Promise.all(hosts.map(({ id }) => environment.sudo.remove(`/api/host/${id}`)));
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
  });

  it.each(usersByStatus)('a user who is %s has the hosts for that status', async (status, make) => {
    const person = await make(group);
    expect(person.status).toBe(status);
    expect(await remarksOf(person)).toEqual(shownTo(status));
    await environment.sudo.remove(`/api/user/${person.username}`);
  });

  it('an on_hold user becomes active when the timeout is reached, and expires after the hold duration', async () => {
    expect(waiting).toMatchObject({ status: 'on_hold', expire: 0, on_hold_expire_duration: HOUR });
    const active = await eventually(
      'the user is active',
      async () => {
        const user = await readUser(waiting.username);
        return user.status === 'active' && user;
      },
      50_000,
    );
    const timeout = Date.parse(waiting.on_hold_timeout as string);
    expect(active).toMatchObject({ on_hold_expire_duration: null, on_hold_timeout: null });
    const expire = Date.parse(active.expire as string);
    expect(expire).toBeGreaterThanOrEqual(timeout + HOUR * 1000);
    expect(expire).toBeLessThanOrEqual(Date.now() + HOUR * 1000);
    expect(await remarksOf(waiting)).toEqual(shownTo('active'));
  });
});
