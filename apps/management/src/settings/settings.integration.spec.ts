import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createDataSource } from '../app/data-source.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { SettingsService } from './settings.service.js';
import { DEFAULT_RULES } from './subscription-rule.dto.js';

const GENERAL = { default_flow: '', default_method: 'chacha20-ietf-poly1305' };
const SUBSCRIPTION = {
  url_prefix: '',
  update_interval: 12,
  support_url: '',
  profile_title: 'Subscription',
  logo: '',
  announce: '',
  announce_url: '',
  server_ip: '',
  server_ipv6: '',
  host_status_filter: true,
  randomize_order: false,
  disable_sub_template: false,
  rules: DEFAULT_RULES.map(({ pattern, target }) => ({ pattern, target })),
  manual_sub_request: {
    links: true,
    links_base64: true,
    xray: true,
    sing_box: true,
    clash: true,
    clash_meta: true,
    outline: true,
  },
  applications: [],
};

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());
beforeEach(async () => {
  await management.call('PUT', '/api/settings', { subscription: {}, general: {} });
});

const put = (body: unknown) => management.call('PUT', '/api/settings', body);
const get = () => management.call('GET', '/api/settings');

describe('GET /api/settings', () => {
  it('returns defaults for what was never saved', async () => {
    await management.database.query('DELETE FROM settings');
    await management.database.query(`UPDATE counters SET value = value + 1 WHERE name = 'config'`);
    expect(await get()).toEqual({ status: 200, body: { subscription: SUBSCRIPTION, general: GENERAL } });
  });
});

describe('GET /api/settings/general', () => {
  it('is readable for every admin, unlike the other sections', async () => {
    const plain = { username: 'plain', password: SUDO.password, is_sudo: false };
    expect((await management.call('POST', '/api/admin', plain)).status).toBe(201);
    const token = await management.login('plain', SUDO.password);
    const forbidden = { status: 403, body: { detail: "You're not allowed", code: 'FORBIDDEN' } };
    expect(await management.call('GET', '/api/settings/general', undefined, token)).toEqual({
      status: 200,
      body: GENERAL,
    });
    expect(await management.call('GET', '/api/settings', undefined, token)).toEqual(forbidden);
    expect(await management.call('PUT', '/api/settings', { general: {} }, token)).toEqual(forbidden);
  });
});

