import { afterAll, describe, expect, it } from '@jest/globals';
import { Api, eventually } from '@rampart/testing';
import { type TOTP, URI } from 'otpauth';
import { DashboardBrowser } from './dashboard-browser.js';
import type { OwnScene } from './scene.js';

/** The tests of templates, admins and settings, in the browser and the management that a suite has started. */
export function administrationCases(scene: () => OwnScene, root: { username: string; password: string }): void {
  const browser = () => scene().browser;
  const api = () => scene().api;
  const page = () => browser().page;
  const button = (name: string) => page().getByRole('button', { name, exact: true }).first();
  const box = (name: string) => page().getByRole('textbox', { name, exact: true }).first();

  describe('the templates', () => {
    it('a template is created, and a user from it needs only a name', async () => {
      await browser().visit('/templates');
      await button('New template').click();
      await box('Name').fill('weekly');
      await page().getByRole('combobox', { name: 'Groups' }).click();
      await page().getByRole('option', { name: 'everyone' }).click();
      await box('Lasts').fill('7');
      await box('Begin with').fill('w-');
      await button('Create').click();
      await button('New user: weekly').click();
      await box('Name').fill('bob');
      await page().getByText('The name will be w-bob').waitFor();
      await button('Create').click();
      await page().getByRole('img', { name: 'QR code of the subscription of w-bob' }).waitFor();
      expect(await api().get('/api/user/w-bob')).toMatchObject({ group_ids: [1], data_limit: 0 });
    });

    it('a template that somebody else has changed is saved over it only when asked to, and keeps what the other has changed beside', async () => {
      await browser().visit('/templates');
      const weekly = () => api().get<{ id: number; name: string }[]>('/api/user_templates');
      await button('Edit: weekly').click();
      await box('Name').fill('seven days');
      const { id } = (await weekly()).find(({ name }) => name === 'weekly') as { id: number };
      await api().modify(`/api/user_template/${id}`, { name: 'week', data_limit: 5 * 2 ** 30 });
      await button('Save').click();
      await page().getByText('Somebody else has changed this meanwhile').waitFor();
      expect(await page().getByRole('definition').allTextContents()).toEqual(['week', '5']);
      expect(await page().getByRole('term').allTextContents()).toEqual(['Name', 'Traffic']);
      await button('Save mine all the same').click();
      await button('Edit: seven days').waitFor();
      expect(await api().get(`/api/user_template/${id}`)).toMatchObject({
        name: 'seven days',
        data_limit: 5 * 2 ** 30,
      });
    });
  });

  describe('the admins', () => {
    const HELPER = { username: 'helper', password: 'a password for helper' };
    const NEXT = 'another password for helper';
    let helper: DashboardBrowser;
    afterAll(() => helper?.close());

    const own = (name: string) => helper.page.getByRole('button', { name, exact: true }).first();
    /** Fills the field of a password in the dialog that is open, and sends it. */
    const sendPassword = async (name: string, password: string) => {
      await helper.page.getByRole('dialog').getByLabel(name).fill(password);
      await helper.page.getByRole('dialog').locator('button[type=submit]').click();
    };

    it('an admin is created, and sees only what it may', async () => {
      await browser().visit('/admins');
      await button('New admin').click();
      await box('Username').fill(HELPER.username);
      await page().getByLabel('Password', { exact: false }).first().fill('short');
      await button('Create').click();
      await page().locator('[id$=-error]').first().waitFor();
      await page().getByLabel('Password', { exact: false }).first().fill(HELPER.password);
      await button('Create').click();
      await button('Actions for helper').waitFor();
      helper = await DashboardBrowser.start(browser().origin);
      await helper.visit('/');
      await helper.logIn(HELPER.username, HELPER.password);
      expect(await helper.page.getByRole('navigation').getByRole('link').allTextContents()).toEqual([
        expect.stringContaining('Overview'),
        expect.stringContaining('Users'),
        expect.stringContaining('Templates'),
      ]);
    });

    it('an API token is shown once, works, and is refused after it was revoked', async () => {
      await helper.visit('/account');
      await own('New token').click();
      await helper.page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('bot');
      await own('Create').click();
      const token = await helper.page.getByRole('textbox', { name: 'The new token' }).inputValue();
      expect(token).toMatch(/^rampart_/);
      await helper.page.keyboard.press('Escape');
      const bot = new Api(browser().origin, token);
      expect(await bot.get('/api/admin')).toMatchObject({ username: HELPER.username });
      await own('Revoke: bot').click();
      await helper.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await helper.page.getByText('There are no tokens.').waitFor();
      expect((await bot.send('GET', '/api/admin')).status).toBe(401);
    });

    it('security row 42: an old login is asked for its password in place, and the form that waits for it goes through', async () => {
      const before = await api().get<{ username: string; version: string }[]>('/api/admins?username=helper');
      await browser().visit('/admins');
      const edit = async () => {
        await button('Actions for helper').click();
        await page().getByRole('menuitem', { name: 'Edit' }).click();
      };
      scene().clock.moveTo(11);
      try {
        await edit();
        await page().getByLabel('New password').fill(`${HELPER.password}!`);
        await box('Title').fill('Shop');
        await button('Save').click();
        const form = page().getByRole('dialog', { name: 'Edit helper' });
        const question = page().getByRole('dialog', { name: 'Is it you?' });
        await question.waitFor();
        // Whoever gives up keeps the form, and nothing has changed.
        await question.getByRole('button', { name: 'Cancel' }).click();
        await question.waitFor({ state: 'hidden' });
        expect(await box('Title').inputValue()).toBe('Shop');
        expect(await api().get('/api/admins?username=helper')).toEqual(before);
        await button('Save').click();
        await question.getByLabel('Password').first().fill('not this one');
        await question.getByRole('button', { name: 'Go on' }).click();
        await question.getByText('This is not your password').waitFor();
        await question.getByLabel('Password').first().fill(root.password);
        await question.getByRole('button', { name: 'Go on' }).click();
        await form.waitFor({ state: 'hidden' });
        expect(await api().get('/api/admins?username=helper')).toMatchObject([{ profile_title: 'Shop' }]);
        await new Api(browser().origin).login(HELPER.username, `${HELPER.password}!`);
        // The next change needs no question.
        await edit();
        await page().getByLabel('New password').fill(HELPER.password);
        await button('Save').click();
        await form.waitFor({ state: 'hidden' });
      } finally {
        scene().clock.moveTo(0);
      }
      await helper.visit('/account');
      await helper.logIn(HELPER.username, HELPER.password);
    });

    it('an own new password ends all logins but that of the browser in which it was changed', async () => {
      const other = await new Api(browser().origin).login(HELPER.username, HELPER.password);
      await own('Change the password').click();
      await helper.page.getByRole('dialog').getByLabel('New password').fill(NEXT);
      await sendPassword('Present password', 'not this one');
      await helper.page.getByText('This is not your password').waitFor();
      await sendPassword('Present password', HELPER.password);
      await helper.page.getByText('The password was changed').waitFor();
      expect((await other.send('GET', '/api/admin')).status).toBe(401);
      await helper.visit('/account');
      await helper.page.getByText('This browser', { exact: true }).waitFor();
    });

    it('a second factor is turned on with a QR code, and the next login asks for a code', async () => {
      await own('Turn on').click();
      await sendPassword('Present password', NEXT);
      const code = helper.page.getByRole('img', { name: 'QR code for the authenticator app' });
      const app = URI.parse((await code.getAttribute('data-text')) ?? '') as TOTP;
      await helper.page.getByRole('textbox', { name: 'Code of the app' }).fill(app.generate());
      await helper.page.getByRole('dialog').locator('button[type=submit]').click();
      const codes = (await helper.page.getByRole('textbox', { name: 'Recovery codes' }).inputValue()).split('\n');
      expect(codes).toHaveLength(10);
      await helper.page.keyboard.press('Escape');
      await helper.page.getByText('10 recovery codes are left').waitFor();
      await helper.page.context().clearCookies();
      await helper.visit('/account');
      await helper.page.locator('input[autocomplete=username]').fill(HELPER.username);
      await helper.page.locator('input[autocomplete=current-password]').fill(NEXT);
      await own('Log in').click();
      await helper.page.locator('input[autocomplete=one-time-code]').fill(codes[0] ?? '');
      await own('Log in').click();
      await helper.page.getByText('9 recovery codes are left').waitFor();
      await own('Turn off').click();
      await helper.page
        .getByRole('dialog')
        .getByLabel('Code of the authenticator app')
        .fill(codes[1] ?? '');
      await sendPassword('Present password', NEXT);
      await own('Turn on').waitFor();
      expect(helper.problems).toEqual([]);
    });

    it('the login of another admin is seen and ended, and its page asks to log in again', async () => {
      await browser().visit('/admins');
      await button('Actions for helper').click();
      await page().getByRole('menuitem', { name: 'Logins and tokens' }).click();
      const ends = page().getByRole('button', { name: /^End: / });
      await ends.first().waitFor();
      // Escape closes the form, and not the dialog behind it.
      await button('New token').click();
      await page().getByRole('dialog', { name: 'New token' }).getByRole('textbox', { name: 'Name' }).press('Escape');
      await page().getByRole('dialog', { name: 'New token' }).waitFor({ state: 'hidden' });
      while ((await ends.count()) > 0) {
        const count = await ends.count();
        await ends.first().click();
        await eventually(
          'the login is gone from the list',
          async (saw) => saw(await ends.count()) < count || undefined,
        );
      }
      await page().getByText('Nobody is logged in.').waitFor();
      await helper.visit('/account');
      await helper.page.locator('input[autocomplete=username]').waitFor();
      await page().keyboard.press('Escape');
    });

    it('an admin is disabled after a question, and what it has used is shown', async () => {
      await button('Actions for helper').click();
      await page().getByRole('menuitem', { name: 'Disable', exact: true }).click();
      await page().getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
      await page()
        .getByRole('row', { name: /helper.*Disabled.*0 B/ })
        .waitFor();
      expect(
        (
          await new Api(browser().origin).send(
            'POST',
            '/api/admin/token',
            new URLSearchParams({ ...HELPER, password: NEXT }),
          )
        ).status,
      ).toBe(403);
    });
  });

  describe('the settings', () => {
    const subscription = async () =>
      (await api().get<{ subscription: Record<string, unknown> }>('/api/settings')).subscription;

    it('a rule is tried before it is saved, and decides afterwards what a client gets', async () => {
      await browser().visit('/settings?tab=rules');
      await box('User-Agent').fill('MyApp/1');
      await page().getByText('By rule 6').waitFor();
      await button('New rule at the top').click();
      const rule = page().getByRole('group', { name: 'Rule 1' });
      await rule.getByRole('textbox', { name: 'Pattern (RE2)' }).fill('(');
      await button('Save').click();
      await page().getByText('Input should be a short regular expression').waitFor();
      await rule.getByRole('textbox', { name: 'Pattern (RE2)' }).fill('MyApp');
      await rule.getByRole('combobox', { name: 'Format' }).click();
      await page().getByRole('option', { name: 'Xray' }).click();
      await page().getByText('By rule 1').waitFor();
      await rule.getByRole('textbox', { name: 'Further headers' }).fill('x-mine: 1');
      await button('Save').click();
      await page().getByText('The settings are saved').waitFor();
      const preview = await api().get<{ headers: object }>('/api/user/alice/preview?client=MyApp/1');
      expect(preview).toMatchObject({ format: 'xray', headers: { 'x-mine': '1' } });
    });

    it('settings that somebody else has saved meanwhile are shown, and both changes are kept', async () => {
      await browser().visit('/settings');
      await box('Title').fill('Mine');
      await api().modify('/api/settings', { subscription: { ...(await subscription()), announce: 'theirs' } });
      await button('Save').click();
      await page().getByText('Somebody else has changed this meanwhile').waitFor();
      expect(await page().getByRole('term').allTextContents()).toEqual(['Announcement']);
      expect(await page().getByRole('definition').allTextContents()).toEqual(['theirs']);
      expect(await box('Title').inputValue()).toBe('Mine');
      await button('Save mine all the same').click();
      await page().getByText('The settings are saved').waitFor();
      expect(await subscription()).toMatchObject({ profile_title: 'Mine', announce: 'theirs' });
    });

    it('a logo is chosen for the page of a subscription, made smaller where it is too large, and taken away', async () => {
      await browser().visit('/settings');
      const choose = async (name: string, picture: string) => {
        const chooser = page().waitForEvent('filechooser');
        await page().getByLabel('Logo on the page of users').first().click();
        await (await chooser).setFiles({ name, mimeType: 'image/svg+xml', buffer: Buffer.from(picture) });
      };
      const shown = page().getByRole('img', { name: 'Logo on the page of users' });
      const svg = (more = '') =>
        `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200"><rect width="400" height="200" fill="red"/>${more}</svg>`;
      await choose('no picture.svg', 'x'.repeat(9000));
      await page().getByText('This picture cannot be made small enough.').waitFor();
      await choose('small.svg', svg());
      await shown.waitFor();
      expect(await shown.getAttribute('src')).toBe(
        `data:image/svg+xml;base64,${Buffer.from(svg()).toString('base64')}`,
      );
      await choose('large.svg', svg(`<!--${'x'.repeat(9000)}-->`));
      await page().locator('img[src^="data:image/webp;base64,"]').waitFor();
      await button('Save').click();
      await page().getByText('The settings are saved').waitFor();
      expect(await subscription()).toMatchObject({
        logo: expect.stringMatching(/^data:image\/webp;base64,.{20,5970}$/),
      });
      const { subscription_url: url } = await api().get<{ subscription_url: string }>('/api/user/alice');
      const answer = await fetch(browser().origin + new URL(url).pathname, { headers: { accept: 'text/html' } });
      expect(await answer.text()).toContain('<img class="logo" src="data:image/webp;base64,');
      await button('Remove').click();
      await button('Save').click();
      await shown.waitFor({ state: 'detached' });
      await eventually('the logo is gone', async (saw) => saw(await subscription()).logo === '' || undefined);
    });

    it('an application is added for the page of a subscription', async () => {
      await browser().visit('/settings?tab=applications');
      await button('New application').click();
      await box('Name').fill('MyApp');
      await box('Address that adds a subscription').fill('myapp://add');
      await button('Save').click();
      await page().getByText('Input should be the address of an application with {url} in it').waitFor();
      await box('Address that adds a subscription').fill('myapp://add/{url}');
      await button('Save').click();
      await page().getByRole('row', { name: /MyApp/ }).waitFor();
      expect(await subscription()).toMatchObject({ applications: [{ name: 'MyApp', platform: 'android' }] });
    });

    it('failing hosts are left out only where hosts are probed by time', async () => {
      await browser().visit('/settings?tab=probes');
      const hide = page().getByRole('switch', { name: 'Leave failing hosts out of subscriptions' });
      await hide.waitFor();
      expect(await hide.isDisabled()).toBe(true);
      await box('Probe all hosts every').fill('30');
      await hide.check({ force: true });
      await button('Save').click();
      await page().getByText('The settings are saved').waitFor();
      expect(await api().get('/api/settings/probes')).toMatchObject({ every_minutes: 30, hide_failing: true });
      await api().modify('/api/settings/probes', {});
    });

    it('a draft is not left without a question', async () => {
      await browser().visit('/settings');
      await box('Title').fill('draft');
      const asked = browser().expectQuestion();
      void page().getByRole('tab', { name: 'Probes' }).click();
      const question = await asked;
      expect(question.message()).toBe('What you have entered will be lost.');
      await question.dismiss();
      expect(await box('Title').inputValue()).toBe('draft');
      await button('Discard').click();
      await page().getByRole('tab', { name: 'Probes' }).click();
      await page().getByText('Hosts are tried with a client').waitFor();
    });
  });
}
