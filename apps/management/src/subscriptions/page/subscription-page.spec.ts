import { describe, expect, it } from '@jest/globals';
import { importLink, KNOWN_APPLICATIONS } from './known-applications.js';
import { HISTORY_DAYS, historyStart } from './page-history.js';
import { PAGE_LANGUAGES, PAGE_TEXTS, type PageLanguage, preferredLanguage } from './page-language.js';
import { PAGE_PLATFORMS, platformOf } from './page-platform.js';
import type { PageApplication, PageSetup } from './page-setup.js';
import { PAGE_POLICY, PAGE_POLICY_WITH_LOGO, renderPage, type SubscriptionPage } from './subscription-page.js';

const HOSTILE = `</script><img src=x onerror="alert('1')">`;
const URL = 'https://panel.example/sub/token';
const GB = 1024 ** 3;

const application = (change: Partial<PageApplication> = {}): PageApplication => ({
  name: 'App',
  importUrl: 'app://add/1',
  recommended: false,
  description: '',
  downloads: [{ name: 'Get', url: 'https://d.example' }],
  ...change,
});

const setup = (change: Partial<PageSetup> = {}): PageSetup => ({
  platform: 'android',
  isGuessed: true,
  platforms: ['android', 'ios'],
  applications: [application()],
  ...change,
});

const page = (change: Partial<SubscriptionPage> = {}): SubscriptionPage => ({
  title: 'My title',
  logo: '',
  username: 'alice',
  status: 'active',
  usedTraffic: 512 * 1024 ** 2,
  dataLimit: GB,
  expire: new Date('2026-12-01T00:00:00Z'),
  now: new Date('2026-11-21T12:00:00Z'),
  url: URL,
  history: new Array<number>(HISTORY_DAYS).fill(0),
  servers: [{ name: 'Germany', link: 'vless://a@b:1#Germany', state: undefined }],
  setup: setup(),
  supportUrl: '',
  announce: '',
  announceUrl: '',
  ...change,
});

const rendered = (change?: Partial<SubscriptionPage>, language: PageLanguage = 'en') =>
  renderPage(page(change), language);
/** The same without line breaks and marks of direction, which say nothing about the words. */
const words = (change?: Partial<SubscriptionPage>, language?: PageLanguage) =>
  rendered(change, language).replaceAll(/\n|<\/?bdi>/g, '');