describe('PUT /api/settings', () => {
  it('replaces the sections that are given and leaves the others', async () => {
    const general = { default_flow: 'xtls-rprx-vision', default_method: 'aes-256-gcm' };
    expect(await put({ general })).toEqual({
      status: 200,
      body: { subscription: SUBSCRIPTION, general, warnings: [] },
    });
    const subscription = {
      ...SUBSCRIPTION,
      url_prefix: 'https://*.xn--e1afmkfd.example/x',
      announce: 'news',
      rules: [{ pattern: '.*', target: 'block', response_headers: { 'x-why': 'no', routing: 'é' } }],
      manual_sub_request: { ...SUBSCRIPTION.manual_sub_request, xray: false },
    };
    const { rules, announce } = subscription;
    const sent = {
      url_prefix: 'https://*.Пример.example/x/',
      announce,
      rules,
      manual_sub_request: { xray: false },
    };
    const after = { status: 200, body: { subscription, general } };
    expect(await put({ subscription: sent, general: null })).toEqual({
      ...after,
      body: { ...after.body, warnings: [] },
    });
    expect(await get()).toEqual(after);
    expect(await put({ subscription: {} })).toEqual({
      status: 200,
      body: { subscription: SUBSCRIPTION, general, warnings: [] },
    });
  });

  it('warns about sections of unsupported features, and does not store them', async () => {
    const more = { telegram: { enable: true, token: 'x' }, discord: {}, webhook: null, notification_enable: 5 };
    expect(await put({ ...more, subscription: { more: 1 } })).toEqual({
      status: 200,
      body: {
        subscription: SUBSCRIPTION,
        general: GENERAL,
        warnings: ['telegram', 'discord', 'notification_enable'].map((path) => ({
          path,
          code: 'no_effect',
          message: `${path} is not stored and has no effect: Rampart does not have this feature yet`,
        })),
      },
    });
    const stored = await management.database.query('SELECT section FROM settings ORDER BY section');
    expect(stored).toEqual([{ section: 'general' }, { section: 'subscription' }]);
    expect(await put({ webhook: { enable: true, webhooks: [{ url: 'https://bot.example/hook' }] } })).toMatchObject({
      status: 200,
      body: {
        warnings: [
          {
            ...{ path: 'webhook', code: 'no_effect' },
            message: 'webhook is not stored and has no effect: Rampart does not have this feature yet',
          },
        ],
      },
    });
  });

  const PATTERN = 'Input should be a short regular expression (RE2) without look-around and back-references';
  const HEADERS = 'Input should map header names to strings without line breaks and other control characters';
  const URL = 'Input should be an http or https URL';
  const LOGO = 'Input should be a picture as a data: URL, such as data:image/png;base64,iVBORw0KGgo=';
  const APPLICATION = { name: 'a', platform: 'ios' };

  it.each<[unknown, Record<string, string>]>([
    [{ subscription: 5 }, { subscription: 'Input should be an object' }],
    [{ subscription: { url_prefix: null } }, { 'subscription.url_prefix': 'Input should be a string' }],
    [{ subscription: { url_prefix: 'panel.example' } }, { 'subscription.url_prefix': `${URL} without query` }],
    [{ subscription: { url_prefix: 'https://a.example/?b' } }, { 'subscription.url_prefix': `${URL} without query` }],
    [
      { subscription: { update_interval: 0 } },
      { 'subscription.update_interval': 'Input should be an integer from 1 to 8760' },
    ],
    [{ subscription: { support_url: 'javascript:alert(1)' } }, { 'subscription.support_url': URL }],
    [{ subscription: { support_url: 'https://a:b@c.example' } }, { 'subscription.support_url': URL }],
    [
      { subscription: { profile_title: '{USER}' } },
      { 'subscription.profile_title': expect.stringMatching(/^Unknown variable/) as never },
    ],
    [{ subscription: { profile_title: '' } }, { 'subscription.profile_title': 'Field required' }],
    ...[
      'https://logo.example/a.png',
      'data:text/html;base64,PGI+',
      'data:image/png,x',
      'data:image/png;base64,"x"',
    ].map((logo): [unknown, Record<string, string>] => [{ subscription: { logo } }, { 'subscription.logo': LOGO }]),
    [
      { subscription: { logo: `data:image/png;base64,${'A'.repeat(5979)}` } },
      { 'subscription.logo': 'Input should have at most 6000 characters' },
    ],
    [
      { subscription: { announce: 'x'.repeat(129) } },
      { 'subscription.announce': 'Input should have at most 128 characters' },
    ],
    [{ subscription: { server_ip: '::1' } }, { 'subscription.server_ip': 'Input should be an IPv4 address' }],
    [{ subscription: { server_ipv6: '1.2.3.4' } }, { 'subscription.server_ipv6': 'Input should be an IPv6 address' }],
    [
      { subscription: { host_status_filter: 'no' } },
      { 'subscription.host_status_filter': 'Input should be true or false' },
    ],
    [
      { subscription: { manual_sub_request: { links: 1 } } },
      { 'subscription.manual_sub_request.links': 'Input should be true or false' },
    ],
    [
      { subscription: { manual_sub_request: null } },
      { 'subscription.manual_sub_request': 'Input should be an object' },
    ],
    [{ subscription: { rules: {} } }, { 'subscription.rules': 'Input should be a list of at most 100 objects' }],
    [
      { subscription: { rules: Array(101).fill({}) } },
      { 'subscription.rules': 'Input should be a list of at most 100 objects' },
    ],
    [
      { subscription: { rules: [{ pattern: 'a', target: 'x' }] } },
      { 'subscription.rules.0.target': expect.stringMatching(/^Input should be one of 'links'/) as never },
    ],
    [
      {
        subscription: {
          rules: [
            { pattern: 'a', target: 'links' },
            { pattern: '(?=a)b', target: 'links' },
          ],
        },
      },
      { 'subscription.rules.1.pattern': PATTERN },
    ],
    [
      { subscription: { rules: [{ pattern: '(a)\\1', target: 'links' }] } },
      { 'subscription.rules.0.pattern': PATTERN },
    ],
    [
      { subscription: { rules: [{ pattern: 'a', target: 'links', response_headers: { a: 'b\r\nc: d' } }] } },
      { 'subscription.rules.0.response_headers': HEADERS },
    ],
    [
      { subscription: { rules: [{ pattern: 'a', target: 'links', response_headers: { 'Content-Length': '1' } }] } },
      { 'subscription.rules.0.response_headers': HEADERS },
    ],
    [
      { subscription: { rules: [{ pattern: 'a', target: 'links', response_headers: { a: 1 } }] } },
      { 'subscription.rules.0.response_headers': HEADERS },
    ],
    [
      { subscription: { rules: [{ pattern: 'a', target: 'links', response_headers: { a: 'b', c: '{"d"' } }] } },
      { 'subscription.rules.0.response_headers': 'Stray { at 0: write {{ for a brace' },
    ],
    [
      { subscription: { rules: [{ pattern: 'a', target: 'links', response_headers: { a: '{USER}' } }] } },
      { 'subscription.rules.0.response_headers': expect.stringMatching(/^Unknown variable {USER}/) as never },
    ],
    [{ subscription: { applications: [{ name: 'a' }] } }, { 'subscription.applications.0.platform': 'Field required' }],
    [
      { subscription: { applications: [{ ...APPLICATION, import_url: 'app://x' }] } },
      { 'subscription.applications.0.import_url': 'Input should be the address of an application with {url} in it' },
    ],
    [
      { subscription: { applications: [{ ...APPLICATION, import_url: 'javascript:{url}' }] } },
      { 'subscription.applications.0.import_url': 'Input should be the address of an application with {url} in it' },
    ],
    [
      { subscription: { applications: [1, 2].map(() => ({ ...APPLICATION, recommended: true })) } },
      { 'subscription.applications': 'Only one application can be recommended for a platform' },
    ],
    [
      {
        subscription: {
          applications: [{ ...APPLICATION, download_links: [{ name: 'x', url: 'ftp://a', language: 'en' }] }],
        },
      },
      { 'subscription.applications.0.download_links.0.url': URL },
    ],
    [
      { general: { default_flow: 'fast' } },
      { 'general.default_flow': "Input should be one of '', 'xtls-rprx-vision'" },
    ],
    [
      { general: { default_method: null } },
      { 'general.default_method': expect.stringMatching(/^Input should be one of/) as never },
    ],
  ])('refuses %j and saves nothing of it', async (body, detail) => {
    const sent = { general: { default_method: 'aes-128-gcm' }, ...Object(body) };
    expect(await put(sent)).toEqual({ status: 422, body: { detail, code: 'INVALID_FIELDS' } });
    expect((await get()).body).toEqual({ subscription: SUBSCRIPTION, general: GENERAL });
  });

  it('stores applications', async () => {
    const application = {
      name: 'Client',
      icon_url: '',
      import_url: 'client://install?url={url}',
      description: { fa: '', en: 'A client', ru: '', zh: '' },
      recommended: true,
      platform: 'android',
      download_links: [{ name: 'here', url: 'https://client.example/', language: 'en' }],
    };
    const applications = [application, { ...application, platform: 'ios' }];
    expect((await put({ subscription: { applications } })).body).toMatchObject({ subscription: { applications } });
  });

  it('changes the defaults of new users, and leaves existing users alone', async () => {
    await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP'] });
    const create = (username: string, more: object = {}) =>
      management.call('POST', '/api/user', { username, group_ids: [1], ...more });
    await create('before');
    await put({ general: { default_flow: 'xtls-rprx-vision', default_method: 'aes-256-gcm' } });
    expect((await create('after')).body).toMatchObject({
      proxy_settings: { vless: { flow: 'xtls-rprx-vision' }, shadowsocks: { method: 'aes-256-gcm' } },
    });
    expect((await create('own', { proxy_settings: { vless: { flow: '' } } })).body).toMatchObject({
      proxy_settings: { vless: { flow: '' }, shadowsocks: { method: 'aes-256-gcm' } },
    });
    expect((await management.call('GET', '/api/user/before')).body).toMatchObject({
      proxy_settings: { vless: { flow: '' }, shadowsocks: { method: 'chacha20-ietf-poly1305' } },
    });
  });

  it('is recorded in the audit log', async () => {
    await put({ subscription: { announce: 'new' } });
    const [row] = await management.database.query('SELECT * FROM audit_entries ORDER BY id DESC LIMIT 1');
    expect(row).toMatchObject({
      actor: 'root',
      action: 'settings.modify',
      target: 'settings',
      difference: { 'subscription.announce': { before: '', after: 'new' } },
    });
  });
});

