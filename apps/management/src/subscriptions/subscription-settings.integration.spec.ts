import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SUDO, TestManagement } from '../testing/test-management.js';

let management: TestManagement;
let token: string;
beforeAll(async () => {
  management = await TestManagement.start();
  await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP'] });
  for (let priority = 0; priority < 6; priority++) {
    const host = {
      remark: `h${priority} {SERVER_IP} {SERVER_IPV6}`,
      inbound_tag: 'Shadowsocks TCP',
      address: ['a'],
      priority,
    };
    await management.call('POST', '/api/host', { ...host, ...(priority === 5 && { status: ['expired'] }) });
  }
  const { body } = await management.call('POST', '/api/user', { username: 'alice', group_ids: [1] });
  token = urlOf(body).slice('https://panel.example/sub/'.length);
});
afterAll(() => management?.close());
beforeEach(async () => {
  await management.call('PUT', '/api/settings', { subscription: {} });
});

const save = async (subscription: object) =>
  expect((await management.call('PUT', '/api/settings', { subscription })).status).toBe(200);
const subscription = (path = '') => management.request('GET', `/sub/${token}${path}`, undefined, '');
const names = async () =>
  (await subscription('/links')).text
    .split('\n')
    .flatMap((link) => (link ? decodeURIComponent(new URL(link).hash.slice(1)) : []));
const urlOf = (user: unknown) => String(Reflect.get(Object(user), 'subscription_url'));
const shownUrl = async () => urlOf((await management.call('GET', '/api/user/alice')).body);

describe('the settings of subscriptions', () => {
  it('the settings determine the headers of a subscription', async () => {
    await save({
      profile_title: 'For {USERNAME}',
      update_interval: 3,
      support_url: 'https://help.example',
      announce: 'новости',
    });
    expect((await subscription()).headers).toMatchObject({
      'profile-title': `base64:${Buffer.from('For alice').toString('base64')}`,
      'profile-update-interval': '3',
      'support-url': 'https://help.example/',
      announce: `base64:${Buffer.from('новости').toString('base64')}`,
    });
  });

  it('the settings determine the URL of every subscription', async () => {
    await save({ url_prefix: 'https://sub.example/x/' });
    const url = `https://sub.example/x/sub/${token}`;
    expect(await shownUrl()).toBe(url);
    expect((await subscription()).headers['profile-web-page-url']).toBe(url);
    expect((await management.call('GET', '/api/users?load_sub=true')).body).toMatchObject({
      users: [{ subscription_url: url }],
    });
    await save({});
    expect(await shownUrl()).toBe(`https://panel.example/sub/${token}`);
  });

  it('a wildcard in the URL prefix is replaced by a constant salt', async () => {
    await save({ url_prefix: 'https://*.example' });
    const url = await shownUrl();
    expect(url).toMatch(/^https:\/\/[\da-f]{16}\.example\/sub\//);
    expect(await shownUrl()).toBe(url);
    expect((await subscription()).headers['profile-web-page-url']).toBe(url);
  });

  it("subscription settings of the user's admin take precedence over the general ones", async () => {
    await save({ url_prefix: 'https://all.example', profile_title: 'all', support_url: 'https://all.example' });
    const own = { sub_domain: 'https://own.example', profile_title: 'own', support_url: 'https://own.example/help' };
    const made = await management.call('POST', '/api/admin', { ...SUDO, username: 'owner', is_sudo: false, ...own });
    expect(made.status).toBe(201);
    const owner = await management.login('owner', SUDO.password);
    const { body } = await management.call('POST', '/api/user', { username: 'bob', group_ids: [1] }, owner);
    const url = urlOf(body);
    expect(url).toMatch(/^https:\/\/own\.example\/sub\//);
    const { headers } = await management.request('GET', new URL(url).pathname, undefined, '');
    expect(headers).toMatchObject({
      'profile-web-page-url': url,
      'profile-title': `base64:${Buffer.from('own').toString('base64')}`,
      'support-url': 'https://own.example/help',
    });
    const template = { name: 't', group_ids: [1], status: 'active' };
    const { body: stored } = await management.call('POST', '/api/user_template', template);
    const many = { user_template_id: Reflect.get(Object(stored), 'id'), count: 1, strategy: 'random' };
    expect((await management.call('POST', '/api/users/bulk/from_template', many, owner)).body).toEqual({
      subscription_urls: [expect.stringMatching(/^https:\/\/own\.example\/sub\//)],
      created: 1,
    });
  });

  it('the settings determine the addresses of the server', async () => {
    await save({ server_ip: '192.0.2.1', server_ipv6: '2001:db8::1' });
    expect((await names())[0]).toBe('h0 192.0.2.1 [2001:db8::1]');
  });

  it('the settings disable the paths of single formats', async () => {
    await save({ manual_sub_request: { links: false } });
    expect(await subscription('/links')).toMatchObject({
      status: 406,
      text: '{"detail":"Client not supported","code":"FORMAT_DISABLED"}',
    });
    expect((await subscription('/xray')).status).toBe(200);
    expect((await subscription()).status).toBe(200);
    const notFound = { status: 404, text: '{"detail":"Not Found","code":"NOT_FOUND"}' };
    expect(await management.request('GET', '/sub/x/links', undefined, '')).toMatchObject(notFound);
  });

  it('the settings can show hosts regardless of the status', async () => {
    await save({ server_ip: '1.1.1.1', server_ipv6: '::1' });
    const shown = (numbers: number[]) => numbers.map((number) => `h${number} 1.1.1.1 [::1]`);
    expect(await names()).toEqual(shown([0, 1, 2, 3, 4]));
    await save({ server_ip: '1.1.1.1', server_ipv6: '::1', host_status_filter: false });
    expect(await names()).toEqual(shown([0, 1, 2, 3, 4, 5]));
  });

  it('the settings can shuffle the order of hosts', async () => {
    const inOrder = await names();
    await save({ randomize_order: true });
    const orders = await Promise.all(Array.from({ length: 20 }, names));
    for (const order of orders) expect(order.toSorted()).toEqual(inOrder.toSorted());
    expect(new Set(orders.map(String)).size).toBeGreaterThan(1);
  });
});
