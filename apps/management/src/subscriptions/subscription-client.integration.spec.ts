import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { TestManagement } from '../testing/test-management.js';
import { insertUsageHours } from '../usage/testing/usage-fixture.js';
import { PAGE_POLICY, PAGE_POLICY_WITH_LOGO } from './page/subscription-page.js';
import { SubscriptionUpdateRecorder } from './updates/subscription-update-recorder.js';
import { UpdateTiming } from './updates/update-timing.js';

const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0 (Android 16; Mobile)',
};
const NOT_FOUND = '{"detail":"Not Found","code":"NOT_FOUND"}';
const BLOCKED = { status: 406, text: '{"detail":"Client not supported","code":"CLIENT_BLOCKED"}' };

let management: TestManagement;
let path: string;
beforeAll(async () => {
  management = await TestManagement.start();
  await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP'] });
  const host = { remark: 'Berlin', inbound_tag: 'Shadowsocks TCP', address: ['192.0.2.7'], priority: 1 };
  await management.call('POST', '/api/host', host);
  const { body } = await management.call('POST', '/api/user', {
    username: 'alice',
    group_ids: [1],
    note: 'pays late',
    auto_delete_in_days: 3,
  });
  path = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
});
afterAll(() => management?.close());
beforeEach(() => save({}));

async function save(subscription: object): Promise<void> {
  expect(await management.call('PUT', '/api/settings', { subscription })).toMatchObject({ status: 200 });
}

async function ask(url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const answer = await management.app.inject({ method, url, headers });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
}

const typeFor = async (userAgent: string, url = path) =>
  (await ask(url, { 'user-agent': userAgent })).headers['content-type'];

describe('the format of a subscription', () => {
  it.each([
    ['mihomo/1.19.2', 'text/yaml; charset=utf-8', /^ {2}- \{?"?name"?: ?"Berlin"/m],
    ['SFA/1.12.0 (1; sing-box 1.12.0)', 'application/json; charset=utf-8', /"server":"192\.0\.2\.7"/],
    ['Outline/1.9', 'application/json; charset=utf-8', /^\{"server":"192\.0\.2\.7"/],
    ['InHive/2', 'application/json; charset=utf-8', /^\[\{"remarks":"Berlin"/],
    ['v2rayNG/1.10', 'text/plain; charset=utf-8', /^[\w+/]+=*$/],
    ['', 'text/plain; charset=utf-8', /^[\w+/]+=*$/],
  ])('depends on the User-Agent %j', async (userAgent, type, body) => {
    const { status, headers, text } = await ask(path, { 'user-agent': userAgent, accept: '*/*' });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type });
    expect(text).toMatch(body);
    expect(headers['subscription-userinfo']).toBe('upload=0; download=0; total=0; expire=0');
  });

  it('a subscription depends on the version of sing-box', async () => {
    const dns = async (userAgent: string, url = path) =>
      JSON.parse((await ask(url, { 'user-agent': userAgent })).text).dns;
    const old = { tag: 'remote', address: 'https://1.1.1.1/dns-query', detour: 'proxy' };
    const current = { type: 'https', tag: 'remote', server: '1.1.1.1', detour: 'proxy' };
    expect((await dns('sing-box 1.11.15')).servers[0]).toEqual(old);
    expect((await dns('SFI/1.11.4', `${path}/sing_box`)).servers[0]).toEqual(old);
    expect((await dns('sing-box 1.12.0')).servers[0]).toEqual(current);
    expect((await dns('Hiddify/2.0')).servers[0]).toEqual(current);
  });

  it('new rules apply as soon as they are saved, and their headers replace the default ones', async () => {
    await save({
      rules: [
        {
          pattern: 'Mine/\\d',
          target: 'xray',
          response_headers: { 'X-Routing': '{{{USERNAME}}}', 'Profile-Title': 'mine {STATUS_EMOJI}' },
        },
        { pattern: '.*', target: 'links' },
      ],
    });
    const { headers } = await ask(path, { 'user-agent': 'Mine/2' });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-routing': '{alice}',
      'profile-title': `base64:${Buffer.from('mine ✅').toString('base64')}`,
      'cache-control': 'no-store',
    });
    expect((await ask(path, { 'user-agent': 'Other' })).headers).toMatchObject({
      'profile-title': 'base64:U3Vic2NyaXB0aW9u',
    });
    expect(await typeFor('Mine/2', `${path}/links`)).toBe('text/plain; charset=utf-8');
  });

  it('a subscription is refused to clients that a rule blocks or that match no rule', async () => {
    await save({
      rules: [
        { pattern: 'Bad', target: 'block' },
        { pattern: 'Good', target: 'links' },
      ],
    });
    expect(await ask(path, { 'user-agent': 'Bad/1' })).toMatchObject(BLOCKED);
    expect(await ask(path, { ...BROWSER, 'user-agent': 'Bad/1' })).toMatchObject(BLOCKED);
    expect(await ask(path, { 'user-agent': 'Unknown/1' })).toMatchObject(BLOCKED);
    expect((await ask(path, { 'user-agent': 'Good/1' })).status).toBe(200);
    expect((await ask(path, BROWSER)).status).toBe(200);
  });

  it('security row 10: only 256 bytes of the User-Agent are matched', async () => {
    await save({
      rules: [
        { pattern: '.*end', target: 'block' },
        { pattern: '.*', target: 'links' },
      ],
    });
    expect(await ask(path, { 'user-agent': `${'x'.repeat(253)}end` })).toMatchObject(BLOCKED);
    expect((await ask(path, { 'user-agent': `${'x'.repeat(254)}end` })).status).toBe(200);
  });

  it('a subscription takes one query while no configuration changes, and a page one more for its chart', async () => {
    // The pause after the next write of fetches is longer than the test.
    Object.assign(management.app.get(UpdateTiming), { minPauseMs: 600_000, maxPauseMs: 600_000 });
    await ask(path);
    await ask(path, BROWSER);
    await management.app.get(SubscriptionUpdateRecorder).write();
    const connect = jest.spyOn(pg.Pool.prototype, 'connect');
    for (const [end, headers, queries] of [
      ['', {}, 1],
      ['', BROWSER, 2],
      ['/sing_box', {}, 1],
    ] as const) {
      await ask(`${path}${end}`, headers);
      expect([end, connect.mock.calls.length]).toEqual([end, queries]);
      connect.mockClear();
    }
    connect.mockRestore();
  });

  it('security row 12: a subscription comes from templates that nobody can set', async () => {
    await save({ sub_template: 'x: &a [1]', clash_template: 'x: &a [1]' });
    const { body } = await management.call('GET', '/api/settings');
    expect(JSON.stringify(body)).not.toContain('&a');
  });
});