describe('stored settings', () => {
  it('reach another replica at once', async () => {
    const { options } = management.database;
    const other = createDataSource('url' in options ? String(options.url) : '');
    await other.initialize();
    const replica = new SettingsService(other);
    expect((await replica.general()).default_method).toBe('chacha20-ietf-poly1305');
    await put({ general: { default_method: 'aes-256-gcm' } });
    expect((await replica.general()).default_method).toBe('aes-256-gcm');
    await replica.modify({ general: { default_flow: '', default_method: 'aes-128-gcm' } });
    expect((await get()).body).toMatchObject({ general: { default_method: 'aes-128-gcm' } });
    await other.destroy();
  });

  it.each(['5', 'null', '"text"', '[]', '{"rules":[{"pattern":"("}]}', '{"url_prefix":7}'])(
    'have their defaults, and a line in the log, when what is stored is %s',
    async (damaged) => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      await management.database.query(`UPDATE settings SET value = $1 WHERE section = 'subscription'`, [damaged]);
      await management.database.query(`UPDATE counters SET value = value + 1 WHERE name = 'config'`);
      expect((await get()).body).toEqual({ subscription: SUBSCRIPTION, general: GENERAL });
      expect(warn.mock.calls).toEqual([
        [expect.stringMatching(/^the stored settings section subscription is damaged/)],
      ]);
      warn.mockRestore();
      expect((await management.call('GET', '/api/users?load_sub=true')).status).toBe(200);
    },
  );
});
