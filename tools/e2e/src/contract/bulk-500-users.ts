import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
import { remarksOf } from './links.js';

const TAGS = ['five one', 'five two'];

describe('500 users', () => {
  let core: Core;
  let here: Group;
  let there: Group;
  let hosts: Host[];
  let template: Template;
  let urls: string[];
  const bulk = (action: string, rest: object) => environment.sudo.run(`/api/groups/bulk/${action}`, rest);
  const everyone = async () => (await environment.sudo.get<{ users: User[] }>('/api/users')).users;
  const moved = { detail: 'operation has been successfuly done on 500 users' };

  beforeAll(async () => {
    core = await createCore(...TAGS.map((tag) => vless(tag)));
    [here, there] = [await createGroup('five one'), await createGroup('five two')];
    hosts = [await createHost('five one', { remark: 'here' }), await createHost('five two', { remark: 'there' })];
    template = await createTemplate([here], { data_limit: 1000 });
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/user_template/${template.id}`);
    for (const { id } of hosts) await environment.sudo.remove(`/api/host/${id}`);
    for (const { id } of [here, there]) await environment.sudo.remove(`/api/group/${id}`);
    await deleteCore(core);
    const rests = await Promise.all(
      ['/api/cores', '/api/hosts', '/api/groups', '/api/user_templates', '/api/users'].map((path) =>
        environment.sudo.get(path),
      ),
    );
    expect(rests).toMatchObject([
      { count: 1, cores: [{ id: 1 }] },
      [],
      { groups: [], total: 0 },
      [],
      { users: [], total: 0 },
    ]);
  });

  it.each([
    ['random', 'plain', { strategy: 'random' }, /^[A-Z0-9]{5}$/],
    ['sequence', 'sudo', { strategy: 'sequence', username: 'member', start_number: 501 }, /^member([5-9]\d\d|1000)$/],
  ] as const)('500 users are created from a template at once: %s', async (_title, by, rest, name) => {
    const made = await environment[by].create<{ created: number; subscription_urls: string[] }>(
      '/api/users/bulk/from_template',
      { user_template_id: template.id, count: 500, ...rest },
    );
    expect([made.created, new Set(made.subscription_urls).size]).toEqual([500, 500]);
    const users = await everyone();
    expect([users.length, new Set(users.map(({ username }) => username)).size]).toEqual([500, 500]);
    for (const { username, group_ids } of users) {
      expect(username).toMatch(name);
      expect(group_ids).toEqual([here.id]);
    }
    expect(await environment.sudo.get(`/api/group/${here.id}`)).toMatchObject({ total_users: 500 });
    urls = made.subscription_urls;
    if (by === 'plain') await deleteUsersOf('plain-admin');
  });

  it('500 users move from one group to another', async () => {
    const shown = () => remarksOf({ subscription_url: urls[250] as string });
    expect(await shown()).toEqual(['here']);
    expect(await bulk('add', { group_ids: [there.id], has_group_ids: [here.id] })).toEqual(moved);
    expect((await shown()).toSorted()).toEqual(['here', 'there']);
    expect(await bulk('remove', { group_ids: [here.id], has_group_ids: [there.id] })).toEqual(moved);
    expect(await shown()).toEqual(['there']);
    for (const { group_ids } of await everyone()) expect(group_ids).toEqual([there.id]);
    const counts = await Promise.all([here, there].map(({ id }) => environment.sudo.get(`/api/group/${id}`)));
    expect(counts).toMatchObject([{ total_users: 0 }, { total_users: 500 }]);
  });

  it('a second bulk call skips existing users and creates missing ones', async () => {
    const { username } = (await everyone()).at(-1) as User;
    await environment.sudo.remove(`/api/user/${username}`);
    const again = {
      user_template_id: template.id,
      count: 500,
      strategy: 'sequence',
      username: 'member',
      start_number: 501,
    };
    expect(await environment.sudo.create('/api/users/bulk/from_template', again)).toMatchObject({
      created: 1,
      subscription_urls: [expect.any(String)],
    });
    expect(await environment.sudo.get(`/api/user/${username}`)).toMatchObject({ group_ids: [here.id] });
  });

  it('500 users lose a deleted group, and are deleted with their admin', async () => {
    await environment.sudo.remove(`/api/group/${there.id}`);
    const users = await everyone();
    expect(users.filter(({ group_ids }) => group_ids.length === 0)).toHaveLength(499);
    there = await createGroup('five two');
    await deleteUsersOf('root');
    expect(await everyone()).toEqual([]);
    expect((await fetch(`${urls[250]}/links`)).status).toBe(404);
  });

  const deleteUsersOf = async (admin: string) => {
    const { status, body } = await environment.sudo.send('DELETE', `/api/admin/${admin}/users`);
    expect({ status, body }).toEqual({ status: 200, body: moved });
  };
});