describe('hosts for a status', () => {
  it('show users why they are not served, with the values of all variables', async () => {
    const host = { inbound_tag: 'Shadowsocks TCP', address: ['192.0.2.1'], priority: 0 };
    const remark = '{STATUS_EMOJI} {USERNAME}: ask {ADMIN_USERNAME}';
    await management.call('POST', '/api/host', { ...host, remark, status: ['disabled', 'limited'] });
    const { body } = await management.call('POST', '/api/user', { username: 'unpaid', group_ids: [1] });
    await management.call('PUT', '/api/user/unpaid', { status: 'disabled' });
    const url = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
    const names = (await ask(`${url}/links`)).text.split('\n').map((link) => decodeURIComponent(new URL(link).hash));
    expect(names).toEqual(['#❌ unpaid: ask root', '#Berlin']);
  });
});

describe('many concurrent requests', () => {
  it('each get their own subscription, in every format (clients.md 55)', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `user-${at}`);
    const paths = await Promise.all(
      names.map(async (username) => {
        const proxy_settings = {
          shadowsocks: { method: 'aes-256-gcm', password: `the secret password of ${username}` },
        };
        const { body } = await management.call('POST', '/api/user', { username, group_ids: [1], proxy_settings });
        return new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
      }),
    );
    for (const format of ['links', 'xray', 'sing_box', 'clash', 'clash_meta', 'outline']) {
      const answers = await Promise.all([...paths, ...paths].map((one) => ask(`${one}/${format}`)));
      for (const [at, { headers, text }] of answers.entries()) {
        const username = names[at % names.length];
        const plain = text.replace(/(?<=ss:\/\/)[\w-]+/, (user) => Buffer.from(user, 'base64url').toString());
        const passwords = plain.match(/password of user-\d+/g);
        expect([format, passwords]).toEqual([format, [`password of ${username}`]]);
        expect(headers['content-disposition']).toBe(`attachment; filename="${username}"`);
      }
    }
  });
});

