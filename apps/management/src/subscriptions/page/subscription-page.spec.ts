import { describe, expect, it } from '@jest/globals';
import { importLink } from './known-applications.js';
import type { PageApplication } from './page-applications.js';
import { preferredLanguage } from './page-text.js';
import { PAGE_POLICY, renderPage, type SubscriptionPage } from './subscription-page.js';

const HOSTILE = `</script><img src=x onerror="alert('1')">`;
const URL = 'https://panel.example/sub/token';

const application = (change: Partial<PageApplication>): PageApplication => ({
  name: 'App',
  importUrl: 'app://add/1',
  recommended: false,
  platform: '',
  description: '',
  downloads: [],
  ...change,
});

const page = (change: Partial<SubscriptionPage> = {}): SubscriptionPage => ({
  title: 'Subscription',
  username: 'alice',
  status: 'active',
  usedTraffic: 512 * 1024 ** 2,
  dataLimit: 1024 ** 3,
  expire: new Date('2026-12-01T00:00:00Z'),
  now: new Date('2026-11-21T12:00:00Z'),
  url: URL,
  links: [{ name: 'Germany', link: 'vless://a@b:1#Germany' }],
  applications: [application({})],
  supportUrl: '',
  announce: '',
  announceUrl: '',
  ...change,
});

const english = (change?: Partial<SubscriptionPage>) => renderPage(page(change), 'en');
const persian = (change?: Partial<SubscriptionPage>) => renderPage(page(change), 'fa');

describe(renderPage, () => {
  it('shows usage and end', () => {
    expect(english()).toContain('<dt>Used</dt><dd><bdi>512 MB</bdi> of <bdi>1 GB</bdi></dd>');
    expect(english()).toContain('<dt>Expires</dt><dd><bdi>2026-12-01</bdi> (in 10 days)</dd>');
    expect(english()).toContain('<progress max="100" value="50"></progress>');
    expect(english({ usedTraffic: 3 * 1024 ** 3 })).toContain('value="100"');
  });

  it.each<[Partial<SubscriptionPage>, string]>([
    [{ dataLimit: 0 }, '<dd><bdi>512 MB</bdi> (unlimited)</dd>'],
    [{ expire: null }, '<dt>Expires</dt><dd>never</dd>'],
    [{ status: 'on_hold', expire: null }, '<dt>Expires</dt><dd>starts with the first connection</dd>'],
    [{ status: 'expired', expire: new Date('2026-11-20T00:00:00Z') }, '(2 days ago)'],
    [{ status: 'limited' }, '<p class="status status-limited">Limit reached</p>'],
    [{ links: [] }, '<p>There is no server for you at the moment.</p>'],
    [{ supportUrl: 'https://t.me/x' }, '<a href="https://t.me/x" rel="noreferrer">Support</a>'],
    [{ announce: 'News' }, '<p class="note"><bdi>News</bdi></p>'],
    [
      { announce: 'News', announceUrl: 'https://a.example' },
      '<a href="https://a.example" rel="noreferrer"><bdi>News</bdi></a>',
    ],
  ])('shows the end of %j', (change, expected) => {
    expect(english(change)).toContain(expected);
  });

  it('shows Persian from right to left, with its digits and calendar', () => {
    expect(persian()).toContain('<html lang="fa" dir="rtl">');
    expect(persian()).toContain('<dt>مصرف</dt><dd><bdi>۵۱۲ MB</bdi> از <bdi>۱ GB</bdi></dd>');
    expect(persian()).toContain('<bdi>۱۴۰۵/۰۹/۱۰</bdi> (۱۰ روز دیگر)');
    expect(persian()).toContain('<a href="?lang=en" lang="en">English</a>');
  });

  it('contains the subscription URL and each link to copy and to scan', () => {
    const text = english();
    expect(text).toContain(`<code id="subscription">${URL}</code>`);
    expect(text).toContain('<li><bdi>Germany</bdi><div class="row"><button type="button" data-copy="link-0"');
    expect(text).toContain(
      '<code id="link-0">vless://a@b:1#Germany</code><canvas data-code="link-0"></canvas></details>',
    );
    expect(text).toContain(
      '<button type="button" data-copy="link-0" data-label="Copy" data-done="Copied">Copy</button>',
    );
    expect(text).toContain('<summary>QR code</summary><canvas data-code="subscription"></canvas></details>');
  });

  it('contains the applications, some with descriptions', () => {
    const applications = [
      application({}),
      application({ name: 'Best', recommended: true, platform: 'ios' }),
      application({
        name: 'Bare',
        importUrl: '',
        description: 'Good',
        downloads: [{ name: 'Get', url: 'https://d.example' }],
      }),
    ];
    expect(english({ applications }).replaceAll('\n', '')).toContain(
      '<div class="row"><a class="app" href="app://add/1"><bdi>App</bdi></a>' +
        '<a class="app recommended" href="app://add/1"><bdi>Best</bdi> <small>ios</small> <small>recommended</small></a></div>' +
        '<ul><li><div class="row"><b><bdi>Bare</bdi></b> <a href="https://d.example" rel="noreferrer"><bdi>Get</bdi></a></div>' +
        '<p><bdi>Good</bdi></p></li></ul>',
    );
    expect(english({ applications: [] })).not.toContain('Add to an app');
  });

  it('remains valid HTML whatever it contains (security row 18)', () => {
    const applications = [application({ name: HOSTILE, importUrl: HOSTILE, platform: HOSTILE, description: HOSTILE })];
    const links = [{ name: HOSTILE, link: HOSTILE }];
    const hostile = { title: HOSTILE, username: HOSTILE, announce: HOSTILE, links, applications };
    const text = english(hostile);
    expect(text).not.toContain('<img');
    expect(text.match(/<\/script>/g)).toHaveLength(1);
  });

  it('loads nothing from other servers, and its policy forbids it (security row 18)', () => {
    expect(english({ supportUrl: 'https://t.me/x' })).not.toMatch(/(?:src|srcset|@import|url\()\s*=?\s*["']?\w/);
    expect(PAGE_POLICY).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(english()).not.toMatch(/ style=| on\w+=/);
  });
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
  ])('fills in %s', (importUrl, expected) => {
    expect(link(importUrl)).toBe(expected);
  });
});

describe(preferredLanguage, () => {
  it.each([
    [undefined, 'en'],
    ['fa-IR,fa;q=0.9,en;q=0.8', 'fa'],
    ['de, fa;q=0.5', 'fa'],
    ['en-GB, fa', 'en'],
    ['x'.repeat(1_000_000), 'en'],
  ])('of %s is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});
