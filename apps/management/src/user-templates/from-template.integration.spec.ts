import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../database/revision.js';
import {
  DAY,
  GB,
  invalid,
  TEMPLATE_DISABLED,
  TEMPLATE_NOT_FOUND,
  TemplateFixture,
} from './testing/template-fixture.js';

let fixture: TemplateFixture;
beforeAll(async () => {
  fixture = await TemplateFixture.start();
});
afterAll(() => fixture?.close());

const create = (body: object, token?: string) =>
  fixture.management.call('POST', '/api/user/from_template', body, token);

const EXISTS = { status: 409, body: { detail: 'User already exists', code: 'USER_EXISTS' } };
const ID = 'Input should be an integer from 1 to 2147483647';

describe('POST /api/user/from_template', () => {
  it('creates a user with all terms of the template', async () => {
    const user_template_id = await fixture.template({
      data_limit: 10 * GB,
      expire_duration: 30 * DAY,
      username_prefix: 'vip_',
      username_suffix: '.x',
      group_ids: [2, 1],
      extra_settings: { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' },
      data_limit_reset_strategy: 'month',
      reset_usages: true,
    });
    const [before, revision] = [Date.now(), await currentRevision(fixture.manager)];
    const created = await create({ user_template_id, username: 'ali', note: 'a friend' }, fixture.plain);
    const later = Date.now();
    expect(created).toEqual({
      status: 201,
      body: {
        proxy_settings: {
          vmess: { id: expect.any(String) },
          vless: { id: expect.any(String), flow: 'xtls-rprx-vision' },
          trojan: { password: expect.any(String) },
          shadowsocks: { password: expect.stringMatching(/^[\w-]{32}$/), method: 'aes-256-gcm' },
        },
        expire: expect.any(String),
        data_limit: 10 * GB,
        data_limit_reset_strategy: 'month',
        note: 'a friend',
        on_hold_expire_duration: null,
        on_hold_timeout: null,
        group_ids: [1, 2],
        auto_delete_in_days: null,
        next_plan: null,
        id: expect.any(Number),
        username: 'vip_ali.x',
        status: 'active',
        used_traffic: 0,
        lifetime_used_traffic: 0,
        version: expect.any(String),
        created_at: expect.any(String),
        edit_at: null,
        online_at: null,
        subscription_url: expect.stringMatching(/^https:\/\/panel\.example\/sub\//),
        admin: { id: 2, username: 'plain' },
      },
    });
    const start = Date.parse(Reflect.get(Object(created.body), 'expire')) - 30 * DAY * 1000;
    expect([start >= before, start <= later]).toEqual([true, true]);
    expect(await fixture.namesSince(revision)).toEqual(['vip_ali.x']);
    expect(await currentRevision(fixture.manager)).toBe(revision + 1n);
    expect(await fixture.management.call('GET', '/api/user/vip_ali.x')).toEqual({ status: 200, body: created.body });
  });

  it('uses defaults for terms that the template does not set', async () => {
    expect(await create({ user_template_id: await fixture.template(), username: 'plainest' })).toMatchObject({
      status: 201,
      body: {
        username: 'plainest',
        status: 'active',
        expire: 0,
        data_limit: 0,
        note: null,
        proxy_settings: { vless: { flow: '' }, shadowsocks: { method: 'chacha20-ietf-poly1305' } },
        admin: { username: 'root' },
      },
    });
  });

  it('uses the default method of the settings when the template has null', async () => {
    const user_template_id = await fixture.template({ extra_settings: { flow: 'xtls-rprx-vision', method: null } });
    await fixture.management.call('PUT', '/api/settings', { general: { default_method: 'aes-128-gcm' } });
    const made = await create({ user_template_id, username: 'defaulted' });
    await fixture.management.call('PUT', '/api/settings', { general: {} });
    expect(made).toMatchObject({
      status: 201,
      body: { proxy_settings: { vless: { flow: 'xtls-rprx-vision' }, shadowsocks: { method: 'aes-128-gcm' } } },
    });
  });

  it('puts a user on hold', async () => {
    const user_template_id = await fixture.template({
      status: 'on_hold',
      expire_duration: DAY,
      on_hold_timeout: 7 * DAY,
    });
    const before = Date.now();
    const { status, body } = await create({ user_template_id, username: 'held' });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { status: 'on_hold', expire: 0, on_hold_expire_duration: DAY },
    });
    const start = Date.parse(Reflect.get(Object(body), 'on_hold_timeout')) - 7 * DAY * 1000;
    expect([start >= before, start <= Date.now()]).toEqual([true, true]);
  });

  it('creates a user without groups from a template whose groups were deleted', async () => {
    const user_template_id = await fixture.template();
    await fixture.management.call('PUT', `/api/user_template/${user_template_id}`, { group_ids: [] });
    expect(await create({ user_template_id, username: 'groupless' })).toMatchObject({
      status: 201,
      body: { group_ids: [] },
    });
  });

  it.each([
    [{ username: 'ab' }, { username: 'Username must be 3-128 characters' }],
    [{ username: '' }, { username: 'Username must be 3-128 characters' }],
    [{ username: 'x'.repeat(129) }, { username: 'Username must be 3-128 characters' }],
    [{ username: 'ali reza' }, { username: 'Username can only contain a-z, A-Z, 0-9, -, _, @ and .' }],
    [{ username: 'a--b' }, { username: 'Username cannot have consecutive special characters' }],
    [{ username: 5 }, { username: 'Input should be a string' }],
    [{ username: undefined }, { username: 'Field required' }],
    [{ note: 'x'.repeat(501) }, { note: 'Input should have at most 500 characters' }],
    [{ user_template_id: undefined }, { user_template_id: 'Field required' }],
    [{ user_template_id: '1' }, { user_template_id: ID }],
    [{ user_template_id: 0 }, { user_template_id: ID }],
  ])('refuses %j', async (more, detail) => {
    const user_template_id = await fixture.template();
    const before = await fixture.state();
    expect(await create({ user_template_id, username: 'refused', ...more })).toEqual(invalid(detail));
    expect(await fixture.state()).toEqual(before);
  });

  it('checks the final name, including prefix and suffix', async () => {
    const user_template_id = await fixture.template({ username_prefix: 'vip_' });
    const long = { user_template_id, username: 'x'.repeat(125) };
    const before = await fixture.state();
    expect(await create(long)).toEqual(invalid({ username: 'Username must be 3-128 characters' }));
    expect(await create({ user_template_id, username: '-ali' })).toEqual(
      invalid({ username: 'Username cannot have consecutive special characters' }),
    );
    expect(await fixture.state()).toEqual(before);
    expect(await create({ user_template_id, username: 'x' })).toMatchObject({
      status: 201,
      body: { username: 'vip_x' },
    });
  });

  it('refuses a name that is taken, also by a call at the same moment', async () => {
    const user_template_id = await fixture.template();
    const answers = await Promise.all([1, 2, 3].map(() => create({ user_template_id, username: 'racing' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const before = await fixture.state();
    expect(await create({ user_template_id, username: 'racing' }, fixture.plain)).toEqual(EXISTS);
    expect(await fixture.state()).toEqual(before);
  });

  it('refuses an unknown and a disabled template', async () => {
    const disabled = await fixture.template({ is_disabled: true });
    const before = await fixture.state();
    expect(await create({ user_template_id: 4711, username: 'unknown' })).toEqual(TEMPLATE_NOT_FOUND);
    expect(await create({ user_template_id: disabled, username: 'disabled' })).toEqual(TEMPLATE_DISABLED);
    expect(await fixture.state()).toEqual(before);
  });
});
