import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Api } from '@rampart/testing';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import {
  createGroup,
  createHost,
  createTemplate,
  createUser,
  type Group,
  type Host,
  type Template,
  type User,
} from './fixtures.js';
import { type Call, expectRefused, someText } from './refusal.js';

const TAG = 'levels inbound';
/** Paths whose answers must stay the same when a call is refused. */
const WATCHED_PATHS = ['/api/cores', '/api/hosts', '/api/groups', '/api/user_templates', '/api/users'];

describe('levels', () => {
  let core: Core;
  let group: Group;
  let host: Host;
  let template: Template;
  let user: User;

  beforeAll(async () => {
    core = await createCore(vless(TAG));
    group = await createGroup(TAG);
    host = await createHost(TAG);
    template = await createTemplate([group]);
    user = await createUser([group]);
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/user/${user.username}`);
    await environment.sudo.remove(`/api/user_template/${template.id}`);
    await environment.sudo.remove(`/api/host/${host.id}`);
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
  });

  const sudoCalls: readonly (readonly [Call['method'], string, () => Call])[] = [
    ['POST', 'a core', () => ({ method: 'POST', path: '/api/core', body: { name: 'n', config: core.config } })],
    ['GET', 'a core', () => ({ method: 'GET', path: `/api/core/${core.id}` })],
    [
      'PUT',
      'a core',
      () => ({ method: 'PUT', path: `/api/core/${core.id}`, body: { name: 'n', config: core.config } }),
    ],
    ['DELETE', 'a core', () => ({ method: 'DELETE', path: `/api/core/${core.id}` })],
    ['GET', 'all cores', () => ({ method: 'GET', path: '/api/cores' })],
    ['POST', 'a restart', () => ({ method: 'POST', path: `/api/core/${core.id}/restart` })],
    ['GET', 'a host', () => ({ method: 'GET', path: `/api/host/${host.id}` })],
    ['GET', 'all hosts', () => ({ method: 'GET', path: '/api/hosts' })],
    [
      'POST',
      'a host',
      () => ({ method: 'POST', path: '/api/host/', body: { remark: 'r', inbound_tag: TAG, priority: 1 } }),
    ],
    [
      'PUT',
      'a host',
      () => ({ method: 'PUT', path: `/api/host/${host.id}`, body: { remark: 'r', inbound_tag: TAG, priority: 1 } }),
    ],
    ['DELETE', 'a host', () => ({ method: 'DELETE', path: `/api/host/${host.id}` })],
    [
      'PUT',
      'all hosts',
      () => ({ method: 'PUT', path: '/api/hosts', body: [{ remark: 'r', inbound_tag: TAG, priority: 1 }] }),
    ],
    ['POST', 'a group', () => ({ method: 'POST', path: '/api/group', body: { name: 'levels', inbound_tags: [TAG] } })],
    ['PUT', 'a group', () => ({ method: 'PUT', path: `/api/group/${group.id}`, body: { is_disabled: true } })],
    ['DELETE', 'a group', () => ({ method: 'DELETE', path: `/api/group/${group.id}` })],
    [
      'POST',
      'a template',
      () => ({ method: 'POST', path: '/api/user_template', body: { name: 'levels', group_ids: [group.id] } }),
    ],
    [
      'PUT',
      'a template',
      () => ({ method: 'PUT', path: `/api/user_template/${template.id}`, body: { name: 'levels' } }),
    ],
    ['DELETE', 'a template', () => ({ method: 'DELETE', path: `/api/user_template/${template.id}` })],
  ];

  /** Calls that are open to every admin, with the status of their answer. */
  const adminCalls: readonly (readonly [Call['method'], string, number, () => Call])[] = [
    ['GET', 'all groups', 200, () => ({ method: 'GET', path: '/api/groups' })],
    ['GET', 'a group', 200, () => ({ method: 'GET', path: `/api/group/${group.id}` })],
    [
      'POST',
      'groups to users',
      200,
      () => ({ method: 'POST', path: '/api/groups/bulk/add', body: { group_ids: [group.id], users: [] } }),
    ],
    [
      'POST',
      'groups from users',
      200,
      () => ({ method: 'POST', path: '/api/groups/bulk/remove', body: { group_ids: [group.id], users: [] } }),
    ],
    ['GET', 'all templates', 200, () => ({ method: 'GET', path: '/api/user_templates' })],
    ['GET', 'a template', 200, () => ({ method: 'GET', path: `/api/user_template/${template.id}` })],
    [
      'POST',
      'a user from a template',
      201,
      () => ({
        method: 'POST',
        path: '/api/user/from_template',
        body: { user_template_id: template.id, username: 'by-an-admin' },
      }),
    ],
    [
      'PUT',
      'a user from a template',
      200,
      () => ({ method: 'PUT', path: '/api/user/by-an-admin/from_template', body: { user_template_id: template.id } }),
    ],
    [
      'POST',
      'users from a template',
      201,
      () => ({
        method: 'POST',
        path: '/api/users/bulk/from_template',
        body: { user_template_id: template.id, count: 1, strategy: 'sequence', username: 'by-an-admin' },
      }),
    ],
  ];

  it.each([...sudoCalls, ...adminCalls.map(([method, what, , call]) => [method, what, call] as const)])(
    '%s of %s needs a token',
    async (_method, _what, call) => {
      const wrong = new Api(environment.sudo.url, 'wrong.token.altogether');
      for (const caller of [environment.anonymous, wrong]) {
        const { path, method, body } = call();
        const answer = await caller.send(method, path, body);
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      }
      await expectRefused([call()], 401, someText, WATCHED_PATHS, environment.anonymous);
    },
  );

  it.each(sudoCalls)('%s of %s needs a sudo admin', async (_method, _what, call) => {
    await expectRefused([call()], 403, someText, WATCHED_PATHS, environment.plain);
  });

  it.each(adminCalls)('%s of %s needs no sudo admin', async (_method, _what, status, call) => {
    const { method, path, body } = call();
    expect((await environment.plain.send(method, path, body)).status).toBe(status);
  });

  it('a plain admin sees only its own users', async () => {
    const { users, total } = await environment.plain.get<{ users: User[]; total: number }>('/api/users');
    expect([users.map(({ username }) => username).toSorted(), total]).toEqual([['by-an-admin', 'by-an-admin1'], 2]);
    const path = `/api/user/${user.username}`;
    const calls: Call[] = [
      { method: 'GET', path },
      { method: 'PUT', path, body: { note: 'mine' } },
      { method: 'DELETE', path },
      { method: 'PUT', path: `${path}/from_template`, body: { user_template_id: template.id } },
    ];
    await expectRefused(calls, 403, someText, [path], environment.plain);
    for (const { username } of users) await environment.plain.remove(`/api/user/${username}`);
  });

  it('a wrong password is refused, and so is a disabled admin, with and without a token', async () => {
    const credentials = { username: 'leaves-soon', password: 'a password of the one who leaves' };
    await environment.sudo.create('/api/admin', { ...credentials, is_sudo: false });
    const leaving = await environment.anonymous.login(credentials.username, credentials.password);
    const login = async (password: string) =>
      (await environment.anonymous.send('POST', '/api/admin/token', new URLSearchParams({ ...credentials, password })))
        .status;
    expect(await login('another password')).toBe(401);
    expect(await environment.anonymous.send('POST', '/api/admin/token', credentials)).toMatchObject({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'bearer' },
    });
    expect((await leaving.send('GET', '/api/groups')).status).toBe(200);
    await environment.sudo.modify('/api/admin/leaves-soon', { is_sudo: false, is_disabled: true });
    expect(await login(credentials.password)).toBe(403);
    expect((await leaving.send('GET', '/api/groups')).status).toBe(401);
    await environment.sudo.remove('/api/admin/leaves-soon');
  });
});
