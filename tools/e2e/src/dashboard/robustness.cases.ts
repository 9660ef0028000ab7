import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { DashboardBrowser } from './dashboard-browser.js';
import type { Scene } from './scene.js';

/** The tests of what must not break the pages: failures of the server, other browsers, and no mouse. */
export function robustnessCases(scene: () => Scene, root: { username: string; password: string }): void {
  const browser = () => scene().browser;
  const api = () => scene().api;
  let other: DashboardBrowser;
  beforeAll(async () => {
    other = await DashboardBrowser.start(browser().origin);
    await other.visit('/');
    await other.logIn(root.username, root.password);
  });
  afterAll(() => other?.close());
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first();
  const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true }).first();

  describe('an API that misbehaves', () => {
    it('errors of the server are told on every page, and the menu still works', async () => {
      const fail = (route: Route) =>
        route.request().url().endsWith('/api/admin')
          ? route.fallback()
          : route.fulfill({ status: 500, json: { detail: 'Internal error', code: 'INTERNAL' } });
      await other.page.route('**/api/**', fail);
      const silent: string[] = [];
      for (const path of ['/nodes', '/hosts', '/groups', '/audit', '/cores', '/templates', '/admins', '/settings']) {
        await other.visit(path);
        const alert = other.page.locator('main').getByText('The server made a mistake.');
        await alert
          .first()
          .waitFor({ timeout: 5_000 })
          .catch(() => silent.push(path));
        await other.page.getByRole('navigation').getByRole('link', { name: 'Users' }).waitFor();
      }
      await other.page.unroute('**/api/**');
      expect(silent).toEqual([]);
    });

    it('a draft outlives an error of the server, a lost connection and the end of the login', async () => {
      const { page } = other;
      await other.visit('/templates');
      await button(page, 'New template').click();
      await box(page, 'Name').fill('draft');
      await page.getByRole('combobox', { name: 'Groups' }).click();
      await page.getByRole('option', { name: 'everyone' }).click();
      const url = '**/api/user_template';
      await page.route(url, (route) => route.fulfill({ status: 500, json: { detail: 'x', code: 'INTERNAL' } }));
      await button(page, 'Create').click();
      await page.getByText('The server made a mistake.').waitFor();
      await page.unroute(url);
      await page.route(url, (route) => route.abort());
      await button(page, 'Create').click();
      await page.getByText('The server cannot be reached.').waitFor();
      await page.unroute(url);
      await page.context().clearCookies();
      await button(page, 'Create').click();
      await page.getByText('Log in again').waitFor();
      await page.locator('input[autocomplete=current-password]').fill(root.password);
      await button(page, 'Log in').click();
      await page.getByText('Log in again').waitFor({ state: 'hidden' });
      expect(await box(page, 'Name').inputValue()).toBe('draft');
      await button(page, 'Create').click();
      await button(page, 'Edit: draft').waitFor();
    });
  });

  describe('two browsers', () => {
    it('two browsers that edit the same group: the second sees what the first has saved, and decides', async () => {
      const pages = [browser().page, other.page];
      for (const page of pages) {
        await page.goto(`${browser().origin}/dashboard/groups`);
        await button(page, 'Edit: everyone').click();
      }
      const [first, second] = pages as [Page, Page];
      await box(first, 'Name').fill('everyone1');
      await button(first, 'Save').click();
      await button(first, 'Edit: everyone1').waitFor();
      await box(second, 'Name').fill('everyone2');
      await button(second, 'Save').click();
      await second.getByText('Somebody else has changed this meanwhile').waitFor();
      expect(await second.getByRole('definition').allTextContents()).toEqual(['everyone1']);
      expect(await api().get('/api/group/1')).toMatchObject({ name: 'everyone1' });
      await button(second, 'Save mine all the same').click();
      await button(second, 'Edit: everyone2').waitFor();
      // The first browser hears of it without being asked.
      await button(first, 'Edit: everyone2').waitFor();
      await api().modify('/api/group/1', { name: 'everyone' });
    });
  });

  describe('the keyboard', () => {
    it('a template is found, changed and deleted with keys alone', async () => {
      const { page } = browser();
      const focused = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      /** Presses Tab until an element with this name has the focus. */
      const tabTo = async (name: string) => {
        for (let presses = 0; presses < 60; presses++) {
          if ((await focused()) === name) return;
          await press('Tab');
        }
        throw new Error(`Tab does not reach ${name}`);
      };
      await browser().visit('/');
      await page.locator('main h1').waitFor();
      await press('?');
      await page.getByRole('dialog').getByText('Templates').waitFor();
      await press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await press('g', 't');
      await page.getByRole('heading', { name: 'Templates' }).waitFor();
      await button(page, 'Edit: draft').waitFor();
      await press('n');
      await page.locator('[role=dialog] input:focus').waitFor();
      await page.keyboard.type('by keys');
      await press('Tab', 'ArrowDown', 'Enter', 'Escape');
      await tabTo('Create');
      await press('Enter');
      await button(page, 'Edit: by keys').waitFor();
      await tabTo('Edit: by keys');
      await press('Enter');
      await page.locator('[role=dialog] input:focus').waitFor();
      await press('End');
      await page.keyboard.type(' alone');
      await press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await button(page, 'Edit: by keys alone').waitFor();
      expect(await focused()).toBe('Edit: by keys alone');
      await tabTo('Delete: by keys alone');
      await press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).waitFor();
      await press('Tab', 'Enter');
      await button(page, 'Delete: by keys alone').waitFor({ state: 'hidden' });
      expect(JSON.stringify(await api().get('/api/user_templates'))).not.toContain('by keys');
    });
  });
}
