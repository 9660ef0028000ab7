import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../testing/test-management.js';
import { NO_DURATION, REFUSED_TEMPLATES } from './testing/refused-templates.js';
import { DAY, GB, invalid, TAG, TEMPLATE_NOT_FOUND } from './testing/template-fixture.js';
import { UserTemplate } from './user-template.entity.js';
import { UserTemplateGroup } from './user-template-group.entity.js';

let management: TestManagement;
let plain: string;
beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
  for (const name of ['one', 'two', 'three']) {
    await management.call('POST', '/api/group', { name, inbound_tags: [TAG] });
  }
});
afterAll(() => management?.close());

const create = (template: object) => management.call('POST', '/api/user_template', template);
const modify = (id: number, changes: object) => management.call('PUT', `/api/user_template/${id}`, changes);
const get = (id: number, token?: string) => management.call('GET', `/api/user_template/${id}`, undefined, token);

/** All templates with their groups, as the tables hold them. */
const stored = async () => {
  const { manager } = management.database;
  const templates = await manager.find(UserTemplate, { order: { id: 'ASC' } });
  return { templates, groups: await manager.find(UserTemplateGroup) };
};

/** Creates a template whose terms do not matter, and returns its id. */
async function made(name: string, more: object = {}): Promise<number> {
  const { body } = await create({ name, group_ids: [1], ...more });
  return Number(Reflect.get(Object(body), 'id'));
}

const NO_GROUP = { status: 404, body: { detail: 'Group not found', code: 'GROUP_NOT_FOUND' } };
const EXISTS = { status: 409, body: { detail: 'Template by this name already exists', code: 'USER_TEMPLATE_EXISTS' } };

describe('POST /api/user_template', () => {
  it('creates a template with every default', async () => {
    const template = {
      name: 'basic',
      data_limit: 0,
      expire_duration: 0,
      username_prefix: null,
      username_suffix: null,
      group_ids: [1],
      extra_settings: null,
      status: 'active',
      reset_usages: false,
      on_hold_timeout: null,
      data_limit_reset_strategy: 'no_reset',
      is_disabled: false,
      id: 1,
      version: expect.any(String),
    };
    expect(await create({ name: 'basic', group_ids: [1], id: 9, colour: 'red' })).toEqual({
      status: 201,
      body: template,
    });
    expect(await get(1)).toEqual({ status: 200, body: template });
  });

  it('stores all given members', async () => {
    const given = {
      name: '⌛️'.repeat(32),
      data_limit: 10 * GB,
      expire_duration: 30 * DAY,
      username_prefix: 'p'.repeat(20),
      username_suffix: 's'.repeat(20),
      extra_settings: { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' },
      status: 'on_hold',
      reset_usages: true,
      on_hold_timeout: 7 * DAY,
      data_limit_reset_strategy: 'month',
      is_disabled: true,
    };
    const { status, body } = await create({ ...given, group_ids: [3, 1, 3] });
    expect({ status, body }).toEqual({
      status: 201,
      body: { ...given, group_ids: [1, 3], id: expect.any(Number), version: expect.any(String) },
    });
    expect(await get(Number(Reflect.get(Object(body), 'id')))).toEqual({ status: 200, body });
  });

  it.each([
    [{}, { flow: 'none', method: 'chacha20-ietf-poly1305' }],
    [
      { flow: null, method: null },
      { flow: 'none', method: null },
    ],
    [
      { flow: '', method: 'xchacha20-poly1305' },
      { flow: '', method: 'xchacha20-poly1305' },
    ],
    [{ flow: 'none' }, { flow: 'none', method: 'chacha20-ietf-poly1305' }],
    [null, null],
  ])('answers extra settings %j', async (extra_settings, answered) => {
    const name = `extra ${JSON.stringify(extra_settings)}`;
    expect(await create({ name, group_ids: [1], extra_settings })).toMatchObject({
      status: 201,
      body: { extra_settings: answered },
    });
  });

  it.each([
    ...REFUSED_TEMPLATES,
    [{ name: undefined }, { name: 'Field required' }],
    [{ name: null }, { name: 'Field required' }],
    [{ group_ids: [] }, { group_ids: 'you must select at least one group' }],
    [{ group_ids: undefined }, { group_ids: 'you must select at least one group' }],
    [{ group_ids: null }, { group_ids: 'you must select at least one group' }],
  ])('refuses %j', async (more, detail) => {
    const before = await stored();
    expect(await create({ name: 'refused', group_ids: [1], ...more })).toEqual(invalid(detail));
    expect(await stored()).toEqual(before);
  });

  it('refuses an unknown group', async () => {
    const before = await stored();
    expect(await create({ name: 'unknown', group_ids: [1, 4711] })).toEqual(NO_GROUP);
    expect(await stored()).toEqual(before);
  });

  it('refuses a name that is taken, also by a call at the same moment', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({ name: 'racing', group_ids: [1] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)).toEqual(EXISTS);
  });
});

