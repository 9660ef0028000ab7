import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../database/revision.js';
import { TestManagement } from '../testing/test-management.js';
import { NodeUserUsage } from '../usage/node-user-usage.entity.js';
import { currentUsageHour } from '../usage/usage-partitions.js';
import { User } from '../user-store/entities/user.entity.js';
import { UserTrafficReset } from '../user-store/entities/user-traffic-reset.entity.js';
import { after, changedUsersAfter } from '../user-store/served/served-users.js';

const TAG = 'Shadowsocks TCP';
const GB = 1024 ** 3;
const DAY = 86_400;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let management: TestManagement;
let plain: string;
let username: string;
let before: Record<string, unknown>;
let revision: bigint;
let made = 0;

beforeAll(async () => {
  management = await TestManagement.start();
  plain = await management.plainAdmin('plain');
  await management.call('POST', '/api/group', { name: 'one', inbound_tags: [TAG] });
  await management.call('POST', '/api/group', { name: 'two', inbound_tags: [TAG] });
  await management.call('POST', '/api/group', { name: 'off', inbound_tags: [TAG], is_disabled: true });
});
afterAll(() => management?.close());

const manager = () => management.database.manager;
const get = async () => Object((await management.call('GET', `/api/user/${username}`)).body);
const apply = (body: object, token?: string) =>
  management.call('PUT', `/api/user/${username}/from_template`, body, token);
const set = async (columns: Partial<Omit<User, 'admin'>>) => {
  await manager().update(User, { username }, columns);
  before = await get();
};
const resets = () => manager().find(UserTrafficReset, { where: { userId: Number(before.id) } });

/** What nodes hear since the user stood as the test has it. */
const heard = async () =>
  (await changedUsersAfter(manager(), after(revision), 10)).map(({ email, inboundTags }) => [email, inboundTags]);

async function template(more: object = {}): Promise<number> {
  const request = { name: `template ${++made}`, group_ids: [1], ...more };
  const { body } = await management.call('POST', '/api/user_template', request);
  return Number(Reflect.get(Object(body), 'id'));
}

beforeEach(async () => {
  username = `user${++made}`;
  const user = { username, note: 'a friend', data_limit: 1000, expire: 2e9, group_ids: [1], auto_delete_in_days: 30 };
  await management.call('POST', '/api/user', user, plain);
  await set({ usedTraffic: 900, pastTraffic: 50 });
  revision = await currentRevision(manager());
});

