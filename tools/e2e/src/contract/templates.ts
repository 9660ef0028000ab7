import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import { createGroup, createTemplate, type Group, type Template } from './fixtures.js';
import { about, type Call, expectRefused } from './refusal.js';

const UNKNOWN = 987_654;
const NO_GROUP = about('group_ids', 'you must select at least one group');
const HOLD = expect.objectContaining({ status: 'User cannot be on hold without a valid on_hold_expire_duration' });
const defaults = {
  data_limit: 0,
  expire_duration: 0,
  username_prefix: null,
  username_suffix: null,
  extra_settings: null,
  status: 'active',
  reset_usages: false,
  on_hold_timeout: null,
  data_limit_reset_strategy: 'no_reset',
  is_disabled: false,
};

describe('user templates', () => {
  let core: Core;
  let groups: Group[];
  let template: Template;
  const refused = (calls: readonly Call[], status: number, detail: unknown) =>
    expectRefused(calls, status, detail, ['/api/user_templates']);

  beforeAll(async () => {
    core = await createCore(vless('template inbound'));
    groups = [await createGroup('template inbound'), await createGroup('template inbound')];
    template = await createTemplate(groups);
  });
  afterEach(async () => {
    for (const { id } of await environment.sudo.get<Template[]>('/api/user_templates'))
      if (id !== template.id) await environment.sudo.remove(`/api/user_template/${id}`);
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/user_template/${template.id}`);
    for (const { id } of groups) await environment.sudo.remove(`/api/group/${id}`);
    await deleteCore(core);
  });

  it('a template is created with the defaults, read, modified in part and deleted', async () => {
    const group_ids = groups.map(({ id }) => id);
    const created = await environment.sudo.create<Template>('/api/user_template', { name: 'first', group_ids });
    const path = `/api/user_template/${created.id}`;
    const shape = { ...defaults, name: 'first', group_ids, id: created.id, version: expect.any(String) };
    expect(created).toEqual(shape);
    expect(await environment.sudo.get(path)).toEqual(shape);
    for (const change of [
      { name: 'second', data_limit: 1024, expire_duration: 60, on_hold_timeout: 30 },
      { status: 'on_hold' },
      { group_ids: [groups[1]?.id] },
      { username_prefix: 'a_', username_suffix: '_b', reset_usages: true, is_disabled: true },
      { extra_settings: { flow: 'xtls-rprx-vision', method: 'aes-128-gcm' }, data_limit_reset_strategy: 'month' },
      { group_ids: [] },
    ]) {
      Object.assign(shape, change);
      expect(await environment.sudo.modify(path, change)).toEqual(shape);
      expect(await environment.sudo.get(path)).toEqual(shape);
    }
    await environment.sudo.remove(path);
    await refused([{ method: 'GET', path }], 404, 'User Template not found');
  });

  it('a template keeps its groups when they are null in a modification', async () => {
    const path = `/api/user_template/${template.id}`;
    expect(await environment.sudo.modify(path, { group_ids: null })).toEqual(template);
  });

  it('templates are listed in pages', async () => {
    const made = [template, await createTemplate(groups), await createTemplate(groups)];
    const list = (query: string) => environment.sudo.get<Template[]>(`/api/user_templates${query}`);
    expect(await list('')).toEqual(made);
    expect(await Promise.all(['?limit=2', '?offset=1', '?offset=1&limit=1', '?offset=3'].map(list))).toEqual([
      made.slice(0, 2),
      made.slice(1),
      [made[1]],
      [],
    ]);
  });

  it.each([
    ['the longest name', { name: 'n'.repeat(64) }],
    ['the shortest name', { name: 'n' }],
    ['the longest prefix', { username_prefix: 'p'.repeat(20) }],
    ['the longest suffix', { username_suffix: 's'.repeat(20) }],
    ['no limits', { data_limit: 0, expire_duration: 0 }],
    ['the smallest limits', { data_limit: 1, expire_duration: 1 }],
    ['more than 32 bits of bytes', { data_limit: 2 ** 40 }],
    ...['no_reset', 'day', 'week', 'month', 'year'].map(
      (data_limit_reset_strategy) => [data_limit_reset_strategy, { data_limit_reset_strategy }] as const,
    ),
    ...['none', 'xtls-rprx-vision'].map(
      (flow) => [`the flow ${flow}`, { extra_settings: { flow, method: 'chacha20-ietf-poly1305' } }] as const,
    ),
    ...['chacha20-ietf-poly1305', 'xchacha20-poly1305', 'aes-128-gcm', 'aes-256-gcm'].map(
      (method) => [`the method ${method}`, { extra_settings: { flow: 'none', method } }] as const,
    ),
    ['on hold', { status: 'on_hold', expire_duration: 1, on_hold_timeout: 1 }],
  ])('a template with %s is accepted', async (_title, rest) => {
    const created = await createTemplate(groups, rest);
    expect(created).toMatchObject(rest);
    expect(await environment.sudo.get(`/api/user_template/${created.id}`)).toEqual(created);
  });

  it('members that are missing in extra_settings get their defaults', async () => {
    const filled = { flow: 'none', method: 'chacha20-ietf-poly1305' };
    expect(await createTemplate(groups, { extra_settings: {} })).toMatchObject({ extra_settings: filled });
  });

  it.each([
    ['an empty name', { name: '' }, about('name', "name can't be empty")],
    ['a name of 65 characters', { name: 'n'.repeat(65) }, about('name')],
    ['a name that is no text', { name: 5 }, about('name')],
    ['a negative data_limit', { data_limit: -1 }, about('data_limit')],
    ['a broken data_limit', { data_limit: 1.5 }, about('data_limit')],
    ['a negative expire_duration', { expire_duration: -1 }, about('expire_duration')],
    ['a prefix of 21 characters', { username_prefix: 'p'.repeat(21) }, about('username_prefix')],
    ['a suffix of 21 characters', { username_suffix: 's'.repeat(21) }, about('username_suffix')],
    ['an unknown flow', { extra_settings: { flow: 'vision' } }, expect.anything()],
    ['an unknown method', { extra_settings: { method: 'rc4' } }, expect.anything()],
    ...['expired', 'limited', 'disabled', 'other'].map(
      (status) => [`the status ${status}`, { status }, about('status')] as const,
    ),
    ['reset_usages that is no boolean', { reset_usages: 'maybe' }, about('reset_usages')],
    ['is_disabled that is no boolean', { is_disabled: 'maybe' }, about('is_disabled')],
    ['a timeout that is no integer', { on_hold_timeout: 'soon' }, about('on_hold_timeout')],
    ['an unknown strategy', { data_limit_reset_strategy: 'hour' }, about('data_limit_reset_strategy')],
    ['groups that are no integers', { group_ids: ['a'] }, about('group_ids')],
    ['on hold with a duration and no timeout', { status: 'on_hold', expire_duration: 60 }, HOLD],
    ['on hold with a timeout and no duration', { status: 'on_hold', on_hold_timeout: 60 }, HOLD],
    ['on hold with neither', { status: 'on_hold' }, HOLD],
  ])('a template with %s is refused, when creating and when modifying', async (_title, rest, detail) => {
    await refused(
      [
        { method: 'POST', path: '/api/user_template', body: { name: 'refused', group_ids: [groups[0]?.id], ...rest } },
        { method: 'PUT', path: `/api/user_template/${template.id}`, body: rest },
      ],
      422,
      detail,
    );
  });

  it('a partial modification that breaks the rule of on_hold is refused', async () => {
    const { id } = await createTemplate(groups, { status: 'on_hold', expire_duration: 60, on_hold_timeout: 60 });
    const put = (body: unknown): Call => ({ method: 'PUT', path: `/api/user_template/${id}`, body });
    await refused([put({ expire_duration: 0 }), put({ on_hold_timeout: null })], 422, HOLD);
  });

  it.each([
    ['no name', { name: undefined }, 422, about('name')],
    ['no groups', { group_ids: undefined }, 422, NO_GROUP],
    ['null groups', { group_ids: null }, 422, NO_GROUP],
    ['empty groups', { group_ids: [] }, 422, NO_GROUP],
    ['an unknown group', { group_ids: [UNKNOWN] }, 404, 'Group not found'],
  ])('a new template with %s is refused', async (_title, rest, status, detail) => {
    const body = { name: 'refused', group_ids: [groups[0]?.id], ...rest };
    await refused([{ method: 'POST', path: '/api/user_template', body }], status, detail);
  });

  it('a modification with an unknown group beside a known one is refused', async () => {
    const body = { group_ids: [groups[0]?.id, UNKNOWN] };
    await refused([{ method: 'PUT', path: `/api/user_template/${template.id}`, body }], 404, 'Group not found');
  });

  it('a template with the name of another one is refused', async () => {
    const { id } = await createTemplate(groups);
    const { name } = template;
    await refused(
      [
        { method: 'POST', path: '/api/user_template', body: { name, group_ids: [groups[0]?.id] } },
        { method: 'PUT', path: `/api/user_template/${id}`, body: { name } },
      ],
      409,
      'Template by this name already exists',
    );
  });

  it('a call for an unknown template answers 404', async () => {
    const path = `/api/user_template/${UNKNOWN}`;
    const calls: Call[] = [
      { method: 'GET', path },
      { method: 'PUT', path, body: {} },
      { method: 'DELETE', path },
    ];
    await refused(calls, 404, 'User Template not found');
  });
});
