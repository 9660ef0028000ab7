import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { make } from '../../testing/mutations/mutation.js';
import { TestManagement } from '../../testing/test-management.js';
import { PAGE_LANGUAGES } from './page-language.js';
import { TestBrowser } from './testing/browser.js';
import type { Tab } from './testing/tab.js';

const HOSTILE = `</script><img src=x onerror="document.title='run'"><b>`;
/** Records every text that a button shows. */
const WATCH_LABELS = `
  window.labels = [];
  for (const button of document.querySelectorAll('button')) {
    new MutationObserver(() => labels.push(button.textContent)).observe(button, { childList: true });
  }`;
const TAG = 'Shadowsocks TCP';
/** A picture that would run a script, if pictures did. */
const LOGO = `data:image/svg+xml;base64,${Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>parent.document.title = "run"</script></svg>',
).toString('base64')}`;

let management: TestManagement;
let browser: TestBrowser;
let origin: string;
let path: string;
beforeAll(async () => {
  [management, browser] = await Promise.all([TestManagement.start(), TestBrowser.start()]);
  await management.app.listen(0, '127.0.0.1');
  origin = await management.app.getUrl();
  await make(management, '/api/group', { name: 'all', inbound_tags: [TAG] });
  for (const remark of ['آلمان 🇩🇪 {USERNAME}', HOSTILE, 'x'.repeat(200)]) {
    await make(management, '/api/host', { remark, inbound_tag: TAG, address: ['192.0.2.7'], priority: 1 });
  }
  const limits = { data_limit: 10 * 2 ** 30, expire: '2099-01-01T00:00:00Z' };
  const { body } = await management.call('POST', '/api/user', { username: 'alice', group_ids: [1], ...limits });
  path = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
  await management.call('PUT', '/api/settings', {
    subscription: { profile_title: 'My title', announce: HOSTILE, logo: LOGO },
  });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await management?.close();
});

const publicUrl = () => `https://panel.example${path}`;
async function opened(query = ''): Promise<Tab> {
  const tab = await browser.openTab();
  await tab.visit(`${origin}${path}${query}`);
  return tab;
}

