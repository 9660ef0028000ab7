import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { currentRevision } from '../database/revision.js';
import { NodeUserUsage } from '../usage/node-user-usage.entity.js';
import { currentUsageHour } from '../usage/usage-partitions.js';
import { User } from '../user-store/entities/user.entity.js';
import { UserTrafficReset } from '../user-store/entities/user-traffic-reset.entity.js';
import {
  DAY,
  GB,
  invalid,
  TAG,
  TEMPLATE_DISABLED,
  TEMPLATE_NOT_FOUND,
  TemplateFixture,
} from './testing/template-fixture.js';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let fixture: TemplateFixture;
let username: string;
let before: Record<string, unknown>;
let revision: bigint;
let made = 0;

beforeAll(async () => {
  fixture = await TemplateFixture.start();
  await fixture.management.call('POST', '/api/group', { name: 'off', inbound_tags: [TAG], is_disabled: true });
});
afterAll(() => fixture?.close());

const get = async () => Object((await fixture.management.call('GET', `/api/user/${username}`)).body);
const apply = (body: object, token?: string) =>
  fixture.management.call('PUT', `/api/user/${username}/from_template`, body, token);
const set = async (columns: Partial<Omit<User, 'admin'>>) => {
  await fixture.manager.update(User, { username }, columns);
  before = await get();
};
const resets = () => fixture.manager.find(UserTrafficReset, { where: { userId: Number(before.id) } });

/** The changes that nodes hear of since the test prepared the user. */
const nodeChanges = () => fixture.changedSince(revision);

beforeEach(async () => {
  username = `user${++made}`;
  const user = { username, note: 'a friend', data_limit: 1000, expire: 2e9, group_ids: [1], auto_delete_in_days: 30 };
  await fixture.management.call('POST', '/api/user', user, fixture.plain);
  await set({ usedTraffic: 900, pastTraffic: 50 });
  revision = await currentRevision(fixture.manager);
});