describe('the usage on the subscription page', () => {
  it('the subscription page shows usage, what is left and the end', () => {
    expect(rendered()).toContain('<dt>Used</dt><dd><bdi>512 MB</bdi> of <bdi>1 GB</bdi></dd>');
    expect(rendered()).toContain('<dt>Left</dt><dd><bdi>512 MB</bdi></dd>');
    expect(rendered()).toContain(
      '<dt>Time left</dt><dd><bdi>9 days</bdi> <small>until <bdi>1 Dec 2026</bdi></small></dd>',
    );
  });

  it.each([
    [0, 'role="img" aria-label="0% used"', 'cy="18"/></svg><b aria-hidden="true">0%</b>'],
    [GB / 2, 'aria-label="50% used"', 'class="good" r="15.915" cx="18" cy="18" stroke-dasharray="50 100"/></svg>'],
    [0.8 * GB, 'aria-label="80% used"', 'class="warn" r="15.915" cx="18" cy="18" stroke-dasharray="80 100"/></svg>'],
    [3 * GB, 'aria-label="100% used"', 'class="bad" r="15.915" cx="18" cy="18" stroke-dasharray="100 100"/></svg>'],
  ])('the ring of the subscription page shows %d bytes of 1 GB', (usedTraffic, label, drawing) => {
    expect(rendered({ usedTraffic })).toContain(label);
    expect(rendered({ usedTraffic })).toContain(drawing);
  });

  it.each<[Partial<SubscriptionPage>, string]>([
    [{ dataLimit: 0 }, '<dt>Used</dt><dd>512 MB <small>unlimited</small></dd></div><div><dt>Time left'],
    [{ dataLimit: 0 }, '<b aria-hidden="true">∞</b>'],
    [{ usedTraffic: 3 * GB }, '<dt>Left</dt><dd>0 B</dd>'],
    [{ expire: null }, '<dt>Time left</dt><dd>no end</dd>'],
    [{ expire: new Date('2026-11-21T17:30:00Z') }, '<dd>6 hours <small>until 21 Nov 2026</small></dd>'],
    [{ expire: new Date('2026-11-22T12:00:00Z') }, '<dd>1 day <small>until 22 Nov 2026</small></dd>'],
    [{ expire: new Date('2026-11-21T12:05:00Z') }, '<dd>1 hour <small>until 21 Nov 2026</small></dd>'],
    // 30 days to the end of the day, and 30 days that have begun a moment ago.
    [{ expire: new Date('2026-12-21T23:59:59Z') }, '<dd>30 days <small>until 21 Dec 2026</small></dd>'],
    [{ expire: new Date('2026-12-21T11:50:00Z') }, '<dd>30 days <small>until 21 Dec 2026</small></dd>'],
    [{ status: 'on_hold', expire: null }, '<dt>Time left</dt><dd>starts with the first connection</dd>'],
    [{ status: 'on_hold' }, '<p class="notice on_hold">Your time has not begun: it starts with your first connection.'],
    [
      { status: 'expired', expire: new Date('2026-11-20T00:00:00Z') },
      '<dd>none <small>ended on 20 Nov 2026</small></dd>',
    ],
    [{ status: 'limited' }, '<span class="status status-limited">Limit reached</span>'],
    [
      { status: 'disabled', supportUrl: 'https://t.me/x' },
      'so the servers do not let you in. <a href="https://t.me/x" rel="noreferrer">Support</a></p>',
    ],
    [{ servers: [] }, '<p>There is no server for you at the moment.</p>'],
    [{ supportUrl: 'https://t.me/x' }, '<footer><a href="https://t.me/x" rel="noreferrer">Support</a></footer>'],
    [{ announce: 'News' }, '<p class="note">News</p>'],
    [
      { announce: 'News', announceUrl: 'https://a.example' },
      '<p class="note"><a href="https://a.example" rel="noreferrer">News</a></p>',
    ],
  ])('the subscription page says what %j means', (change, expected) => {
    expect(words(change)).toContain(expected);
  });

  it('the subscription page says nothing about the status of a user who is served', () => {
    expect(rendered()).toContain('<span class="status status-active">Active</span></p>\n');
    expect(rendered()).not.toContain('class="notice');
  });
});

describe('the history on the subscription page', () => {
  it('the chart of the subscription page has a bar for each day, with its date and size', () => {
    const history = page().history.map((_, at) => (at === 0 ? GB : at === 28 ? 1 : at === 29 ? 2 * GB : 0));
    const text = words({ history });
    expect(text).toContain('<span>In total: 3 GB</span><span>▲ 2 GB on 21 Nov</span>');
    expect(text).toContain('<svg class="chart" viewBox="0 0 297 80"');
    expect(text.match(/<rect /g)).toHaveLength(30);
    expect(text).toContain('<rect x="0" y="40" height="40"><title>23 Oct: 1 GB</title></rect>');
    expect(text).toContain('<rect x="10" y="79" height="1" class="none"><title>24 Oct: 0 B</title></rect>');
    expect(text).toContain('<rect x="280" y="78" height="2"><title>20 Nov: 1 B</title></rect>');
    expect(text).toContain('<rect x="290" y="0" height="80"><title>21 Nov: 2 GB</title></rect></svg>');
    expect(text).toContain('<p class="axis"><span>23 Oct</span><span>today</span></p>');
  });

  it('the subscription page draws no chart where nothing was used', () => {
    expect(words()).toContain('<h2>Last 30 days</h2><p class="quiet">No traffic yet.</p>');
    expect(rendered()).not.toContain('<rect');
  });

  it('the chart of the subscription page begins with the 30th day in UTC, counted from today', () => {
    expect(historyStart(new Date('2026-11-21T23:59:59Z')).toISOString()).toBe('2026-10-23T00:00:00.000Z');
    expect(historyStart(new Date('2026-11-22T00:00:00Z')).toISOString()).toBe('2026-10-24T00:00:00.000Z');
  });
});

