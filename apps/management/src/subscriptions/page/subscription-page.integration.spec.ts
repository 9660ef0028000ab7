import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { make } from '../../testing/mutations/mutation.js';
import { TestManagement } from '../../testing/test-management.js';
import { PAGE_LANGUAGES } from './page-text.js';
import { Chromium } from './testing/chromium.js';
import type { Tab } from './testing/tab.js';

const HOSTILE = `</script><img src=x onerror="document.title='run'"><b>`;
/** Each text that a button comes to. */
const WATCH_LABELS = `
  window.labels = [];
  for (const button of document.querySelectorAll('button')) {
    new MutationObserver(() => labels.push(button.textContent)).observe(button, { childList: true });
  }`;
const TAG = 'Shadowsocks TCP';

let management: TestManagement;
let browser: Chromium;
let origin: string;
let path: string;
beforeAll(async () => {
  [management, browser] = await Promise.all([TestManagement.start(), Chromium.start()]);
  await management.app.listen(0, '127.0.0.1');
  origin = await management.app.getUrl();
  await browser.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
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
  const tab = await browser.tab();
  await tab.visit(`${origin}${path}${query}`);
  return tab;
}

describe('the page in a browser', () => {
  it.each(PAGE_LANGUAGES)('fits a phone, with all that opens, in the language %s', async (language) => {
    const tab = await opened(`?lang=${language}`);
    expect(await tab.value('document.documentElement.lang')).toBe(language);
    expect(await tab.value('getComputedStyle(document.body).direction')).toBe(language === 'fa' ? 'rtl' : 'ltr');
    expect(await tab.value('getComputedStyle(document.body).maxWidth')).not.toBe('none');
    await tab.value('document.querySelectorAll("details").forEach((details) => { details.open = true; })');
    expect(await tab.value('innerWidth')).toBe(360);
    expect(await tab.value('document.scrollingElement.scrollWidth')).toBe(360);
    expect(await tab.value('document.querySelectorAll("li canvas").length')).toBe(3);
  });

  it.each(PAGE_LANGUAGES)(
    'asks nobody for anything more, and breaks no policy, in the language %s',
    async (language) => {
      const tab = await opened(`?lang=${language}`);
      await tab.click('[data-copy=subscription]');
      expect(tab.requested).toEqual([`${origin}${path}?lang=${language}`]);
      expect(tab.console).toEqual([]);
    },
  );

  it('would tell of a breach', async () => {
    const tab = await opened();
    await tab.value(`document.body.append(Object.assign(new Image(), { src: 'https://other.example/x.png' }))`);
    await tab.value('setTimeout(() => document.body.setAttribute("style", "color: red"))');
    await tab.until('document.body.hasAttribute("style")');
    expect(tab.console.join()).toContain('img-src');
    expect(tab.console.join()).toContain('style-src');
  });

  it('security row 18: a hostile remark is text', async () => {
    const tab = await opened();
    expect(await tab.value('document.title')).toBe('My title');
    expect(await tab.value('document.images.length + document.scripts.length')).toBe(1);
    expect(await tab.value('[...document.querySelectorAll("li > bdi")].map(({ textContent }) => textContent)')).toEqual(
      ['آلمان 🇩🇪 alice', HOSTILE, 'x'.repeat(200)],
    );
    expect(await tab.value('document.querySelector(".note").textContent')).toBe(HOSTILE);
  });

  it.each([
    ['as browsers of today do', ''],
    ['as without HTTPS', 'Object.defineProperty(navigator, "clipboard", { value: undefined })'],
  ])('copies, %s', async (_, before) => {
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

  it('shows codes that a scanner reads', async () => {
    const [tab, blank] = [await opened(), await browser.tab()];
    for (const [id, open] of [
      ['subscription', 'section details'],
      ['link-0', 'li details'],
    ] as const) {
      await tab.click(`${open} summary`);
      // A canvas is 150 high until something is drawn.
      await tab.until(`document.querySelector('${open} canvas').height !== 150`);
      const text = await tab.value(`document.getElementById('${id}').textContent`);
      expect(await tab.scanned(`${open} canvas`, blank)).toBe(text);
    }
  });

  it('shows no code of a text that is too long for one', async () => {
    const tab = await opened();
    await tab.value('document.getElementById("link-1").textContent = "x".repeat(5000)');
    await tab.click('li:nth-child(2) summary');
    await tab.until('document.querySelectorAll("li canvas").length === 2');
    expect(await tab.value('document.querySelector("li:nth-child(2) canvas")')).toBe(null);
    expect(tab.console).toEqual([]);
  });

  it('cannot be tested without one, and that is an error', async () => {
    const { CHROME_PATH } = process.env;
    process.env['CHROME_PATH'] = '/no/browser';
    const message =
      'No browser: install Chromium (Debian: apt-get install chromium), or name one by CHROME_PATH (/no/browser does not run)';
    await expect(Chromium.start()).rejects.toThrow(message);
    if (CHROME_PATH === undefined) delete process.env['CHROME_PATH'];
    else process.env['CHROME_PATH'] = CHROME_PATH;
  });

  it('changes its language', async () => {
    const tab = await opened();
    await tab.click('header a');
    await tab.until('document.documentElement.lang === "fa" && document.readyState === "complete"');
    expect(tab.requested.at(-1)).toBe(`${origin}${path}?lang=fa`);
  });
});