describe('the subscription page', () => {
  it('is returned to browsers, with its own policy and without headers for applications', async () => {
    const { status, headers, text } = await ask(path, BROWSER);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(
      Object.keys(headers).filter((name) => /^(profile|subscription|content-disposition|announce)/.test(name)),
    ).toEqual([]);
    expect(text).toContain('<html lang="en" dir="ltr" ');
    expect(text).toContain('<title>Your subscription</title>');
    expect(text).toContain(`<code id="subscription">https://panel.example${path}</code>`);
    expect(text).toMatch(/<bdi>Berlin<\/bdi>[\s\S]*<code id="link-0">ss:\/\/[^<]+@192\.0\.2\.7:1080#Berlin<\/code>/);
    expect(text).toContain(`href="happ://add/https://panel.example${path}"`);
  });

  it('uses the requested language, or the preferred one', async () => {
    const language = async (url: string, languages = '') =>
      /<html lang="(..)"/.exec((await ask(url, { ...BROWSER, 'accept-language': languages })).text)?.[1];
    expect(await language(path, 'fa-IR,en')).toBe('fa');
    expect(await language(`${path}?lang=en`, 'fa-IR')).toBe('en');
    expect(await language(`${path}/?lang=fa`)).toBe('fa');
    expect(await language(`${path}?lang=xx&lang=fa`, 'fa')).toBe('fa');
    expect(await language(`${path}?lang=xx`)).toBe('en');
    expect(await language(`${path}?lang=zh`, 'ru')).toBe('zh');
    expect(await language(path, 'ru, en')).toBe('ru');
  });

  it('contains texts and applications of the settings', async () => {
    const made = { name: 'Mine', platform: 'ios', import_url: 'mine://add?u={url}', recommended: true };
    const description = { en: 'The best', fa: 'بهترین' };
    const download_links = [
      { name: 'Store', url: 'https://store.example', language: 'en' },
      { name: 'Bazaar', url: 'https://bazaar.example', language: 'fa' },
    ];
    const logo = 'data:image/png;base64,iVBORw0KGgo=';
    await save({
      support_url: 'https://help.example',
      announce: 'News',
      profile_title: 'For {USERNAME}',
      logo,
      applications: [
        { ...made, name: 'Plain', recommended: false },
        { ...made, description, download_links },
        { ...made, name: 'Box', platform: 'appletv' },
      ],
    });
    const { text, headers } = await ask(path, BROWSER);
    const url = encodeURIComponent(`https://panel.example${path}`);
    expect(headers['content-security-policy']).toBe(PAGE_POLICY_WITH_LOGO);
    expect(text).toContain(`<img class="logo" src="${logo}" alt="">`);
    expect(text).toContain('<title>For alice</title>');
    expect(text).toContain('<a href="https://help.example" rel="noreferrer">Support</a>');
    // No application is for Android, so the first platform that has one is shown.
    expect(text).toContain(
      '<a href="?lang=en&amp;os=ios#setup" aria-current="true">iPhone, iPad</a><a href="?lang=en&amp;os=appletv#setup">Apple TV</a></nav>',
    );
    expect(text).toContain(
      '<h3>Install <bdi>Mine</bdi> <small class="tag">recommended</small></h3><p><bdi>The best</bdi></p>',
    );
    expect(text).toContain(`<a class="button main" href="mine://add?u=${url}">Add to <bdi>Mine</bdi></a>`);
    expect(text).toContain('<a class="button" href="https://store.example" rel="noreferrer"><bdi>Store</bdi></a>');
    expect(text).toContain('<summary>Other apps</summary><ul><li><b><bdi>Plain</bdi></b>');
    for (const absent of ['Bazaar', 'happ:', '>Box<']) expect(text).not.toContain(absent);
    const television = (await ask(`${path}?os=appletv&lang=ru`, BROWSER)).text;
    expect(television).toContain('Установите <bdi>Box</bdi>');
    expect((await ask(`${path}?os=ios&lang=ru`, BROWSER)).text).toMatch(/>Store<[\s\S]*>Bazaar</);
  });

  it('shows the platform of the browser first', async () => {
    const shown = async (userAgent: string, query = '') =>
      /aria-current="true">(\w[^<]*)<\/a>.*<\/nav>/.exec(
        (await ask(`${path}${query}`, { ...BROWSER, 'user-agent': userAgent })).text,
      )?.[1];
    expect(await shown('Mozilla/5.0 (Windows NT 10.0; Win64; x64)')).toBe('Windows');
    expect(await shown('Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X)')).toBe('iPhone, iPad');
    expect(await shown('Mozilla/5.0 (Windows NT 10.0; Win64; x64)', '?os=linux')).toBe('Linux');
    expect(await shown('Mozilla/5.0 (Windows NT 10.0; Win64; x64)', '?os=x&os=y')).toBe('Windows');
    expect(await shown('Mozilla/5.0 (Apple TV)')).toBe('Apple TV');
  });

  it('shows what was used on each of the last 30 days in UTC', async () => {
    const { body } = await management.call('POST', '/api/user', { username: 'chart', group_ids: [1] });
    const url = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
    const userId = Number(Reflect.get(Object(body), 'id'));
    expect((await ask(url, BROWSER)).text).toContain('No traffic yet.');
    const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    const hour = (days: number, hours: number) =>
      new Date(midnight - days * 86_400_000 + hours * 3_600_000).toISOString();
    const used = (at: string, nodeId: number, bytes: number) => ({ userId, adminId: 1, nodeId, hour: at, bytes });
    await insertUsageHours(management.database, [
      used(hour(0, 0), 1, 1024),
      used(hour(0, 0), 2, 1024),
      used(hour(29, 0), 1, 3 * 1024),
      used(hour(29, 23), 1, 1024),
      used(hour(30, 23), 1, 99 * 1024),
    ]);
    const { text } = await ask(url, BROWSER);
    expect(text).toContain('In total: <bdi>6 KB</bdi>');
    expect(text).toMatch(/<rect x="0" y="0" height="80"><title>[^<]+: 4 KB<\/title>/);
    expect(text).toMatch(/<rect x="290" y="40" height="40"><title>[^<]+: 2 KB<\/title>/);
    expect(text.match(/class="none"/g)).toHaveLength(28);
  });

  it('is not returned when the settings disable it, or when the path names a format', async () => {
    expect((await ask(`${path}/links`, BROWSER)).headers['content-type']).toBe('text/plain; charset=utf-8');
    await save({ disable_sub_template: true });
    expect((await ask(path, BROWSER)).headers['content-type']).toBe('text/plain; charset=utf-8');
  });
});

describe('information about a subscription', () => {
  it('GET /sub/{token}/info: the user, without internal members', async () => {
    const { body } = await management.call('GET', '/api/user/alice');
    const { admin, note, auto_delete_in_days, subscription_url, version, ...shown } = Object(body);
    expect([note, auto_delete_in_days]).toEqual(['pays late', 3]);
    const { status, text } = await ask(`${path}/info`);
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 200, body: shown });
  });

  it('GET /sub/{token}/usage: the same as an admin sees', async () => {
    const hour = '2026-11-20T10:00:00Z';
    await insertUsageHours(management.database, [{ userId: 1, adminId: 1, nodeId: 1, hour, bytes: 7 }]);
    const query = '?start=2026-11-20&end=2026-11-21&period=day';
    const { status, text } = await ask(`${path}/usage${query}`);
    expect(JSON.parse(text)).toMatchObject({ stats: { '-1': [{ total_traffic: 7 }] } });
    expect({ status, body: JSON.parse(text) }).toEqual(await management.call('GET', `/api/user/alice/usage${query}`));
    expect((await ask(`${path}/usage?period=year`)).status).toBe(422);
  });

  it('GET /sub/{token}/apps: the applications of the settings, with their links', async () => {
    expect((await ask(`${path}/apps`)).text).toBe('[]');
    const mine = { name: 'Mine', platform: 'ios', import_url: 'mine://{url}#{name}' };
    await save({ profile_title: 'a b', applications: [mine, { name: 'Bare', platform: 'linux' }] });
    const description = { fa: '', en: '', ru: '', zh: '' };
    const rest = { icon_url: '', description, recommended: false, download_links: [] };
    expect(JSON.parse((await ask(`${path}/apps`)).text)).toEqual([
      { ...rest, ...mine, import_url: `mine://https://panel.example${path}#a%20b` },
      { ...rest, name: 'Bare', platform: 'linux', import_url: '' },
    ]);
  });

  const EVERY_PATH = ['', '/info', '/usage', '/apps', '/links', '/clash_meta'];

  it.each(EVERY_PATH)(
    '/sub/{token}%s answers HEAD as GET without a body, with and without a slash at the end',
    async (end) => {
      for (const url of [`${path}${end}`, `${path}${end}/`]) {
        const [get, head] = [await ask(url), await ask(url, {}, 'HEAD')];
        expect({ url, status: head.status, text: head.text }).toEqual({ url, status: 200, text: '' });
        for (const name of ['content-type', 'content-length', 'cache-control', 'referrer-policy']) {
          expect([url, name, head.headers[name]]).toEqual([url, name, get.headers[name]]);
        }
      }
    },
  );

  it('security row 3: a bad, a revoked and an unknown token get the same answer, byte for byte', async () => {
    const { body } = await management.call('POST', '/api/user', { username: 'gone', group_ids: [1] });
    const revoked = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
    await management.call('POST', '/api/user/gone/revoke_sub');
    const askWithoutVarying = async (url: string, headers = {}) => {
      const { headers: answered, ...answer } = await ask(url, headers);
      const { date: _date, 'x-request-id': _id, ...same } = answered;
      return { ...answer, headers: same };
    };
    const unknown = await askWithoutVarying('/no/such/route');
    for (const bad of [revoked, '/sub/x', `${path}x`]) {
      for (const end of [...EVERY_PATH, '/usage?period=x', '?lang=x']) {
        for (const headers of [{}, BROWSER]) {
          expect(await askWithoutVarying(`${bad}${end}`, headers)).toEqual(unknown);
        }
      }
    }
    expect(unknown).toMatchObject({ status: 404, text: NOT_FOUND });
  });
});
