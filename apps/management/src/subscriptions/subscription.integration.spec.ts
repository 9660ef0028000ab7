import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { raiseConfigVersion } from '../database/config-version.js';
import { Host } from '../hosts/host.entity.js';
import { SubscriptionLink } from '../keys/subscription-link.js';
import { TestManagement } from '../testing/test-management.js';
import { User } from '../user-store/entities/user.entity.js';
import { UserProxySettings } from '../user-store/entities/user-proxy-settings.entity.js';

const REALITY = {
  inbounds: [
    {
      tag: 'reality',
      port: 443,
      protocol: 'vless',
      settings: { decryption: 'none', flow: 'xtls-rprx-vision' },
      streamSettings: {
        network: 'raw',
        security: 'reality',
        realitySettings: {
          target: 'example.com:443',
          privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
          shortIds: ['ab12'],
          serverNames: ['example.com'],
        },
      },
    },
  ],
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
};

const NOT_FOUND = '{"detail":"Not Found","code":"NOT_FOUND"}';

let management: TestManagement;
let path: string;
beforeAll(async () => {
  management = await TestManagement.start();
  await management.call('POST', '/api/core', { name: 'reality', config: REALITY });
  await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP', 'reality'] });
  const host = (remark: string, inbound_tag: string, more: object) =>
    management.call('POST', '/api/host', { remark, inbound_tag, address: ['192.0.2.7'], ...more });
  await host('second {USERNAME}', 'Shadowsocks TCP', { priority: 2 });
  await host('first {PROTOCOL}', 'reality', { priority: 1 });
  await host('off', 'reality', { priority: 0, is_disabled: true });
  await host('for the expired', 'reality', { priority: 3, status: ['expired'] });
  const { body } = await management.call('POST', '/api/user', {
    username: 'alice',
    group_ids: [1],
    data_limit: 1000,
    expire: 2_000_000_000,
    proxy_settings: {
      vless: { id: 'b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e01' },
      shadowsocks: { password: 'p'.repeat(22) },
    },
  });
  path = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
});
afterAll(() => management?.close());

const get = (url: string) => management.request('GET', url, undefined, '');
const names = async () =>
  (await get(`${path}/links`)).text
    .split('\n')
    .filter(Boolean)
    .map((link) => decodeURIComponent(new URL(link).hash.slice(1)));
const alice = { username: 'alice' };

