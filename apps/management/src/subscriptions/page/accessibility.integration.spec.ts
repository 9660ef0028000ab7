import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { make } from '../../testing/mutations/mutation.js';
import { TestManagement } from '../../testing/test-management.js';
import { insertUsageHours } from '../../usage/testing/usage-fixture.js';
import { PAGE_LANGUAGES } from './page-language.js';
import { TestBrowser } from './testing/browser.js';

const TAG = 'Shadowsocks TCP';
const DAY_MS = 86_400_000;

let management: TestManagement;
let browser: TestBrowser;
let urls: { served: string; expired: string };
beforeAll(async () => {
  [management, browser] = await Promise.all([TestManagement.start(), TestBrowser.start()]);
  await management.app.listen(0, '127.0.0.1');
  await make(management, '/api/group', { name: 'all', inbound_tags: [TAG] });
  for (const remark of ['works', 'partly', 'fails'])
    await make(management, '/api/host', { remark, inbound_tag: TAG, address: ['192.0.2.7'], priority: 1 });
  await management.database.query(
    `INSERT INTO host_health (host_id, status, since, checked_at) SELECT id, remark, now(), now() FROM hosts`,
  );
  await management.call('PUT', '/api/settings/probes', { every_minutes: 10 });
  const subscription = {
    profile_title: 'Nimbus',
    support_url: 'https://t.me/x',
    announce: 'News',
    announce_url: 'https://a.example',
  };
  await management.call('PUT', '/api/settings', { subscription });
  const origin = await management.app.getUrl();
  const urlOf = async (username: string, expire: string) => {
    const user = { username, group_ids: [1], data_limit: 2 ** 30, expire };
    const { body } = await management.call('POST', '/api/user', user);
    return origin + new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
  };
  urls = { served: await urlOf('alice', '2099-01-01T00:00:00Z'), expired: await urlOf('bob', '2020-01-01T00:00:00Z') };
  const used = (days: number) => {
    const hour = new Date(Math.floor(Date.now() / DAY_MS - days) * DAY_MS).toISOString();
    return { userId: 1, adminId: 1, nodeId: 1, hour, bytes: 1000 * (days + 1) };
  };
  await insertUsageHours(management.database, [used(0), used(3), used(29)]);
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await management?.close();
});

describe('the accessibility of the subscription page', () => {
  it.each(PAGE_LANGUAGES)(
    'axe finds nothing on the subscription page, in both colours, widths and states, in the language %s',
    async (language) => {
      const tab = await browser.openTab({ isMobile: false });
      const found: string[] = [];
      for (const [name, url] of Object.entries(urls)) {
        await tab.visit(`${url}?lang=${language}`);
        expect(await tab.value('document.querySelectorAll(".state, .chart").length')).toBe(name === 'served' ? 4 : 3);
        for (const isOpen of [false, true]) {
          await tab.value(`document.querySelectorAll("main details").forEach((one) => { one.open = ${isOpen}; })`);
          for (const width of [390, 1280])
            for (const colours of ['light', 'dark'] as const) {
              await tab.show(width, colours);
              const place = `${name}, ${width} px, ${colours}, ${isOpen ? 'open' : 'closed'}`;
              for (const line of await tab.violations()) found.push(`${place}: ${line}`);
              expect([place, await tab.value('document.scrollingElement.scrollWidth')]).toEqual([place, width]);
            }
        }
      }
      expect(found).toEqual([]);
      expect(tab.console).toEqual([]);
    },
    120_000,
  );

  it('axe would find colours that are too weak and a picture without a name', async () => {
    const tab = await browser.openTab({ isMobile: false });
    await tab.visit(urls.served);
    await tab.value('document.querySelector(".chart").removeAttribute("aria-label")');
    await tab.value('document.querySelector("h2:not(.hidden)").attributeStyleMap.set("color", "#bbbbbb")');
    expect((await tab.violations()).map((line) => line.split(':', 1)[0]?.split(' ', 1)[0])).toEqual([
      'color-contrast',
      'svg-img-alt',
    ]);
  });

  it('every control of the subscription page is reached by the Tab key, and shows that it is', async () => {
    const tab = await browser.openTab({ isMobile: false });
    await tab.visit(urls.served);
    const controls = await tab.value('document.querySelectorAll("a, button, summary").length');
    const reached = new Set<unknown>();
    for (let presses = 0; presses < 60; presses++) {
      await tab.press('Tab');
      const [at, outline] = Object(
        await tab.value(
          '[[...document.querySelectorAll("a, button, summary")].indexOf(document.activeElement), getComputedStyle(document.activeElement).outlineStyle]',
        ),
      );
      if (at < 0) continue;
      expect([at, outline]).toEqual([at, 'solid']);
      reached.add(at);
    }
    // Those in closed parts are reached once these are open.
    const hidden = await tab.value('document.querySelectorAll("details:not([open]) :is(a, button)").length');
    expect(reached.size).toBe(Number(controls) - Number(hidden));
  });
});