describe('PUT /api/user_template/{template_id}', () => {
  const full = {
    data_limit: GB,
    expire_duration: DAY,
    username_prefix: 'a',
    username_suffix: 'b',
    extra_settings: { flow: '', method: 'aes-128-gcm' },
    status: 'on_hold',
    reset_usages: true,
    on_hold_timeout: 60,
    data_limit_reset_strategy: 'week',
    is_disabled: true,
    group_ids: [1, 2],
  };

  it('leaves absent members unchanged, and null members that cannot be empty', async () => {
    const id = await made('partial', full);
    const unchanged = { status: 200, body: { ...full, name: 'partial', id, version: expect.any(String) } };
    expect(await modify(id, {})).toEqual(unchanged);
    const nulls = { name: null, data_limit: null, expire_duration: null, group_ids: null, status: null };
    const more = { reset_usages: null, data_limit_reset_strategy: null, is_disabled: null };
    expect(await modify(id, { ...nulls, ...more })).toEqual(unchanged);
    expect(await get(id)).toEqual(unchanged);
  });

  it('changes every member', async () => {
    const id = await made('before');
    const changes = { ...full, name: 'after' };
    expect(await modify(id, changes)).toEqual({ status: 200, body: { ...changes, id, version: expect.any(String) } });
    expect(await get(id)).toEqual({ status: 200, body: { ...changes, id, version: expect.any(String) } });
  });

  it('clears members by null, and prefix and suffix by an empty text', async () => {
    const id = await made('cleared', { ...full, status: 'active' });
    const nulls = { username_prefix: null, username_suffix: '', extra_settings: null, on_hold_timeout: null };
    expect(await modify(id, nulls)).toMatchObject({ status: 200, body: { ...nulls, username_suffix: null } });
  });

  it('replaces the groups, or clears them', async () => {
    const id = await made('grouped', { group_ids: [1, 2] });
    expect(await modify(id, { group_ids: [3, 2, 3] })).toMatchObject({ status: 200, body: { group_ids: [2, 3] } });
    expect(await modify(id, { group_ids: [] })).toMatchObject({ status: 200, body: { group_ids: [] } });
    expect(await get(id)).toMatchObject({ body: { group_ids: [] } });
  });

  it('keeps an extra setting that the request does not contain', async () => {
    const id = await made('extra', { extra_settings: { flow: '', method: 'aes-128-gcm' } });
    expect(await modify(id, { extra_settings: { method: 'aes-256-gcm' } })).toMatchObject({
      body: { extra_settings: { flow: '', method: 'aes-256-gcm' } },
    });
    expect(await modify(id, { extra_settings: { flow: 'none' } })).toMatchObject({
      body: { extra_settings: { flow: 'none', method: 'aes-256-gcm' } },
    });
  });

  it.each(REFUSED_TEMPLATES)('refuses %j', async (changes, detail) => {
    const before = await stored();
    expect(await modify(1, changes)).toEqual(invalid(detail));
    expect(await stored()).toEqual(before);
  });

  it.each([{ expire_duration: 0 }, { on_hold_timeout: null }, { on_hold_timeout: 0 }])(
    'refuses %j of a template on hold',
    async (changes) => {
      const id = await made(`held ${JSON.stringify(changes)}`, full);
      const before = await stored();
      expect(await modify(id, changes)).toEqual(invalid({ status: NO_DURATION }));
      expect(await stored()).toEqual(before);
    },
  );

  it('refuses an unknown group, a name that is taken and an unknown template', async () => {
    await made('taken');
    const id = await made('not taken');
    const before = await stored();
    expect(await modify(id, { name: 'changed', group_ids: [2, 4711] })).toEqual(NO_GROUP);
    expect(await modify(id, { name: 'taken', group_ids: [2] })).toEqual(EXISTS);
    expect(await modify(4711, { name: 'changed' })).toEqual(TEMPLATE_NOT_FOUND);
    expect(await stored()).toEqual(before);
  });
});

