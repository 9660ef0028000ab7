import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freePort, ProgramProcess, scratchFolder } from '@rampart/testing';
import { type TOTP, URI } from 'otpauth';
import { movedClock } from '../testing/moved-clock.js';
import { DashboardBrowser } from './dashboard-browser.js';

jest.setTimeout(120_000);

const ROOT = { username: 'root', password: 'a password for the second factor' };

describe('the dashboard of an installation that requires a second factor', () => {
  const folder = mkdtempSync(join(scratchFolder(), 'rampart-second-factor-'));
  const clock = movedClock(folder);
  let port: string;
  let management: ProgramProcess;
  let browser: DashboardBrowser;
  let recoveryCodes: string[] = [];

  async function startManagement(): Promise<void> {
    management = new ProgramProcess('management', {
      RAMPART_DATA_DIR: join(folder, 'management'),
      RAMPART_PORT: port,
      RAMPART_ADMIN_USERNAME: ROOT.username,
      RAMPART_ADMIN_PASSWORD: ROOT.password,
      RAMPART_REQUIRE_TOTP: 'all',
      ...clock.env,
    });
    await management.printed('Ready on');
  }

  beforeAll(async () => {
    port = String(await freePort());
    await startManagement();
    browser = await DashboardBrowser.start(`http://127.0.0.1:${port}`);
  });
  afterAll(async () => {
    await browser?.close();
    await management?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const button = (name: string) => browser.page.getByRole('button', { name, exact: true });
  const links = () => browser.page.locator('nav a');
  const sendDialog = () => browser.page.getByRole('dialog').locator('button[type=submit]').click();

  async function sendPassword(): Promise<void> {
    await browser.page.locator('input[autocomplete=username]').fill(ROOT.username);
    await browser.page.locator('input[autocomplete=current-password]').fill(ROOT.password);
    await button('Log in').click();
  }

  it('security row 51: an admin without one sees nothing but how to set it up, and goes on afterwards', async () => {
    await browser.visit('/users');
    await sendPassword();
    const text = browser.page.getByText('Your installation requires a second factor. Set one up to go on.');
    await text.waitFor();
    await browser.visit('/admins');
    await text.waitFor();
    expect(await links().count()).toBe(0);
    expect(await browser.violations('en-required-factor')).toEqual([]);
    await button('Turn on').click();
    await browser.page.getByRole('dialog').getByLabel('Present password').fill(ROOT.password);
    await sendDialog();
    const code = browser.page.getByRole('img', { name: 'QR code for the authenticator app' });
    const app = URI.parse((await code.getAttribute('data-text')) ?? '') as TOTP;
    await browser.page.getByRole('textbox', { name: 'Code of the app' }).fill(app.generate());
    await sendDialog();
    recoveryCodes = (await browser.page.getByRole('textbox', { name: 'Recovery codes' }).inputValue()).split('\n');
    await browser.page.keyboard.press('Escape');
    expect(await links().count()).toBe(0);
    await button('Go on').click();
    await links().first().waitFor();
    expect(new URL(browser.page.url()).pathname).toBe('/dashboard/admins');
    expect(browser.problems).toEqual([]);
  });

  it('security row 49: an admin whose password somebody else has used without a code is told where at the next login, until it says that it knows', async () => {
    expect(await logInWithoutCode('127.9.8.7')).toBe(401);
    // The code of an ordinary login follows within five minutes; a management that starts looks at once.
    clock.moveTo(6);
    await management.stop();
    await startManagement();
    await browser.page.context().clearCookies();
    await browser.visit('/');
    await sendPassword();
    await browser.page.locator('input[autocomplete=one-time-code]').fill(recoveryCodes[0] ?? '');
    await button('Log in').click();
    const notice = browser.page.getByRole('alert').filter({ hasText: 'Your password was used without a code' });
    await notice.getByText('127.9.8.0/24').waitFor();
    expect(await notice.textContent()).toContain('If it was not you, change your password now.');
    expect(await browser.violations('en-password-without-code')).toEqual([]);
    await button('It was me').click();
    await notice.waitFor({ state: 'detached' });
    await browser.page.reload();
    await links().first().waitFor();
    await browser.loaded();
    expect(await notice.count()).toBe(0);
  });

  /** The status of a login with the right password and without a code, from this address of the machine. */
  async function logInWithoutCode(localAddress: string): Promise<number | undefined> {
    const options = { host: '127.0.0.1', port, localAddress, method: 'POST', path: '/api/admin/token' };
    const call = request({ ...options, headers: { 'content-type': 'application/json' } }).end(JSON.stringify(ROOT));
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  }
});
