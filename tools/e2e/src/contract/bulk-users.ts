import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import {
  createGroup,
  createHost,
  createTemplate,
  type Group,
  type Host,
  type Template,
  type User,
} from './fixtures.js';
import { linksOf } from './links.js';
import { about, expectRefused } from './refusal.js';

const TAG = 'bulk inbound';
interface Made {
  readonly subscription_urls: string[];
  readonly created: number;
}

describe('users in bulk from a template', () => {
  let core: Core;
  let group: Group;
  let host: Host;
  let template: Template;
  const bulk = (rest: object, by = environment.sudo): Promise<Made> =>
    by.create('/api/users/bulk/from_template', { user_template_id: template.id, ...rest });
  const everyone = async () => (await environment.sudo.get<{ users: User[] }>('/api/users')).users;
  const names = async () => (await everyone()).map(({ username }) => username);

  beforeAll(async () => {
    core = await createCore(vless(TAG));
    group = await createGroup(TAG);
    host = await createHost(TAG, { remark: '{USERNAME}' });
    template = await createTemplate([group], {
      username_prefix: 'p-',
      username_suffix: '-s',
      data_limit: 4096,
      expire_duration: 3600,
      extra_settings: { flow: 'none', method: 'aes-128-gcm' },
    });
  });
  afterEach(async () => {
    await Promise.all((await names()).map((username) => environment.sudo.remove(`/api/user/${username}`)));
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/user_template/${template.id}`);
    await environment.sudo.remove(`/api/host/${host.id}`);
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
  });

  it('users in bulk have random names of 5 capitals and digits, and the values of the template', async () => {
    const { created, subscription_urls } = await bulk({ count: 20, strategy: 'random', note: 'a note' });
    expect(created).toBe(20);
    const users = await everyone();
    expect(users).toHaveLength(20);
    for (const user of users) {
      expect(user.username).toMatch(/^p-[A-Z0-9]{5}-s$/);
      expect(user).toMatchObject({
        note: 'a note',
        status: 'active',
        data_limit: 4096,
        group_ids: [group.id],
        admin: { username: 'root' },
        proxy_settings: { vless: { flow: '' }, shadowsocks: { method: 'aes-128-gcm' } },
      });
      const expiry = Date.parse(user.created_at) + 3600_000;
      expect(Math.abs(Date.parse(String(user.expire)) - expiry)).toBeLessThan(5000);
    }
    const links = (
      await Promise.all(subscription_urls.map((subscription_url) => linksOf({ subscription_url })))
    ).flat();
    expect(links.map(({ remark }) => remark).toSorted()).toEqual(users.map(({ username }) => username).toSorted());
    expect(new Set(links.map(({ credentials }) => credentials)).size).toBe(20);
  });

  it.each([
    ['no username', {}],
    ['a null username', { username: null }],
    ['an empty username', { username: '' }],
  ])('users in bulk have random names with %s', async (_title, rest) => {
    expect((await bulk({ count: 1, strategy: 'random', ...rest })).created).toBe(1);
    expect(await names()).toEqual([expect.stringMatching(/^p-[A-Z0-9]{5}-s$/)]);
  });

  it.each([
    ['from 1', { username: 'user' }, ['p-user1-s', 'p-user2-s', 'p-user3-s']],
    ['from start_number', { username: 'user', start_number: 9 }, ['p-user10-s', 'p-user11-s', 'p-user9-s']],
    ['from 0', { username: 'user', start_number: 0 }, ['p-user0-s', 'p-user1-s', 'p-user2-s']],
    ['without the trailing digits', { username: 'us4er123' }, ['p-us4er1-s', 'p-us4er2-s', 'p-us4er3-s']],
  ])('users in bulk are numbered %s', async (_title, rest, expected) => {
    expect((await bulk({ count: 3, strategy: 'sequence', ...rest })).created).toBe(3);
    expect((await names()).toSorted()).toEqual(expected);
  });

  it('creating users in bulk skips existing names', async () => {
    await bulk({ count: 2, strategy: 'sequence', username: 'user', start_number: 2 });
    const before = await everyone();
    const { created, subscription_urls } = await bulk({ count: 4, strategy: 'sequence', username: 'user' });
    expect(created).toBe(2);
    expect(subscription_urls).toHaveLength(2);
    const after = await everyone();
    expect(after.map(({ username }) => username).toSorted()).toEqual([
      'p-user1-s',
      'p-user2-s',
      'p-user3-s',
      'p-user4-s',
    ]);
    expect(after).toEqual(expect.arrayContaining(before));
    const again = await bulk({ count: 4, strategy: 'sequence', username: 'user' });
    expect(again).toEqual({ created: 0, subscription_urls: [] });
  });

  it('users in bulk belong to the admin who created them', async () => {
    await bulk({ count: 2, strategy: 'random' }, environment.plain);
    expect((await everyone()).map(({ admin }) => admin.username)).toEqual(['plain-admin', 'plain-admin']);
  });

  it.each([
    ['no count', { strategy: 'random' }, about('count')],
    ['a count of 0', { strategy: 'random', count: 0 }, about('count')],
    ['a count of 501', { strategy: 'random', count: 501 }, about('count')],
    ['a broken count', { strategy: 'random', count: 1.5 }, about('count')],
    ['no strategy', { count: 1 }, about('strategy')],
    ['an unknown strategy', { count: 1, strategy: 'alphabet' }, about('strategy')],
    ['a username for random names', { count: 1, strategy: 'random', username: 'user' }, about('username')],
    ['a start for random names', { count: 1, strategy: 'random', start_number: 1 }, about('start_number')],
    ['no username for a sequence', { count: 1, strategy: 'sequence' }, about('username')],
    ['a null username for a sequence', { count: 1, strategy: 'sequence', username: null }, about('username')],
    ['an empty username for a sequence', { count: 1, strategy: 'sequence', username: '' }, about('username')],
    ['a wrong username', { count: 2, strategy: 'sequence', username: 'a name' }, about('username')],
    [
      'a username that is too long at its end',
      { count: 3, strategy: 'sequence', username: 'u'.repeat(123), start_number: 8 },
      about('username'),
    ],
    [
      'a start that is no integer',
      { count: 1, strategy: 'sequence', username: 'user', start_number: 'one' },
      about('start_number'),
    ],
  ])('creating users in bulk refuses %s', async (_title, rest, detail) => {
    const body = { user_template_id: template.id, ...rest };
    const path = '/api/users/bulk/from_template';
    await expectRefused([{ method: 'POST', path, body }], 422, detail, ['/api/users']);
  });
});