describe('PUT /api/user/{username}/from_template', () => {
  it('applies all terms of the template, and keeps name, owner and credentials', async () => {
    const user_template_id = await fixture.template({
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
      version: expect.any(String),
    };
    expect({ status, body }).toEqual({ status: 200, body: changed });
    const start = Date.parse(Reflect.get(Object(body), 'expire')) - 30 * DAY * 1000;
    expect([start >= earliest, start <= Date.now()]).toEqual([true, true]);
    expect(await get()).toEqual(body);
    expect(await nodeChanges()).toEqual([[`${before.id}.${username}`, [TAG]]]);
    expect(await resets()).toEqual([]);
  });

  it('keeps flow and method when the template does not set them', async () => {
    const proxy_settings = { vless: { flow: 'xtls-rprx-vision' }, shadowsocks: { method: 'aes-128-gcm' } };
    await fixture.management.call('PUT', `/api/user/${username}`, { proxy_settings });
    const kept = (await get()).proxy_settings;
    expect(await apply({ user_template_id: await fixture.template() })).toMatchObject({
      status: 200,
      body: { proxy_settings: kept, data_limit: 0, expire: 0, data_limit_reset_strategy: 'no_reset' },
    });
  });

  it('puts the user on hold', async () => {
    const user_template_id = await fixture.template({
      status: 'on_hold',
      expire_duration: DAY,
      on_hold_timeout: 7 * DAY,
    });
    const earliest = Date.now();
    const { body } = await apply({ user_template_id });
    expect(body).toMatchObject({ status: 'on_hold', expire: 0, on_hold_expire_duration: DAY });
    const start = Date.parse(Reflect.get(Object(body), 'on_hold_timeout')) - 7 * DAY * 1000;
    expect([start >= earliest, start <= Date.now()]).toEqual([true, true]);
  });

  it.each(['disabled', 'expired', 'limited', 'on_hold'] as const)('makes a user active that was %s', async (status) => {
    await set({ status, onHoldExpireDuration: status === 'on_hold' ? DAY : null });
    expect(await apply({ user_template_id: await fixture.template() })).toMatchObject({
      status: 200,
      body: { status: 'active', expire: 0, on_hold_expire_duration: null, on_hold_timeout: null },
    });
  });

  it('limits a user at once whose used traffic exceeds the new limit', async () => {
    expect(await apply({ user_template_id: await fixture.template({ data_limit: 900 }) })).toMatchObject({
      status: 200,
      body: { status: 'limited', used_traffic: 900, lifetime_used_traffic: 950 },
    });
    expect(await nodeChanges()).toEqual([[`${before.id}.${username}`, []]]);
  });

  it('resets the traffic with its history if the template says so', async () => {
    const history = () =>
      fixture.manager.query('SELECT used_traffic FROM node_user_usages WHERE user_id = $1', [before.id]);
    const hour = await currentUsageHour(fixture.manager);
    await fixture.manager.insert(NodeUserUsage, { userId: Number(before.id), hour, nodeId: 1, usedTraffic: 900 });
    expect(await apply({ user_template_id: await fixture.template({ data_limit: 901 }) })).toMatchObject({
      status: 200,
    });
    expect(await history()).toEqual([{ used_traffic: '900' }]);
    expect(
      await apply({ user_template_id: await fixture.template({ data_limit: 900, reset_usages: true }) }),
    ).toMatchObject({
      status: 200,
      body: { status: 'active', used_traffic: 0, lifetime_used_traffic: 950 },
    });
    expect(await resets()).toEqual([expect.objectContaining({ usedTraffic: 900, resetAt: expect.any(Date) })]);
    expect(await history()).toEqual([]);
  });

  it('removes all groups when the template has none left', async () => {
    const user_template_id = await fixture.template();
    await fixture.management.call('PUT', `/api/user_template/${user_template_id}`, { group_ids: [] });
    expect(await apply({ user_template_id })).toMatchObject({ status: 200, body: { group_ids: [] } });
    expect(await nodeChanges()).toEqual([[`${before.id}.${username}`, []]]);
  });

  it.each([
    [{}, 'a friend'],
    [{ note: 'another' }, 'another'],
    [{ note: null }, null],
    [{ note: '' }, null],
  ])('with %j leaves the note %j', async (more, note) => {
    expect(await apply({ user_template_id: await fixture.template(), ...more })).toMatchObject({
      status: 200,
      body: { note },
    });
  });

  it('tells nodes nothing when nothing changes for them', async () => {
    expect(await apply({ user_template_id: await fixture.template({ data_limit: GB }) })).toMatchObject({
      status: 200,
    });
    expect(await nodeChanges()).toEqual([]);
  });

  it('is also PUT /api/user/from_template/{username}, for the owner of the user', async () => {
    const user_template_id = await fixture.template({ data_limit: GB });
    const url = `/api/user/from_template/${username}`;
    expect(await fixture.management.call('PUT', url, { user_template_id }, fixture.plain)).toMatchObject({
      status: 200,
      body: { username, data_limit: GB, admin: { username: 'plain' } },
    });
  });

  it('writes one audit entry without credentials', async () => {
    const user_template_id = await fixture.template({ data_limit: GB, extra_settings: { method: 'aes-256-gcm' } });
    await apply({ user_template_id }, fixture.plain);
    const url = `/api/audit?target=user/${username}&limit=1`;
    expect((await fixture.management.call('GET', url)).body).toMatchObject({
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
    expect(await currentRevision(fixture.manager)).toBe(revision);
  };

  it.each([
    [{ user_template_id: undefined }, { user_template_id: 'Field required' }],
    [{ user_template_id: '1' }, { user_template_id: 'Input should be an integer from 1 to 2147483647' }],
    [{ note: 'x'.repeat(501) }, { note: 'Input should have at most 500 characters' }],
  ])('refuses %j', async (more, detail) => {
    const request = { user_template_id: await fixture.template(), ...more };
    expect(await apply(request)).toEqual(invalid(detail));
    await unchanged();
  });

  it('refuses an unknown and a disabled template', async () => {
    const disabled = await fixture.template({ is_disabled: true, reset_usages: true, group_ids: [2] });
    expect(await apply({ user_template_id: 4711 })).toEqual(TEMPLATE_NOT_FOUND);
    expect(await apply({ user_template_id: disabled })).toEqual(TEMPLATE_DISABLED);
    await unchanged();
  });

  it("refuses another admin's user and an unknown one", async () => {
    const user_template_id = await fixture.template({ reset_usages: true });
    await set({ adminId: 1 });
    expect(await apply({ user_template_id }, fixture.plain)).toEqual({
      status: 403,
      body: { detail: "You're not allowed", code: 'FORBIDDEN' },
    });
    await unchanged();
    expect(await fixture.management.call('PUT', '/api/user/nobody/from_template', { user_template_id })).toEqual({
      status: 404,
      body: { detail: 'User not found', code: 'USER_NOT_FOUND' },
    });
  });
});