describe('GET /api/user_template/{template_id}', () => {
  it('is open to every admin', async () => {
    expect(await get(1, plain)).toEqual(await get(1));
  });

  it('answers 404 for an unknown template', async () => {
    expect(await get(4711)).toEqual(TEMPLATE_NOT_FOUND);
    expect(await get(0)).toEqual(invalid({ template_id: 'Input should be an integer from 1 to 2147483647' }));
  });
});

describe('GET /api/user_templates', () => {
  const list = (query = '') => management.call('GET', `/api/user_templates${query}`, undefined, plain);

  it('lists all templates, or a page of them, for every admin', async () => {
    const { templates } = await stored();
    const views = await Promise.all(templates.map(async ({ id }) => (await get(id)).body));
    expect(await list()).toEqual({ status: 200, body: views });
    expect(await list('?offset=1&limit=2')).toEqual({ status: 200, body: views.slice(1, 3) });
    expect(await list('?offset=4711')).toEqual({ status: 200, body: [] });
  });
});

describe('DELETE /api/user_template/{template_id}', () => {
  it('deletes a template once, and then answers 404', async () => {
    const before = await stored();
    const id = await made('deleted');
    expect(await management.call('DELETE', `/api/user_template/${id}`)).toEqual({ status: 204, body: undefined });
    expect(await stored()).toEqual(before);
    expect(await management.call('DELETE', `/api/user_template/${id}`)).toEqual(TEMPLATE_NOT_FOUND);
  });
});

describe('a user template', () => {
  it('writes an audit entry for each change, and none for a refused one', async () => {
    const id = await made('audited');
    await modify(id, { data_limit: GB, group_ids: [1, 2] });
    await modify(id, { group_ids: [4711] });
    await management.call('DELETE', `/api/user_template/${id}`);
    const { body } = await management.call('GET', `/api/audit?target=user_template/${id}`);
    expect(
      Object(body).entries.map(({ actor, action, difference }: Record<string, unknown>) => [actor, action, difference]),
    ).toEqual([
      ['root', 'user_template.delete', expect.objectContaining({ name: { before: 'audited' } })],
      [
        'root',
        'user_template.modify',
        { data_limit: { before: 0, after: GB }, group_ids: { before: [1], after: [1, 2] } },
      ],
      [
        'root',
        'user_template.create',
        expect.objectContaining({ name: { after: 'audited' }, group_ids: { after: [1] } }),
      ],
    ]);
  });

  it('loses a group when the group is deleted', async () => {
    const { body } = await management.call('POST', '/api/group', { name: 'brief', inbound_tags: [TAG] });
    const groupId = Number(Reflect.get(Object(body), 'id'));
    const id = await made('orphan', { group_ids: [2, groupId] });
    await management.call('DELETE', `/api/group/${groupId}`);
    expect(await get(id)).toMatchObject({ status: 200, body: { group_ids: [2] } });
  });

  it.each([
    ['POST', '/api/user_template'],
    ['PUT', '/api/user_template/1'],
    ['DELETE', '/api/user_template/1'],
  ] as const)('is changed by sudo admins only: %s %s', async (method, url) => {
    const before = await stored();
    const request = { name: 'mine', group_ids: [1] };
    expect(await management.call(method, url, request, plain)).toEqual({
      status: 403,
      body: { detail: "You're not allowed", code: 'FORBIDDEN' },
    });
    expect(await stored()).toEqual(before);
  });
});
