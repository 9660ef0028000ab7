import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import type { Locator } from 'playwright-core';
import { DashboardBrowser } from './dashboard-browser.js';
import type { Scene } from './scene.js';
import { StrangeAnswers } from './strange-answers.js';

const PAGES = [
  ...[
    '/',
    '/users',
    '/users?create=true',
    '/users/alice?edit=true',
    '/users/alice?tab=clients',
    '/users/alice?tab=why',
  ],
  ...['/nodes', '/hosts', '/groups', '/audit', '/cores', '/cores/1', '/templates', '/admins', '/account', '/settings'],
  ...['/settings?tab=rules'],
];
/** Of these, another seed has found other faults. */
const RICH_PAGES = ['/', '/users', '/users/alice?tab=why', '/nodes', '/settings'];
const LISTS = ['/users', '/groups'];
/** What addresses of strange names are answered with. */
const EXPECTED = /Failed to load resource: the server responded with a status of (?:400|404|422|431)/;

/** Answers of the API that no version of it gives leave no page blank, and no draft is lost over them. */
export function strangeCases(scene: () => Scene, root: { username: string; password: string }): void {
  let browser: DashboardBrowser;
  let answers: StrangeAnswers;
  beforeAll(async () => {
    browser = await DashboardBrowser.start(scene().browser.origin);
    await browser.visit('/');
    await browser.logIn(root.username, root.password);
    answers = await StrangeAnswers.to(browser.page);
  });
  afterAll(() => browser?.close());
  const button = (name: string) => browser.page.getByRole('button', { name, exact: true }).first();
  const errors = () => browser.problems.filter((problem) => !EXPECTED.test(problem));

  /** Opens a page, which must show its heading or why it cannot be shown. */
  const open = async (path: string) => {
    await browser.visit(path);
    await browser.page.locator('h1, [role=alert]').first().waitFor({ timeout: 10_000 });
    await browser.loaded();
  };

  /** Tries again what could not be shown, first in what lies above the page, until everything is. */
  const recover = () =>
    eventually('everything is shown', async () => {
      const dialogs = browser.page.getByRole('dialog');
      const isCovered = (await dialogs.count()) > 0;
      const again = (isCovered ? dialogs.last() : browser.page.locator('#root')).getByRole('button', {
        name: 'Try again',
      });
      // What loads by itself at this moment takes its button away.
      if ((await again.count()) > 0)
        await again
          .first()
          .click({ timeout: 1_000 })
          .catch(() => undefined);
      else if (isCovered) await browser.page.keyboard.press('Escape');
      await browser.loaded();
      const [covers, failures, headings] = await Promise.all(
        ['[role=dialog]', 'main [role=alert] button', 'main h1'].map((what) => browser.page.locator(what).count()),
      );
      return covers === 0 && failures === 0 && headings === 1;
    });

  describe('strange answers', () => {
    it.each([
      [1, PAGES],
      [2, RICH_PAGES],
    ] as const)(
      'unknown values, missing members and other kinds leave no page blank, and each one recovers (seed %d)',
      async (seed, pages) => {
        const lost: string[] = [];
        for (const path of pages) {
          answers.fromSeed(seed);
          await open(path).catch((error: unknown) => lost.push(`${path} is blank: ${error}`));
          answers.sane();
          await recover().catch((error: unknown) => lost.push(`${path} does not recover: ${error}`));
        }
        await browser.page.getByRole('navigation').getByRole('link', { name: 'Groups' }).click();
        await button('Edit: everyone')
          .waitFor()
          .catch(async () =>
            lost.push(`the groups do not show, but ${await browser.page.locator('body').textContent()}`),
          );
        expect(lost).toEqual([]);
        expect(errors()).toEqual([]);
      },
    );

    it('names of a megabyte do not stop the lists', async () => {
      for (const path of LISTS) {
        answers.withHugeNames();
        await open(path);
        answers.sane();
        await recover();
      }
      expect(errors()).toEqual([]);
    });

    it('drafts outlive strange answers to what is asked for again meanwhile', async () => {
      const { page } = browser;
      const { api } = scene();
      const [tag] = await api.get<string[]>('/api/inbounds');
      // What happens to users is heard by the lists of groups, which count them.
      await api.create('/api/user', { username: 'bystander' });
      const draft = async (path: string, begin: Locator | undefined, field: Locator, list: string) => {
        await browser.visit(path);
        await begin?.click();
        await field.fill('a draft');
        for (const [round, disturb] of [
          () => answers.withNothingBut(null),
          () => answers.fromSeed(1),
          () => answers.sane(),
        ].entries()) {
          disturb();
          const answered = page.waitForResponse((response) => response.url().endsWith(list));
          await change(list, round);
          await answered;
          await browser.loaded();
        }
        expect(await field.inputValue()).toBe('a draft');
      };
      const change = (list: string, round: number) =>
        list === '/api/groups'
          ? api.modify('/api/user/bystander', { note: `round ${round}` })
          : api.create('/api/host', { remark: `r${round}`, address: ['192.0.2.8'], inbound_tag: tag, priority: 9 });
      const box = (name: string) => page.getByRole('dialog').getByRole('textbox', { name, exact: true }).last();
      await draft('/users/alice?edit=true', undefined, box('Note'), '/api/groups');
      await button('Save').click();
      await page.getByText('was saved').first().waitFor();
      await draft('/templates', button('Edit: monthly'), box('Name'), '/api/groups');
      await draft('/hosts', button('Edit: first {USERNAME}'), box('Name'), '/api/hosts');
      expect(await api.get('/api/user/alice')).toMatchObject({ note: 'a draft' });
      expect(errors()).toEqual([]);
    });
  });
}
