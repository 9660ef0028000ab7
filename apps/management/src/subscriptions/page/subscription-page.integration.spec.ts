import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { make } from '../../testing/mutations/mutation.js';
import { TestManagement } from '../../testing/test-management.js';
import { PAGE_LANGUAGES } from './page-text.js';
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
  await management.call('PUT', '/api/settings', { subscription: { profile_title: 'My title', announce: HOSTILE } });
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
    expect(await tab.value('document.images.length + document.scripts.length')).toBe(1);
    expect(await tab.value('[...document.querySelectorAll("li > bdi")].map(({ textContent }) => textContent)')).toEqual(
      ['آلمان 🇩🇪 alice', HOSTILE, 'x'.repeat(200)],
    );
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
    for (const [id, open] of [
      ['subscription', 'section details'],
      ['link-0', 'li details'],
    ] as const) {
      await tab.click(`${open} summary`);
      // A canvas without a drawing is 150 pixels high.
      await tab.until(`document.querySelector('${open} canvas').height !== 150`);
      const text = await tab.value(`document.getElementById('${id}').textContent`);
      expect(await tab.scanned(`${open} canvas`, blank)).toBe(text);
    }
  });

  it('shows no QR code for a text that is too long', async () => {
    const tab = await opened();
    await tab.value('document.getElementById("link-1").textContent = "x".repeat(5000)');
    await tab.click('li:nth-child(2) summary');
    await tab.until('document.querySelectorAll("li canvas").length === 2');
    expect(await tab.value('document.querySelector("li:nth-child(2) canvas")')).toBe(null);
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

  it('switches to the other language', async () => {
    const tab = await opened();
    await tab.click('header a');
    await tab.until('document.documentElement.lang === "fa" && document.readyState === "complete"');
    expect(tab.requested.at(-1)).toBe(`${origin}${path}?lang=fa`);
  });
});
