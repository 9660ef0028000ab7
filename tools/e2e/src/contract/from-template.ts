import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import {
  createGroup,
  createTemplate,
  createUser,
  freshName,
  type Group,
  readUser,
  type Template,
  type User,
  userFromTemplate,
} from './fixtures.js';
import { about, type Call, expectRefused, someText } from './refusal.js';

const UNKNOWN = 987_654;
const DAY = 86_400;

/** Asserts that a time in the answer lies so many seconds after the call. */
async function secondsAfter<T>(seconds: number, call: () => Promise<T>, moment: (made: T) => unknown): Promise<T> {
  const before = Date.now();
  const made = await call();
  const at = Date.parse(String(moment(made)));
  expect(at).toBeGreaterThanOrEqual(before + seconds * 1000);
  expect(at).toBeLessThanOrEqual(Date.now() + seconds * 1000);
  return made;
}

describe('users from templates', () => {
  let core: Core;
  let groups: Group[];
  const refused = (calls: readonly Call[], status: number, detail: unknown, by = environment.sudo) =>
    expectRefused(calls, status, detail, ['/api/users'], by);
  const create = (user_template_id: number, username: unknown, rest: object = {}): Call => ({
    method: 'POST',
    path: '/api/user/from_template',
    body: { user_template_id, username, ...rest },
  });
  const apply = (template: Template, { username }: User, rest: object = {}): Promise<User> =>
    environment.sudo.modify(`/api/user/${username}/from_template`, { user_template_id: template.id, ...rest });

  beforeAll(async () => {
    core = await createCore(vless('from a template'));
    groups = [await createGroup('from a template'), await createGroup('from a template')];
  });
  afterAll(async () => {
    const { users } = await environment.sudo.get<{ users: User[] }>('/api/users');
    await Promise.all(users.map(({ username }) => environment.sudo.remove(`/api/user/${username}`)));
    for (const { id } of await environment.sudo.get<Template[]>('/api/user_templates'))
      await environment.sudo.remove(`/api/user_template/${id}`);
    for (const { id } of groups) await environment.sudo.remove(`/api/group/${id}`);
    await deleteCore(core);
  });

  it('a user from a template gets all its values, and a note', async () => {
    const template = await createTemplate(groups, {
      data_limit: 1024,
      username_prefix: 'pre-',
      username_suffix: '.suf',
      extra_settings: { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' },
      data_limit_reset_strategy: 'week',
      reset_usages: true,
    });
    const user = await userFromTemplate(template, { username: 'Middle', note: 'a note' });
    const expected = {
      username: 'pre-Middle.suf',
      note: 'a note',
      status: 'active',
      data_limit: 1024,
      data_limit_reset_strategy: 'week',
      expire: 0,
      used_traffic: 0,
      on_hold_expire_duration: null,
      on_hold_timeout: null,
      group_ids: groups.map(({ id }) => id),
      admin: { username: 'root' },
      proxy_settings: { vless: { flow: 'xtls-rprx-vision' }, shadowsocks: { method: 'aes-256-gcm' } },
    };
    expect(user).toMatchObject(expected);
    expect(await readUser('pre-Middle.suf')).toMatchObject(expected);
    expect(JSON.stringify(user)).not.toContain(template.name);
  });

  it('a user from an empty template gets the defaults', async () => {
    const user = await userFromTemplate(await createTemplate(groups));
    expect(user).toMatchObject({
      status: 'active',
      note: null,
      data_limit: 0,
      expire: 0,
      data_limit_reset_strategy: 'no_reset',
      proxy_settings: { vless: { flow: '' }, shadowsocks: { method: 'chacha20-ietf-poly1305' } },
    });
  });

  it('a user from a template expires after expire_duration', async () => {
    const template = await createTemplate(groups, { expire_duration: 30 * DAY });
    const user = await secondsAfter(
      30 * DAY,
      () => userFromTemplate(template),
      ({ expire }) => expire,
    );
    expect(user).toMatchObject({ status: 'active', on_hold_expire_duration: null, on_hold_timeout: null });
  });

  it('a user from a template is on hold until on_hold_timeout', async () => {
    const hold = { status: 'on_hold', expire_duration: 7 * DAY, on_hold_timeout: 2 * DAY };
    const template = await createTemplate(groups, hold);
    const user = await secondsAfter(
      2 * DAY,
      () => userFromTemplate(template),
      ({ on_hold_timeout }) => on_hold_timeout,
    );
    expect(user).toMatchObject({ status: 'on_hold', expire: 0, on_hold_expire_duration: 7 * DAY });
  });

  it('a user from a template belongs to the admin who created it, who need not be a sudo admin', async () => {
    const { id } = await createTemplate(groups);
    const mine = await environment.plain.create<User>('/api/user/from_template', {
      user_template_id: id,
      username: 'mine',
    });
    expect(mine.admin.username).toBe('plain-admin');
    const { username } = await createUser(groups);
    await refused(
      [{ method: 'PUT', path: `/api/user/${username}/from_template`, body: { user_template_id: id } }],
      403,
      someText,
      environment.plain,
    );
    expect(await environment.plain.modify('/api/user/mine/from_template', { user_template_id: id })).toMatchObject({
      username: 'mine',
      admin: { username: 'plain-admin' },
    });
  });

  it.each([
    ['3 characters', 'a', 'b', 'c', 'abc'],
    [
      '128 characters',
      'p'.repeat(20),
      'u'.repeat(88),
      's'.repeat(20),
      `${'p'.repeat(20)}${'u'.repeat(88)}${'s'.repeat(20)}`,
    ],
    ['special characters', 'A-z_', '0@9', '.Z', 'A-z_0@9.Z'],
    ['no prefix', null, 'only', '1', 'only1'],
    ['no suffix', '1', 'only', null, '1only'],
  ])(
    'a user from a template has a name of %s',
    async (_title, username_prefix, username, username_suffix, expected) => {
      const template = await createTemplate(groups, { username_prefix, username_suffix });
      expect((await userFromTemplate(template, { username })).username).toBe(expected);
    },
  );

  it.each([
    ['2 characters', null, 'ab', null],
    ['129 characters', 'p'.repeat(20), 'u'.repeat(109), null],
    ['two special characters in a row', null, 'a..b', null],
    ['different special characters in a row', null, 'a-_b', null],
    ['a special character after that of the prefix', 'pre-', '_name', null],
    ['a special character before that of the suffix', null, 'name.', '@suf'],
    ['a space', null, 'a name', null],
    ['a letter beyond a-z', null, 'naïve', null],
    ['a slash', null, 'a/b/c', null],
    ['a number', null, 12345, null],
    ['nothing', null, undefined, null],
  ])(
    'a user from a template with a name of %s is refused',
    async (_title, username_prefix, username, username_suffix) => {
      const { id } = await createTemplate(groups, { username_prefix, username_suffix });
      await refused([create(id, username)], 422, about('username'));
    },
  );

  it('a user from a template with an existing name is refused', async () => {
    const { id } = await createTemplate(groups, { username_prefix: 'taken-' });
    await environment.sudo.create('/api/user/from_template', { user_template_id: id, username: 'name' });
    await refused([create(id, 'name')], 409, 'User already exists');
  });

  it('a user needs a template that exists and is not disabled', async () => {
    const { username } = await createUser(groups);
    const put = (user_template_id: unknown): Call => ({
      method: 'PUT',
      path: `/api/user/${username}/from_template`,
      body: { user_template_id },
    });
    const bulk = (user_template_id: number): Call => ({
      method: 'POST',
      path: '/api/users/bulk/from_template',
      body: { user_template_id, count: 1, strategy: 'random' },
    });
    const disabled = await createTemplate(groups, { is_disabled: true });
    await refused([create(UNKNOWN, 'nobody'), put(UNKNOWN), bulk(UNKNOWN)], 404, 'User Template not found');
    await refused(
      [create(disabled.id, 'nobody'), put(disabled.id), bulk(disabled.id)],
      403,
      'this template is disabled',
    );
    await refused([put(undefined), put('one')], 422, about('user_template_id'));
    await environment.sudo.modify(`/api/user_template/${disabled.id}`, { is_disabled: false });
    expect(
      await environment.sudo.modify(`/api/user/${username}/from_template`, { user_template_id: disabled.id }),
    ).toMatchObject({ username });
  });

  it('a template changes the values and groups of a user, but not its identity', async () => {
    const before = await createUser(groups.slice(0, 1), { data_limit: 5, note: 'before' });
    const template = await createTemplate(groups.slice(1), {
      data_limit: 2048,
      expire_duration: DAY,
      username_prefix: 'not-',
      data_limit_reset_strategy: 'year',
      extra_settings: { flow: 'xtls-rprx-vision', method: 'xchacha20-poly1305' },
    });
    const user = await secondsAfter(
      DAY,
      () => apply(template, before, { note: 'after' }),
      ({ expire }) => expire,
    );
    const { vless: oldVless, shadowsocks: oldShadowsocks, ...untouched } = before.proxy_settings;
    expect(user).toMatchObject({
      id: before.id,
      username: before.username,
      created_at: before.created_at,
      admin: before.admin,
      subscription_url: before.subscription_url,
      note: 'after',
      data_limit: 2048,
      data_limit_reset_strategy: 'year',
      group_ids: [groups[1]?.id],
      proxy_settings: {
        ...untouched,
        vless: { id: oldVless.id, flow: 'xtls-rprx-vision' },
        shadowsocks: { password: oldShadowsocks.password, method: 'xchacha20-poly1305' },
      },
    });
    expect(await readUser(before.username)).toEqual(user);
  });

  it('templates put a user on hold and activate it again', async () => {
    const user = await createUser(groups, { expire: '2050-01-01T00:00:00Z' });
    const hold = await createTemplate(groups, { status: 'on_hold', expire_duration: DAY, on_hold_timeout: 60 });
    const held = await secondsAfter(
      60,
      () => apply(hold, user),
      ({ on_hold_timeout }) => on_hold_timeout,
    );
    expect(held).toMatchObject({ status: 'on_hold', expire: 0, on_hold_expire_duration: DAY });
    const active = await apply(await createTemplate(groups), user);
    expect(active).toMatchObject({ status: 'active', expire: 0 });
  });

  it('both paths modify a user by a template, and answer 404 for an unknown user', async () => {
    const { id } = await createTemplate(groups, { data_limit: 77 });
    const { username } = await createUser(groups);
    const body = { user_template_id: id };
    expect(await environment.sudo.modify(`/api/user/from_template/${username}`, body)).toMatchObject({
      data_limit: 77,
    });
    await refused([{ method: 'PUT', path: `/api/user/${freshName()}/from_template`, body }], 404, 'User not found');
  });

  it('a template that puts a user on hold with an expiry, or without a duration, is refused', async () => {
    const post = (rest: object): Call => ({
      method: 'POST',
      path: '/api/user',
      body: { username: 'refused', status: 'on_hold', ...rest },
    });
    const expire = '2050-01-01T00:00:00Z';
    const { username } = await createUser(groups);
    const put = { method: 'PUT', path: `/api/user/${username}` } as const;
    await refused(
      [
        post({ expire, on_hold_expire_duration: 60 }),
        { ...put, body: { status: 'on_hold', expire, on_hold_expire_duration: 60 } },
      ],
      422,
      about('status', 'User cannot be on hold with specified expire'),
    );
    await refused(
      [post({}), post({ on_hold_expire_duration: 0 }), { ...put, body: { status: 'on_hold' } }],
      422,
      about('status', 'User cannot be on hold without a valid on_hold_expire_duration'),
    );
  });
});