describe('PUT /api/user/{username}/from_template', () => {
  it('applies all terms of the template, and keeps name, owner and credentials', async () => {
    const user_template_id = await template({
      data_limit: 10 * GB,
      expire_duration: 30 * DAY,
      username_prefix: 'vip_',
      username_suffix: '.x',
      group_ids: [3, 2],
      extra_settings: { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' },
      data_limit_reset_strategy: 'month',
    });
    const { vmess, vless, trojan, shadowsocks } = Object(before.proxy_settings);
    const earliest = Date.now();
    const { status, body } = await apply({ user_template_id });
    const changed = {
      ...before,
      data_limit: 10 * GB,
      data_limit_reset_strategy: 'month',
      expire: expect.stringMatching(MOMENT),
      group_ids: [2, 3],
      proxy_settings: {
        vmess,
        vless: { id: vless.id, flow: 'xtls-rprx-vision' },
        trojan,
        shadowsocks: { password: shadowsocks.password, method: 'aes-256-gcm' },
      },
      edit_at: expect.stringMatching(MOMENT),
    };
    expect({ status, body }).toEqual({ status: 200, body: changed });
    const start = Date.parse(Reflect.get(Object(body), 'expire')) - 30 * DAY * 1000;
    expect([start >= earliest, start <= Date.now()]).toEqual([true, true]);
    expect(await get()).toEqual(body);
    expect(await heard()).toEqual([[`${before.id}.${username}`, [TAG]]]);
    expect(await resets()).toEqual([]);
  });

  it('keeps flow and method when the template does not set them', async () => {
    const proxy_settings = { vless: { flow: 'xtls-rprx-vision' }, shadowsocks: { method: 'aes-128-gcm' } };
    await management.call('PUT', `/api/user/${username}`, { proxy_settings });
    const kept = (await get()).proxy_settings;
    expect(await apply({ user_template_id: await template() })).toMatchObject({
      status: 200,
      body: { proxy_settings: kept, data_limit: 0, expire: 0, data_limit_reset_strategy: 'no_reset' },
    });
  });

  it('puts the user on hold', async () => {
    const user_template_id = await template({ status: 'on_hold', expire_duration: DAY, on_hold_timeout: 7 * DAY });
    const earliest = Date.now();
    const { body } = await apply({ user_template_id });
    expect(body).toMatchObject({ status: 'on_hold', expire: 0, on_hold_expire_duration: DAY });
    const start = Date.parse(Reflect.get(Object(body), 'on_hold_timeout')) - 7 * DAY * 1000;
    expect([start >= earliest, start <= Date.now()]).toEqual([true, true]);
  });

  it.each(['disabled', 'expired', 'limited', 'on_hold'] as const)('makes a user active that was %s', async (status) => {
    await set({ status, onHoldExpireDuration: status === 'on_hold' ? DAY : null });
    expect(await apply({ user_template_id: await template() })).toMatchObject({
      status: 200,
      body: { status: 'active', expire: 0, on_hold_expire_duration: null, on_hold_timeout: null },
    });
  });

  it('limits a user at once whose used traffic exceeds the new limit', async () => {
    expect(await apply({ user_template_id: await template({ data_limit: 900 }) })).toMatchObject({
      status: 200,
      body: { status: 'limited', used_traffic: 900, lifetime_used_traffic: 950 },
    });
    expect(await heard()).toEqual([[`${before.id}.${username}`, []]]);
  });

  it('resets the traffic with its history if the template says so', async () => {
    const history = () => manager().query('SELECT used_traffic FROM node_user_usages WHERE user_id = $1', [before.id]);
    const hour = await currentUsageHour(manager());
    await manager().insert(NodeUserUsage, { userId: Number(before.id), hour, nodeId: 1, usedTraffic: 900 });
    expect(await apply({ user_template_id: await template({ data_limit: 901 }) })).toMatchObject({ status: 200 });
    expect(await history()).toEqual([{ used_traffic: '900' }]);
    expect(await apply({ user_template_id: await template({ data_limit: 900, reset_usages: true }) })).toMatchObject({
      status: 200,
      body: { status: 'active', used_traffic: 0, lifetime_used_traffic: 950 },
    });
    expect(await resets()).toEqual([expect.objectContaining({ usedTraffic: 900, resetAt: expect.any(Date) })]);
    expect(await history()).toEqual([]);
  });

  it('removes all groups when the template has none left', async () => {
    const user_template_id = await template();
    await management.call('PUT', `/api/user_template/${user_template_id}`, { group_ids: [] });
    expect(await apply({ user_template_id })).toMatchObject({ status: 200, body: { group_ids: [] } });
    expect(await heard()).toEqual([[`${before.id}.${username}`, []]]);
  });

  it.each([
    [{}, 'a friend'],
    [{ note: 'another' }, 'another'],
    [{ note: null }, null],
    [{ note: '' }, null],
  ])('with %j leaves the note %j', async (more, note) => {
    expect(await apply({ user_template_id: await template(), ...more })).toMatchObject({ status: 200, body: { note } });
  });

  it('tells nodes nothing when nothing changes for them', async () => {
    expect(await apply({ user_template_id: await template({ data_limit: GB }) })).toMatchObject({ status: 200 });
    expect(await heard()).toEqual([]);
  });

  it('is also PUT /api/user/from_template/{username}, for the owner of the user', async () => {
    const user_template_id = await template({ data_limit: GB });
    const url = `/api/user/from_template/${username}`;
    expect(await management.call('PUT', url, { user_template_id }, plain)).toMatchObject({
      status: 200,
      body: { username, data_limit: GB, admin: { username: 'plain' } },
    });
  });

  it('writes one audit entry without credentials', async () => {
    const user_template_id = await template({ data_limit: GB, extra_settings: { method: 'aes-256-gcm' } });
    await apply({ user_template_id }, plain);
    const url = `/api/audit?target=user/${username}&limit=1`;
    expect((await management.call('GET', url)).body).toMatchObject({
      entries: [
        {
          actor: 'plain',
          action: 'user.modify',
          difference: {
            data_limit: { before: 1000, after: GB },
            expire: { before: '2033-05-18T03:33:20.000Z', after: 0 },
            'proxy_settings.shadowsocks.method': { before: 'chacha20-ietf-poly1305', after: 'aes-256-gcm' },
            edit_at: { before: null, after: expect.any(String) },
          },
        },
      ],
    });
  });

  const unchanged = async () => {
    expect(await get()).toEqual(before);
    expect(await resets()).toEqual([]);
    expect(await currentRevision(manager())).toBe(revision);
  };

  it.each([
    [{ user_template_id: undefined }, { user_template_id: 'Field required' }],
    [{ user_template_id: '1' }, { user_template_id: 'Input should be an integer from 1 to 2147483647' }],
    [{ note: 'x'.repeat(501) }, { note: 'Input should have at most 500 characters' }],
  ])('refuses %j', async (more, detail) => {
    const request = { user_template_id: await template(), ...more };
    expect(await apply(request)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    await unchanged();
  });

  it('refuses an unknown and a disabled template', async () => {
    const disabled = await template({ is_disabled: true, reset_usages: true, group_ids: [2] });
    expect(await apply({ user_template_id: 4711 })).toEqual({
      status: 404,
      body: { detail: 'User Template not found', code: 'USER_TEMPLATE_NOT_FOUND' },
    });
    expect(await apply({ user_template_id: disabled })).toEqual({
      status: 403,
      body: { detail: 'this template is disabled', code: 'USER_TEMPLATE_DISABLED' },
    });
    await unchanged();
  });

  it("refuses another admin's user and an unknown one", async () => {
    const user_template_id = await template({ reset_usages: true });
    await set({ adminId: 1 });
    expect(await apply({ user_template_id }, plain)).toEqual({
      status: 403,
      body: { detail: "You're not allowed", code: 'FORBIDDEN' },
    });
    await unchanged();
    expect(await management.call('PUT', '/api/user/nobody/from_template', { user_template_id })).toEqual({
      status: 404,
      body: { detail: 'User not found', code: 'USER_NOT_FOUND' },
    });
  });
});