describe('the subscription page in a browser', () => {
  it.each(PAGE_LANGUAGES)('fits the width of a phone with everything opened, in the language %s', async (language) => {
    const tab = await opened(`?lang=${language}`);
    expect(await tab.value('document.documentElement.lang')).toBe(language);
    expect(await tab.value('getComputedStyle(document.body).direction')).toBe(language === 'fa' ? 'rtl' : 'ltr');
    expect(await tab.value('getComputedStyle(document.body).maxWidth')).not.toBe('none');
    await tab.value('document.querySelectorAll("details").forEach((details) => { details.open = true; })');
    expect(await tab.value('innerWidth')).toBe(360);
    expect(await tab.value('document.scrollingElement.scrollWidth')).toBe(360);
    expect(await tab.value('document.querySelectorAll("li canvas").length')).toBe(3);
  });

  it.each(PAGE_LANGUAGES)('makes no further request and violates no policy, in the language %s', async (language) => {
    const tab = await opened(`?lang=${language}`);
    await tab.click('[data-copy=subscription]');
    expect(tab.requested).toEqual([`${origin}${path}?lang=${language}`]);
    expect(tab.console).toEqual([]);
  });

  it('logs violations of its policy, so the other tests would notice them', async () => {
    const tab = await opened();
    await tab.value(`document.body.append(Object.assign(new Image(), { src: 'https://other.example/x.png' }))`);
    await tab.value('setTimeout(() => document.body.setAttribute("style", "color: red"))');
    await tab.until('document.body.hasAttribute("style")');
    expect(tab.console.join()).toContain('img-src');
    expect(tab.console.join()).toContain('style-src');
  });

  it('security row 18: shows a hostile remark as text', async () => {
    const tab = await opened();
    expect(await tab.value('document.title')).toBe('My title');
    expect(await tab.value('document.scripts.length')).toBe(1);
    expect(await tab.value('[...document.images].map(({ src, naturalWidth }) => [src, naturalWidth])')).toEqual([
      [LOGO, 9],
    ]);
    expect(
      await tab.value('[...document.querySelectorAll(".servers bdi")].map(({ textContent }) => textContent)'),
    ).toEqual(['آلمان 🇩🇪 alice', HOSTILE, 'x'.repeat(200)]);
    expect(await tab.value('document.querySelector(".note").textContent')).toBe(HOSTILE);
  });

  it.each([
    ['with the clipboard API', ''],
    [
      'without the clipboard API, as on pages without HTTPS',
      'Object.defineProperty(navigator, "clipboard", { value: undefined })',
    ],
  ])('copies a link and the subscription %s', async (_, before) => {
    const [tab, other] = [await opened(), await opened()];
    await tab.value(before);
    await tab.value(WATCH_LABELS);
    await tab.click('.servers summary');
    await tab.click('[data-copy=link-0]');
    await tab.until('labels.length === 1');
    const link = await tab.value('document.querySelector("#link-0").textContent');
    expect(link).toMatch(/^ss:\/\/.+@192\.0\.2\.7:1080#%D8%A2/);
    expect(await other.value('navigator.clipboard.readText()')).toBe(link);
    await tab.click('[data-copy=subscription]');
    await tab.click('[data-copy=subscription]');
    await tab.until('labels.length === 6');
    expect(await other.value('navigator.clipboard.readText()')).toBe(publicUrl());
    expect(await tab.value('labels.sort().join()')).toBe('Copied,Copied,Copied,Copy,Copy,Copy');
    expect(await tab.value('document.querySelector("[data-copy=subscription]").textContent')).toBe('Copy');
  });

  it('shows QR codes that a scanner can read', async () => {
    const [tab, blank] = [await opened(), await browser.openTab()];
    await tab.click('details:has(.code) summary');
    expect(await tab.scanned('.code', blank)).toBe(publicUrl());
    await tab.click('.servers summary');
    // A canvas without a drawing is 150 pixels high.
    await tab.until(`document.querySelector('.servers canvas').height !== 150`);
    const text = await tab.value('document.getElementById("link-0").textContent');
    expect(await tab.scanned('.servers canvas', blank)).toBe(text);
  });

  it('shows no QR code for a text that is too long', async () => {
    const tab = await opened();
    await tab.value('document.getElementById("link-1").textContent = "x".repeat(5000)');
    await tab.click('.servers li:nth-child(2) summary');
    await tab.until('document.querySelectorAll("li canvas").length === 2');
    expect(await tab.value('document.querySelector(".servers li:nth-child(2) canvas")')).toBe(null);
    expect(tab.console).toEqual([]);
  });

  it('fails with an error when there is no browser', async () => {
    const { CHROME_PATH } = process.env;
    process.env['CHROME_PATH'] = '/no/browser';
    const message =
      'No browser: install Chromium (Debian: apt-get install chromium), or name one by CHROME_PATH (/no/browser does not run)';
    await expect(TestBrowser.start()).rejects.toThrow(message);
    if (CHROME_PATH === undefined) delete process.env['CHROME_PATH'];
    else process.env['CHROME_PATH'] = CHROME_PATH;
  });

  it('switches to another language', async () => {
    const tab = await opened();
    await tab.click('header summary');
    await tab.click('header a[lang=fa]');
    await tab.until('document.documentElement.lang === "fa" && document.readyState === "complete"');
    expect(tab.requested.at(-1)).toBe(`${origin}${path}?lang=fa`);
  });

  it('shows another platform, and keeps it in another language', async () => {
    const tab = await opened();
    expect(await tab.value('document.querySelector(".chips [aria-current]").textContent')).toBe('Android');
    await tab.click('.chips a:nth-child(3)');
    await tab.until('document.querySelector(".chips [aria-current]").textContent === "Windows"');
    expect(tab.requested.at(-1)).toBe(`${origin}${path}?lang=en&os=windows`);
    await tab.click('header summary');
    await tab.click('header a[lang=ru]');
    await tab.until('document.documentElement.lang === "ru" && document.readyState === "complete"');
    expect(await tab.value('document.querySelector(".chips [aria-current]").textContent')).toBe('Windows');
  });

  it('shows an iPad, which looks like a Mac, what is for iPads', async () => {
    const device = { userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15', isMobile: false };
    for (const [hasTouch, platform] of [
      [true, 'iPhone, iPad'],
      [false, 'Mac'],
    ] as const) {
      const tab = await browser.openTab({ ...device, hasTouch });
      await tab.visit(`${origin}${path}`);
      await tab.until(`document.querySelector(".chips [aria-current]")?.textContent === '${platform}'`);
    }
  });

  it('is usable without JavaScript, and shows nothing that needs it', async () => {
    const tab = await browser.openTab({ javaScriptEnabled: false });
    await tab.visit(`${origin}${path}`);
    expect(await tab.shown('[data-copy], canvas')).toEqual([]);
    expect(await tab.shown('.main')).toEqual(['Add to v2rayNG']);
    await tab.click('details:has(.code) summary');
    expect(await tab.scanned('.code', await browser.openTab())).toBe(publicUrl());
    await tab.click('.servers summary');
    expect(await tab.shown('#link-0')).toEqual([expect.stringMatching(/^ss:\/\/.+@192\.0\.2\.7:1080#/)]);
    await tab.click('header summary');
    await tab.click('header a[lang=zh]');
    expect(await tab.shown('.main')).toEqual(['添加到 v2rayNG']);
  });
});
