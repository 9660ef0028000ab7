import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../testing/test-management.js';
import { Group } from './group.entity.js';

const TAG = 'Shadowsocks TCP';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

const create = (group: unknown) => management.call('POST', '/api/group', group);
const count = () => management.database.manager.count(Group);

describe('POST /api/group', () => {
  it('makes a group', async () => {
    const group = { name: 'basic', inbound_tags: [TAG], is_disabled: false, id: 1, total_users: 0 };
    expect(await create({ name: 'basic', inbound_tags: [TAG, TAG], id: 9, total_users: 9, colour: 'red' })).toEqual({
      status: 201,
      body: group,
    });
    expect(await management.call('GET', '/api/group/1')).toEqual({ status: 200, body: group });
  });

  it('makes a disabled group', async () => {
    expect(await create({ name: 'off', inbound_tags: [TAG], is_disabled: true })).toMatchObject({
      status: 201,
      body: { is_disabled: true },
    });
  });

  it.each([
    [{ name: 'no', inbound_tags: [TAG] }, { name: 'Name must be 3-64 characters' }],
    [{ name: 'x'.repeat(65), inbound_tags: [TAG] }, { name: 'Name must be 3-64 characters' }],
    [{ name: 'Basic 2', inbound_tags: [TAG] }, { name: 'Name can only contain a-z and 0-9' }],
    [{ name: 5, inbound_tags: [TAG] }, { name: 'Input should be a string' }],
    [{ name: 'none', inbound_tags: [] }, { inbound_tags: 'You must select at least one inbound' }],
    [{ name: 'none', inbound_tags: TAG }, { inbound_tags: 'Input should be a list of strings' }],
    [{ name: 'none', inbound_tags: [1] }, { inbound_tags: 'Input should be a list of strings' }],
    [{ name: 'none', inbound_tags: [TAG], is_disabled: 'no' }, { is_disabled: 'Input should be true or false' }],
    [{}, { name: 'Field required', inbound_tags: 'Field required' }],
  ])('refuses %j', async (group, detail) => {
    const before = await count();
    expect(await create(group)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect(await count()).toBe(before);
  });

  it('refuses a tag of no core', async () => {
    const before = await count();
    expect(await create({ name: 'unknown', inbound_tags: [TAG, 'nowhere'] })).toEqual({
      status: 400,
      body: { detail: 'Inbound tag not found in core configurations', code: 'INBOUND_TAG_UNKNOWN' },
    });
    expect(await count()).toBe(before);
  });

  it('refuses a name that is taken, also at the same moment', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({ name: 'racing', inbound_tags: [TAG] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      detail: 'Group by this name already exists',
      code: 'GROUP_EXISTS',
    });
  });
});

describe('GET /api/groups', () => {
  it('counts users, and all groups also when it shows one page', async () => {
    await management.call('POST', '/api/user', { username: 'alice', group_ids: [1] });
    expect(await management.call('GET', '/api/groups?offset=0&limit=1')).toEqual({
      status: 200,
      body: {
        groups: [{ name: 'basic', inbound_tags: [TAG], is_disabled: false, id: 1, total_users: 1 }],
        total: await count(),
      },
    });
  });
});

describe('GET /api/group/{group_id}', () => {
  it('does not find what is not there', async () => {
    expect(await management.call('GET', '/api/group/4711')).toEqual({
      status: 404,
      body: { detail: 'Group not found', code: 'GROUP_NOT_FOUND' },
    });
  });
});
