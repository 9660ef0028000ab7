import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { enrolNode } from '../testing/enrolled-node.js';
import type { DashboardBrowser } from './dashboard-browser.js';
import { OwnScene, ROOT } from './scene.js';

jest.setTimeout(180_000);

let scene: OwnScene;
let browser: DashboardBrowser;

beforeAll(async () => {
  scene = await OwnScene.start(100);
  ({ browser } = scene);
  const { api } = scene;
  await api.create('/api/user', {
    username: 'alice',
    group_ids: [1],
    expire: '2100-01-01T00:00:00Z',
    data_limit: 2 ** 30,
  });
  await enrolNode(api, 'paris');
  await browser.page.goto(`${browser.origin}/`);
  await browser.logIn(ROOT.username, ROOT.password);
});

afterAll(() => scene?.end());

describe('every page', () => {
  const PAGES = [
    '/',
    '/users',
    '/users?create=true',
    '/users/alice',
    '/users/alice?tab=why',
    '/users/alice?tab=usage',
    '/nodes',
    '/hosts',
    '/groups',
    '/audit',
    '/cores',
    '/cores/1',
    '/templates',
    '/admins',
    '/account',
    '/settings',
    '/settings?tab=rules',
    '/settings?tab=applications',
    '/settings?tab=probes',
    '/settings?tab=dashboard',
    '/nothing',
  ];

  const nameOf = (path: string) => path.slice(1).replaceAll(/\W+/g, '-') || 'overview';

  describe.each(['en', 'fa'])('every page in the language %s', (language) => {
    it.each(PAGES)(
      `the page %s in the language ${language} fulfils WCAG 2.2 AA in both colour schemes, on a desk and on a phone`,
      async (path) => {
        await browser.useLanguage(language);
        await browser.visit(path);
        await browser.page.locator('h1, h2').first().waitFor();
        await browser.loaded();
        expect(await browser.violations(`${language}-${nameOf(path)}`)).toEqual([]);
      },
    );
  });

  it('keeps to its content security policy, asks nobody else for anything, and logs no error', () => {
    expect(browser.problems).toEqual([]);
  });
});
