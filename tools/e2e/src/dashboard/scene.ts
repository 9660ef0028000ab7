import type { Api } from '@rampart/testing';
import type { DashboardBrowser } from './dashboard-browser.js';

/** The one management that the tests of all pages share, and the browser that is logged in to it. */
export interface Scene {
  api: Api;
  browser: DashboardBrowser;
}