describe('the three steps on the subscription page', () => {
  it('the subscription page leads from the download to a connection, with what to expect on the screen', () => {
    const text = words({ setup: setup({ applications: [application({ recommended: true, description: 'Good' })] }) });
    expect(text).toContain(
      '<li><h3>Install App <small class="tag">recommended</small></h3><p>Good</p>' +
        '<div class="row"><a class="button" href="https://d.example" rel="noreferrer">Get</a></div>' +
        '<p>The store or a download opens. Install the app, then come back to this page.</p></li>' +
        '<li><h3>Add your subscription</h3><a class="button main" href="app://add/1">Add to App</a>' +
        '<p>The browser asks whether to open App: allow it. Then App lists “My title”. Servers in it: 1.</p>',
    );
    expect(text).toContain('Android asks once about a VPN connection: tap OK.');
    expect(text).not.toContain('Other apps');
  });

  it.each<[PageSetup['platform'], string, string, string]>([
    ['ios', 'https://apps.apple.com/app/id1', 'The App Store opens.', 'tap Allow and enter your passcode'],
    ['macos', 'https://apps.apple.com/app/id1', 'The App Store opens.', 'The system may ask once for your password'],
    ['macos', 'https://d.example', 'Download the file for Mac, open it', 'The system may ask once for your password'],
    ['linux', 'https://d.example', 'Download the file for Linux, open it', 'The system may ask once for your password'],
    ['androidtv', 'https://d.example', 'The store or a download opens.', 'Android asks once about a VPN connection'],
  ])('the subscription page tells readers on %s what %s and a connection look like', (platform, url, ...expected) => {
    const applications = [application({ downloads: [{ name: 'Get', url }] })];
    for (const sentence of expected) expect(words({ setup: setup({ platform, applications }) })).toContain(sentence);
  });

  it('the subscription page says how to use an application without a download or a link', () => {
    const text = words({ setup: setup({ applications: [application({ importUrl: '', downloads: [] })] }) });
    expect(text).toContain('<p>Look for App in the app store of this device.');
    expect(text).toContain('<h3>Add your subscription</h3><p>Copy the subscription link from this page, open App');
    expect(text).not.toContain('class="button main"');
  });

  it('the subscription page lists other applications, and links to the other platforms', () => {
    const other = application({
      name: 'Other',
      importUrl: '',
      downloads: [{ name: 'Store', url: 'https://s.example' }],
    });
    const text = words({ setup: setup({ applications: [application(), other, application({ name: 'Third' })] }) });
    expect(text).toContain(
      '<details class="more"><summary>Other apps</summary><ul>' +
        '<li><b>Other</b><div class="row"><a class="button" href="https://s.example" rel="noreferrer">Store</a></div></li>' +
        '<li><b>Third</b><div class="row"><a class="button" href="app://add/1">Add your subscription</a>',
    );
    expect(text).toContain(
      '<nav class="chips" aria-label="Device"><a href="?lang=en&amp;os=android#setup" aria-current="true">Android</a>' +
        '<a href="?lang=en&amp;os=ios#setup">iPhone, iPad</a></nav>',
    );
  });

  it('the known applications have one for each platform that takes the link from the page', () => {
    for (const platform of PAGE_PLATFORMS) {
      expect([platform, KNOWN_APPLICATIONS[platform][0]?.importUrl]).toEqual([
        platform,
        expect.stringMatching(/^[\w-]+:\/\/.*\{url\}/),
      ]);
      for (const { downloads } of KNOWN_APPLICATIONS[platform])
        for (const { url } of downloads)
          expect(url).toMatch(/^https:\/\/(apps\.apple\.com\/app|play\.google\.com\/store|github\.com)\//);
      expect(KNOWN_APPLICATIONS[platform].every(({ downloads }) => downloads.length > 0)).toBe(true);
    }
  });
});

describe(renderPage, () => {
  it('the subscription page shows Persian from right to left, with its digits and calendar', () => {
    const persian = rendered({}, 'fa');
    expect(persian).toContain('<html lang="fa" dir="rtl"');
    expect(persian).toContain('<dt>مصرف</dt><dd><bdi>۵۱۲ MB</bdi> از <bdi>۱ GB</bdi></dd>');
    expect(persian).toContain('<bdi>۹ روز</bdi> <small>تا <bdi>۱۰ آذر ۱۴۰۵</bdi></small>');
  });

  it.each<[PageLanguage, string, string]>([
    ['ru', '<bdi>1,5 ГБ</bdi> из <bdi>2 ГБ</bdi>', '<bdi>9 дней</bdi> <small>до <bdi>1 дек. 2026 г.</bdi></small>'],
    ['zh', '<bdi>1.5 GB</bdi> / <bdi>2 GB</bdi>', '<bdi>9天</bdi> <small>至 <bdi>2026年12月1日</bdi></small>'],
  ])('the subscription page writes sizes and dates as readers of %s do', (language, ...expected) => {
    for (const text of expected)
      expect(rendered({ usedTraffic: 1.5 * GB, dataLimit: 2 * GB }, language)).toContain(text);
  });

  it.each(PAGE_LANGUAGES)('the subscription page has the places of all values in the language %s', (language) => {
    const places = (texts: object) =>
      Object.entries(texts).map(([name, text]) => [name, [...new Set(JSON.stringify(text).match(/\{\w+\}/g))].sort()]);
    expect(places(PAGE_TEXTS[language])).toEqual(places(PAGE_TEXTS.en));
  });

  it('the subscription page offers every language, and keeps the platform that was chosen', () => {
    expect(rendered({}, 'fa')).toContain(
      '<ul><li><a href="?lang=en" lang="en">English</a></li><li><a href="?lang=fa" lang="fa" aria-current="true">فارسی</a></li>' +
        '<li><a href="?lang=ru" lang="ru">Русский</a></li><li><a href="?lang=zh" lang="zh">中文</a></li></ul>',
    );
    expect(rendered({ setup: setup({ isGuessed: false }) })).toContain('<a href="?lang=ru&amp;os=android" lang="ru">');
  });

  it('the subscription page contains the subscription URL and each link to copy and to scan', () => {
    const text = rendered();
    expect(text).toContain(
      `<code id="subscription">${URL}</code><button type="button" class="button" data-copy="subscription">Copy</button>`,
    );
    expect(text).toContain('<svg class="code" viewBox="-4 -4.5 33 33" role="img" aria-label="QR code"');
    expect(text).toContain(
      '<summary><bdi>Germany</bdi></summary>\n<code id="link-0">vless://a@b:1#Germany</code>' +
        '<button type="button" class="button" data-copy="link-0">Copy</button><canvas data-code="link-0"></canvas></details>',
    );
    expect(text).toContain('data-copied="Copied"');
  });

  it('the subscription page leaves the QR code of a long URL to the script, and opens it where it is scanned from', () => {
    expect(rendered({ url: `https://panel.example/${'x'.repeat(279)}` })).toContain(
      '<details><summary>QR code</summary><canvas data-code="subscription"></canvas>',
    );
    expect(rendered({ setup: setup({ platform: 'windows' }) })).toContain(
      '<details open><summary>QR code</summary><svg class="code"',
    );
  });

  it.each([
    ['works', '<bdi>Germany</bdi><span class="state works">works</span></summary>'],
    ['partly', '<bdi>Germany</bdi><span class="state partly">unstable</span></summary>'],
    ['fails', '<bdi>Germany</bdi><span class="state fails">does not answer</span></summary>'],
    ['unknown', '<bdi>Germany</bdi></summary>'],
  ] as const)('the subscription page says of a server that it %s', (state, expected) => {
    expect(rendered({ servers: [{ name: 'Germany', link: 'x', state }] })).toContain(expected);
  });

  it('the subscription page shows the logo of the operator, or the first letter of the title', () => {
    expect(rendered({ title: ' öl' })).toContain('<header><span class="logo" aria-hidden="true">Ö</span><h1>');
    expect(rendered({ title: '😀' })).toContain('aria-hidden="true">😀</span>');
    const logo = 'data:image/png;base64,iVBORw0KGgo=';
    expect(rendered({ logo })).toContain(`<header><img class="logo" src="${logo}" alt=""><h1>`);
  });

  it('the subscription page remains valid HTML whatever it contains (security row 18)', () => {
    const applications = [1, 2].map(() =>
      application({
        name: HOSTILE,
        importUrl: HOSTILE,
        description: HOSTILE,
        downloads: [{ name: HOSTILE, url: HOSTILE }],
      }),
    );
    const servers = [{ name: HOSTILE, link: HOSTILE, state: undefined }];
    const texts = { title: HOSTILE, logo: HOSTILE, username: HOSTILE, url: HOSTILE, supportUrl: HOSTILE };
    const news = { announce: HOSTILE, announceUrl: HOSTILE };
    for (const language of PAGE_LANGUAGES) {
      const text = rendered(
        { ...texts, ...news, servers, status: 'expired', setup: setup({ applications }) },
        language,
      );
      expect(text.match(/<img/g)).toEqual(['<img']);
      expect(text.match(/<\/script>/g)).toHaveLength(1);
      expect(text.match(/ onerror="/g)).toBeNull();
    }
  });

  it('the subscription page loads nothing from other servers, and its policy forbids it (security row 18)', () => {
    expect(rendered({ supportUrl: 'https://t.me/x' })).not.toMatch(/(?:src|srcset|@import|url\()\s*=?\s*["']?\w/);
    expect(PAGE_POLICY).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(PAGE_POLICY_WITH_LOGO).toBe(`${PAGE_POLICY}; img-src data:`);
    expect(rendered()).not.toMatch(/ style=| on\w+=/);
  });

  it.each(PAGE_LANGUAGES)(
    'the subscription page is at most 40 kB with 30 days and 20 servers, in the language %s',
    (language) => {
      const link =
        'vless://3b0f7c0a-6f2e-4c39-9f5e-0c8a5d3a6b1f@de1.example.net:443?type=tcp&security=reality&encryption=none' +
        '&flow=xtls-rprx-vision&sni=www.example.com&fp=chrome&pbk=Vb0m2kJ7Y4s1cXw3QeRtYuIoPaSdFgHjKlZxCvBnM12' +
        '&sid=6ba85179e30d4fc2&spx=%2F#%F0%9F%87%A9%F0%9F%87%AA%20Germany%2001';
      const servers = Array.from({ length: 20 }, (_, at) => ({
        name: `🇩🇪 Germany ${at}`,
        link,
        state: 'fails' as const,
      }));
      const applications = KNOWN_APPLICATIONS.android.map((known) =>
        application({ ...known, importUrl: `${known.importUrl}${URL}` }),
      );
      const text = rendered(
        {
          url: `https://panel.example/sub/djEuMTIzNDU2LjE.${'a1-B'.repeat(11)}`,
          history: page().history.map((_, at) => (at + 1) * 123_456_789),
          servers,
          setup: setup({ applications, platforms: PAGE_PLATFORMS.slice(0, 5) }),
          announce: 'n'.repeat(128),
          supportUrl: 'https://t.me/x',
        },
        language,
      );
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(40_000);
    },
  );
});

describe(importLink, () => {
  const link = (importUrl: string) => importLink(importUrl, `${URL}?a=$&`, 'my name');

  it.each([
    ['app://add/{url}#{name}', 'app://add/https://panel.example/sub/token?a=$&#my%20name'],
    [
      'app://add?url={url}&name={name}',
      'app://add?url=https%3A%2F%2Fpanel.example%2Fsub%2Ftoken%3Fa%3D%24%26&name=my%20name',
    ],
    ['sub://{base64Url}', 'sub://aHR0cHM6Ly9wYW5lbC5leGFtcGxlL3N1Yi90b2tlbj9hPSQm'],
  ])('the link that imports a subscription is made from %s', (importUrl, expected) => {
    expect(link(importUrl)).toBe(expected);
  });
});

describe(preferredLanguage, () => {
  it.each([
    [undefined, 'en'],
    ['fa-IR,fa;q=0.9,en;q=0.8', 'fa'],
    ['de, fa;q=0.5', 'fa'],
    ['en-GB, fa', 'en'],
    ['ru-RU', 'ru'],
    ['zh-Hans-CN', 'zh'],
    ['x'.repeat(1_000_000), 'en'],
  ])('preferredLanguage of %s is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

describe(platformOf, () => {
  it.each([
    ['Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36', 'android'],
    ['Mozilla/5.0 (Android 16; Mobile)', 'android'],
    ['Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36', 'android'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1', 'ios'],
    ['Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1', 'ios'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36', 'windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15', 'macos'],
    ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'linux'],
    ['Mozilla/5.0 (Linux; Android 9; AFTKA) AppleWebKit/537.36 Silk/120 like Chrome/120.0 Safari/537.36', 'androidtv'],
    ['Mozilla/5.0 (Linux; Android 12; Chromecast Android TV) AppleWebKit/537.36', 'androidtv'],
    ['Mozilla/5.0 (Apple TV; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15', 'appletv'],
    ['', 'android'],
  ])('the platform of the browser %j is %s', (userAgent, platform) => {
    expect(platformOf(userAgent)).toBe(platform);
  });
});
