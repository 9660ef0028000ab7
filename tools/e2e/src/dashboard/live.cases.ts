import { describe, expect, it } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import type { Scene } from './scene.js';

const isStream = (request: Request) => request.url().endsWith('/api/events');

/** Notes the paths of requests from now on. */
function requestsOf(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => void paths.push(new URL(request.url()).pathname));
  return paths;
}

/** Shows the page, or hides it as another tab in front of it does. */
const show = (page: Page, isShown: boolean) =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isShown} });
    document.dispatchEvent(new Event('visibilitychange'))`);

/** Counts what changes in the document in a second of frames, until one is without a change or ten are not. */
const CHANGES_AT_REST = `(async () => {
  let changes = 0;
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  const observer = new MutationObserver((list) => { changes += list.length; });
  observer.observe(document, all);
  for (let second = 0; second < 10; second++) {
    changes = 0;
    for (let frame = 0; frame < 60; frame++) await new Promise(requestAnimationFrame);
    if (changes === 0) break;
  }
  observer.disconnect();
  return changes;
})()`;

const AT_REST = [
  '/',
  '/users',
  '/users/alice',
  '/users/alice?tab=why',
  '/nodes',
  '/hosts',
  '/cores',
  '/audit',
  '/settings',
];

/** What the dashboard hears by itself. */
export function liveCases(scene: () => Scene): void {
  const group = (name: string) =>
    scene().api.create<{ id: number }>('/api/group', { name, inbound_tags: ['Shadowsocks TCP'] });

  describe('a page at rest', () => {
    it.each(AT_REST)('nothing of %s is drawn while nothing changes', async (path) => {
      const { browser } = scene();
      await browser.visit(path);
      await browser.page.getByRole('heading', { level: 1 }).waitFor();
      expect(await browser.page.evaluate(CHANGES_AT_REST)).toBe(0);
    });
  });

  describe('changes by others', () => {
    it('a change by another program appears in every tab, of which one has a connection, and nothing is asked for again', async () => {
      const { page } = scene().browser;
      const other = await page.context().newPage();
      // The clock is that of all tabs.
      await page.clock.install();
      const opened: string[] = [];
      for (const one of [page, other]) one.on('request', (request) => isStream(request) && opened.push(request.url()));
      const ready = page.waitForResponse((response) => isStream(response.request()));
      await scene().browser.visit('/groups');
      await ready;
      await other.goto(page.url());
      await other.getByRole('table').waitFor();
      const asked = [requestsOf(page), requestsOf(other)];
      await page.clock.fastForward(30_000);
      const { id } = await group('heardbyall');
      await page.clock.fastForward(2_000);
      for (const one of [page, other]) await one.getByRole('table').getByText('heardbyall').waitFor();
      await other.close();
      expect(opened).toHaveLength(1);
      for (const paths of asked) expect(paths.filter((path) => path === '/api/groups')).toEqual(['/api/groups']);
      await scene().api.remove(`/api/group/${id}`);
    });

    it('a page that was hidden goes on after the last change that it has heard', async () => {
      const { page } = scene().browser;
      await scene().browser.visit('/groups');
      await page.getByRole('table').waitFor();
      const { id } = await group('before');
      await page.getByRole('table').getByText('before').waitFor();
      await show(page, false);
      await scene().api.remove(`/api/group/${id}`);
      const again = page.waitForRequest(isStream);
      await show(page, true);
      expect((await again).headers()['last-event-id']).toMatch(/^\d+$/);
      await page.getByRole('table').getByText('before').waitFor({ state: 'detached' });
    });

    it('while the connection is broken the page says so and asks again, and it stops asking once it hears again', async () => {
      const { page } = scene().browser;
      await page.route('**/api/events', (route) =>
        route.fulfill({ status: 503, json: { detail: 'busy', code: 'BUSY' } }),
      );
      await scene().browser.visit('/groups');
      await page.getByText('Not live').waitFor();
      const { id } = await group('polled');
      await page.clock.fastForward(10_000);
      await page.getByRole('table').getByText('polled').waitFor();
      await page.unroute('**/api/events');
      await page.clock.fastForward(30_000);
      await page.getByText('Not live').waitFor({ state: 'detached' });
      await scene().api.remove(`/api/group/${id}`);
      await page.clock.fastForward(1_000);
      await page.getByRole('table').getByText('polled').waitFor({ state: 'detached' });
      await page.clock.resume();
    });
  });
}