describe('GET /sub/{token}', () => {
  it('returns the links of all visible hosts by priority', async () => {
    const { status, text } = await get(`${path}/links`);
    const [vless = '', shadowsocks] = text.split('\n');
    expect(status).toBe(200);
    expect(shadowsocks).toBe(
      `ss://${Buffer.from(`chacha20-ietf-poly1305:${'p'.repeat(22)}`).toString('base64url')}@192.0.2.7:1080#second%20alice`,
    );
    const { username, host, searchParams, hash } = new URL(vless);
    expect([username, host, hash]).toEqual(['b4a1cf1c-2f64-4d3c-8a13-6f8f2a2c9e01', '192.0.2.7:443', '#first%20vless']);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      security: 'reality',
      pbk: '7xhH4b_VkliBxGulljcyPOH-bYUA2dl-XAdZAsfhk04',
      sid: 'ab12',
      sni: 'example.com',
      fp: 'chrome',
      flow: 'xtls-rprx-vision',
    });
  });

  it('returns base64 when no format is named, with a trailing slash too', async () => {
    const links = (await get(`${path}/links`)).text;
    for (const url of [path, `${path}/`, `${path}/links_base64`]) {
      const { status, text } = await get(url);
      expect({ url, status, links: Buffer.from(text, 'base64').toString() }).toEqual({ url, status: 200, links });
    }
  });

  it('returns one Xray configuration per host', async () => {
    const { headers, body } = await get(`${path}/xray`);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject([{ remarks: 'first vless' }, { remarks: 'second alice' }]);
  });

  it('tells clients the traffic and forbids caching', async () => {
    const { headers } = await get(path);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="alice"',
      'profile-title': 'base64:U3Vic2NyaXB0aW9u',
      'profile-update-interval': '12',
      'profile-web-page-url': `https://panel.example${path}`,
      'subscription-userinfo': 'upload=0; download=0; total=1000; expire=2000000000',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
  });

  it('answers every bad token and format like an unknown route', async () => {
    const link = management.app.get(SubscriptionLink);
    const [payload, mac = ''] = path.slice('/sub/'.length).split('.');
    const bad = [
      '/sub/x',
      `/sub/${payload}`,
      `/sub/${payload}.`,
      `/sub/${payload}.${mac.slice(0, -1)}`,
      `/sub/${payload}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`,
      `/sub/${payload}=.${mac}`,
      `/sub/${link.token({ userId: 4711, generation: 0 })}`,
      `/sub/${link.token({ userId: 1, generation: 1 })}`,
      `${path}/clash_of_clans`,
      '/no/such/route',
    ];
    for (const url of bad) {
      const { status, text } = await get(url);
      expect({ url, status, text }).toEqual({ url, status: 404, text: NOT_FOUND });
    }
  });

  it('a subscription token becomes invalid with the next generation', async () => {
    const { manager } = management.database;
    await manager.update(User, alice, { subscriptionGeneration: 1 });
    expect(await get(path)).toMatchObject({ status: 404, text: NOT_FOUND });
    await manager.update(User, alice, { subscriptionGeneration: 0 });
    expect((await get(path)).status).toBe(200);
  });

  it('reflects status, groups and hosts at once', async () => {
    const { manager } = management.database;
    expect(await names()).toEqual(['first vless', 'second alice']);
    await manager.update(User, alice, { status: 'expired' });
    expect(await names()).toEqual(['first vless', 'second alice', 'for the expired']);
    await manager.update(User, alice, { status: 'active' });
    await management.call('PUT', '/api/group/1', { is_disabled: true });
    expect(await names()).toEqual([]);
    await management.call('PUT', '/api/group/1', { is_disabled: false, inbound_tags: ['reality'] });
    expect(await names()).toEqual(['first vless']);
    await management.call('POST', '/api/host', { remark: 'new', inbound_tag: 'reality', address: ['a'], priority: 9 });
    expect(await names()).toEqual(['first vless', 'new']);
    await management.call('POST', '/api/group', { name: 'late', inbound_tags: ['Shadowsocks TCP'] });
    await management.call('PUT', '/api/user/alice', { group_ids: [1, 2] });
    expect(await names()).toEqual(['first vless', 'second alice', 'new']);
    expect((await management.call('DELETE', '/api/group/2')).status).toBe(204);
    expect(await names()).toEqual(['first vless', 'new']);
  });

  it('omits a stored host that is no longer valid', async () => {
    await management.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      await manager.insert(Host, { remark: '{', inboundTag: 'reality', address: ['a'], priority: 5 });
      await manager.insert(Host, { remark: 'lost', inboundTag: 'gone', address: ['a'], priority: 6 });
      const security = 'weird' as 'none';
      await manager.insert(Host, { remark: 'odd', inboundTag: 'reality', address: ['a'], priority: 7, security });
    });
    expect(await names()).toEqual(['first vless', 'new']);
    expect((await management.call('GET', '/api/hosts')).status).toBe(200);
  });

  it('omits damaged credentials', async () => {
    const { manager } = management.database;
    const { id: userId } = await manager.findOneByOrFail(User, alice);
    const { proxySettings } = await manager.findOneByOrFail(UserProxySettings, { userId });
    for (const damaged of ['null', '5', '[]', '{"vless":null}', '{"vless":{"id":5,"flow":"fast"}}']) {
      await manager.query('UPDATE user_proxy_settings SET proxy_settings = $1 WHERE user_id = $2', [damaged, userId]);
      for (const format of ['links', 'links_base64', 'xray']) {
        expect({ damaged, format, status: (await get(`${path}/${format}`)).status }).toMatchObject({ status: 200 });
      }
      expect((await management.call('GET', '/api/users')).status).toBe(200);
    }
    await manager.update(UserProxySettings, { userId }, { proxySettings });
  });

  it('answers HEAD like GET, without a body', async () => {
    const { statusCode, headers, payload } = await management.app.inject({ method: 'HEAD', url: `${path}/links` });
    expect({ statusCode, payload }).toEqual({ statusCode: 200, payload: '' });
    expect(headers).toMatchObject({
      'content-length': String((await get(`${path}/links`)).text.length),
      'content-disposition': 'attachment; filename="alice"',
    });
  });
});
