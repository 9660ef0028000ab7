import { expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import type { Locator } from 'playwright-core';
import type { Scene } from './scene.js';

interface User {
  status: string;
  group_ids: number[];
  note: string | null;
  expire: string;
}

/** What is done with users from their list and their drawer. */
export function userCases(scene: () => Scene): void {
  const page = () => scene().browser.page;
  const button = (name: string) => page().getByRole('button', { name, exact: true }).first();
  const user = (name: string) => scene().api.get<User>(`/api/user/${name}`);

  it('the list asks for what it shows, and gets no credentials', async () => {
    // The page before may be the list, which asks again whenever users change.
    await scene().browser.visit('/audit');
    const answer = page().waitForResponse((response) => new URL(response.url()).pathname === '/api/users');
    await scene().browser.visit('/users');
    const { users } = (await (await answer).json()) as { users: object[] };
    expect(Object.keys(users[0] ?? {}).sort()).toEqual(
      ['data_limit', 'expire', 'id', 'note', 'online_at', 'status', 'used_traffic', 'username'].sort(),
    );
  });

  it('a change of many users says how many it would change before it changes exactly these', async () => {
    const before = new Date((await user('user1300')).expire).getTime();
    await scene().browser.visit('/users?q=user130');
    await page().getByRole('link', { name: 'user1300' }).waitFor();
    await button('Change all…').click();
    await page().getByRole('textbox', { name: 'Days' }).fill('10');
    await page().getByText('10 users would change').waitFor();
    expect(new Date((await user('user1300')).expire).getTime()).toBe(before);
    await button('Change 10 users').click();
    await page().getByText('10 users were changed').waitFor();
    expect(new Date((await user('user1300')).expire).getTime()).toBe(before + 864_000_000);
    expect(new Date((await user('user1299')).expire).getTime()).toBeLessThan(before + 86_400_000);
  });

  it('selected users are disabled together', async () => {
    await scene().browser.visit('/users?q=user131');
    for (const name of ['user1310', 'user1312']) await page().getByLabel(`Select: ${name}`).check();
    await page().getByText('2 users selected').first().waitFor();
    await button('Disable').click();
    const question = page().getByRole('dialog', { name: 'Disable 2 users?' });
    expect(await question.textContent()).toContain('user1310, user1312');
    await question.getByRole('button', { name: 'Disable' }).click();
    await page().getByText('2 users selected').first().waitFor({ state: 'detached' });
    const states = await Promise.all(['user1310', 'user1311', 'user1312'].map(user));
    expect(states.map(({ status }) => status)).toEqual(['disabled', 'active', 'disabled']);
  });

  it('a list that is here as a whole is selected by the box in its header', async () => {
    await scene().browser.visit('/users?q=user133');
    await page().getByLabel('Select all').check();
    await page().getByText('10 users selected').first().waitFor();
    await page().getByLabel('Select all').uncheck();
    await page().getByText('10 users selected').first().waitFor({ state: 'detached' });
  });

  it('a click with Shift selects a range, "Change all" means the list all the same, and another filter selects nobody', async () => {
    await scene().browser.visit('/users?q=user133&sort=username');
    await page().getByLabel('Select: user1331').click();
    await page()
      .getByLabel('Select: user1334')
      .click({ modifiers: ['Shift'] });
    await page().getByText('4 users selected').first().waitFor();
    await button('Change all…').click();
    const dialog = page().getByRole('dialog', { name: 'Change all 10 users of this list' });
    await dialog.getByRole('textbox', { name: 'Days' }).fill('1');
    await dialog.getByText('10 users would change').waitFor();
    await page().keyboard.press('Escape');
    await page().getByPlaceholder('Search, or is:expired group:vip').fill('user134');
    await page().getByRole('link', { name: 'user1340' }).waitFor();
    expect(await page().getByText('users selected').count()).toBe(0);
  });

  it('a change of selected users is undone for exactly those whom it has changed', async () => {
    const { api, browser } = scene();
    await api.modify('/api/user/user1351', { status: 'on_hold', on_hold_expire_duration: 86_400, expire: 0 });
    await api.modify('/api/user/user1352', { status: 'disabled' });
    const names = ['user1350', 'user1351', 'user1352'];
    const states = async () => (await Promise.all(names.map(user))).map(({ status }) => status);
    await browser.visit('/users?q=user135');
    for (const name of names) await page().getByLabel(`Select: ${name}`).check();
    await button('Disable').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page().getByText('2 users were changed · 1 stayed as it was').waitFor();
    expect(await states()).toEqual(['disabled', 'disabled', 'disabled']);
    await button('Undo').click();
    await page().getByText('These users are as before').waitFor();
    expect(await states()).toEqual(['active', 'on_hold', 'disabled']);
  });

  it('"Undo" leaves a user as it is whom somebody else has changed since', async () => {
    const { api, browser } = scene();
    const names = ['user1355', 'user1356'];
    await browser.visit('/users?q=user135');
    for (const name of names) await page().getByLabel(`Select: ${name}`).check();
    await button('Disable').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page().getByText('2 users were changed').waitFor();
    await api.modify('/api/user/user1356', { note: 'disabled for a reason' });
    await button('Undo').click();
    await page().getByText('1 user was changed · 1 stayed as it was').waitFor();
    expect((await Promise.all(names.map(user))).map(({ status }) => status)).toEqual(['active', 'disabled']);
  });

  it('groups that were added to selected users are taken away by "Undo" from those who were not in them', async () => {
    const { api, browser } = scene();
    const { id } = await api.create<{ id: number }>('/api/group', { name: 'later', inbound_tags: ['Shadowsocks TCP'] });
    await api.modify('/api/user/user1361', { group_ids: [1, id] });
    const groups = async () =>
      (await Promise.all(['user1360', 'user1361'].map(user))).map(({ group_ids }) => group_ids);
    await browser.visit('/users?q=user136');
    for (const name of ['user1360', 'user1361']) await page().getByLabel(`Select: ${name}`).check();
    await button('Change…').click();
    const dialog = page().getByRole('dialog', { name: 'Change 2 users' });
    await dialog.getByRole('combobox', { name: 'Change' }).click();
    await page().getByRole('option', { name: 'Add to groups' }).click();
    await dialog.getByRole('combobox', { name: 'Groups' }).click();
    await page().getByRole('option', { name: 'later' }).click();
    await dialog.getByRole('button', { name: 'Change 1 user' }).click();
    await page().getByText('1 user was changed · 1 stayed as it was').waitFor();
    expect(await groups()).toEqual([
      [1, id],
      [1, id],
    ]);
    await button('Undo').click();
    await page().getByText('These users are as before').waitFor();
    expect(await groups()).toEqual([[1], [1, id]]);
    await api.remove(`/api/group/${id}`);
  });

  it('users on hold stay on hold when others are enabled together with them', async () => {
    await scene().api.modify('/api/user/user1311', { status: 'on_hold', on_hold_expire_duration: 86_400, expire: 0 });
    await scene().browser.visit('/users?q=user131');
    for (const name of ['user1310', 'user1311']) await page().getByLabel(`Select: ${name}`).check();
    await button('Enable').click();
    const question = page().getByRole('dialog', { name: 'Enable 2 users?' });
    await question.getByRole('button', { name: 'Enable' }).click();
    await page().getByText('2 users selected').first().waitFor({ state: 'detached' });
    const states = await Promise.all(['user1310', 'user1311'].map(user));
    expect(states.map(({ status }) => status)).toEqual(['active', 'on_hold']);
  });

  it('a draft in a dialog is not left by Back without a question', async () => {
    await scene().browser.visit('/groups');
    await page().getByRole('navigation').getByRole('link', { name: 'Users' }).click();
    await button('New user').click();
    const name = page().getByRole('textbox', { name: 'Name' });
    await name.fill('draft');
    const asked = scene().browser.expectQuestion();
    void page().evaluate('history.back()');
    const question = await asked;
    expect(question.message()).toBe('What you have entered will be lost.');
    await question.dismiss();
    await page().waitForURL('**/dashboard/users?create=true');
    expect(await name.inputValue()).toBe('draft');
    await button('Cancel').click();
    await button('Discard').click();
    await name.waitFor({ state: 'hidden' });
  });

  it('a view that was saved brings its filters and its order back', async () => {
    await scene().browser.visit('/users?status=disabled&sort=-created_at');
    await button('Views').click();
    await page().getByRole('menuitem', { name: 'Save this view…' }).click();
    await page().getByRole('textbox', { name: 'Name' }).fill('switched off');
    await button('Save').click();
    await scene().browser.visit('/users');
    await button('Views').click();
    await page().getByRole('menuitem', { name: 'switched off' }).click();
    await page().waitForURL(/status=disabled.*sort=-created_at/);
    await page().getByRole('link', { name: 'user1312' }).waitFor();
  });

  it('a disabled user and an edited one are as before after "Undo"', async () => {
    await scene().browser.visit('/users?q=user1320');
    await button('Actions for user1320').click();
    await page().getByRole('menuitem', { name: 'Disable' }).click();
    await page().getByText('user1320 is disabled').waitFor();
    await button('Undo').click();
    await eventually(
      'the user is active again',
      async (saw) => saw(await user('user1320')).status === 'active' || undefined,
    );
    await scene().browser.visit('/users/user1320?edit=true&q=user1320');
    await page().getByRole('textbox', { name: 'Note' }).fill('a wrong note');
    await button('Save').click();
    await page().getByText('user1320 was saved').waitFor();
    expect((await user('user1320')).note).toBe('a wrong note');
    await button('Undo').click();
    await eventually('the note is as before', async (saw) => saw(await user('user1320')).note === null || undefined);
  });

  it('"Undo" of one user is refused when somebody else has changed the user since', async () => {
    const { api, browser } = scene();
    await browser.visit('/users?q=user1357');
    await button('Actions for user1357').click();
    await page().getByRole('menuitem', { name: 'Disable' }).click();
    await page().getByText('user1357 is disabled').waitFor();
    await api.modify('/api/user/user1357', { note: 'disabled for a reason' });
    await button('Undo').click();
    await page().getByText('Somebody else has changed this meanwhile. Look at the change and try again.').waitFor();
    expect(await user('user1357')).toMatchObject({ status: 'disabled', note: 'disabled for a reason' });
  });

  it('messages on a phone cover neither the header nor the buttons beside a title, in lists and in drawers', async () => {
    const { browser } = scene();
    await page().setViewportSize({ width: 390, height: 844 });
    await browser.visit('/users?q=user1320');
    await button('Actions for user1320').click();
    await page().getByRole('menuitem', { name: 'Disable' }).click();
    await page().getByText('user1320 is disabled').waitFor();
    // A click on trial fails where something else lies above.
    for (const name of ['Menu', 'New user']) await button(name).click({ trial: true });
    await button('Undo').click();
    await eventually(
      'the user is active again',
      async (saw) => saw(await user('user1320')).status === 'active' || undefined,
    );
    await browser.visit('/users/user1320?q=user1320');
    const drawer = page().getByRole('dialog', { name: 'user1320' });
    await drawer.getByRole('button', { name: 'Disable' }).click();
    await page().getByText('user1320 is disabled').waitFor();
    for (const name of ['Close', 'Edit'])
      await drawer.getByRole('button', { name, exact: true }).click({ trial: true });
    await button('Undo').click();
    await eventually(
      'the user is active again',
      async (saw) => saw(await user('user1320')).status === 'active' || undefined,
    );
    await page().setViewportSize({ width: 1280, height: 800 });
    await browser.visit('/users/user1320?q=user1320');
  });

  it('Escape answers a question with no, and the focus is again where it was asked', async () => {
    const question = page().getByRole('dialog', { name: 'Delete user1320?' });
    const focused = () => page().evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
    const ask = async (remove: Locator) => {
      await remove.click();
      await question.getByRole('button', { name: 'Cancel' }).press('Escape');
      await question.waitFor({ state: 'hidden' });
    };
    await ask(page().getByRole('dialog', { name: 'user1320' }).getByRole('button', { name: 'Delete' }));
    expect([new URL(page().url()).pathname, await focused()]).toEqual(['/dashboard/users/user1320', 'Delete']);
    await page().keyboard.press('Escape');
    await page().getByRole('link', { name: 'user1320' }).press('Enter');
    await page().getByRole('dialog', { name: 'user1320' }).getByRole('tab', { name: 'Overview' }).press('Escape');
    await page().getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('user1320');
    await button('Actions for user1320').click();
    await ask(page().getByRole('menuitem', { name: 'Delete' }));
    expect(await focused()).toBe('Actions for user1320');
  });

  it('a link and hosts that only this machine reaches are said to be so beside them', async () => {
    const { api, browser } = scene();
    const host = { remark: 'here', address: ['127.0.0.1'], inbound_tag: 'Shadowsocks TCP', priority: 9 };
    const { id } = await api.create<{ id: number }>('/api/host', host);
    await browser.visit('/users/alice');
    await page().getByText('here', { exact: true }).waitFor();
    const ofLink = page().getByText('This link works on the machine of management only.');
    const ofHosts = page().getByText('These hosts have an address that leads every client to itself.');
    expect([await ofLink.count(), await ofHosts.count()]).toEqual([1, 1]);
    await api.remove(`/api/host/${id}`);
    await page().getByText('here', { exact: true }).waitFor({ state: 'detached' });
    expect([await ofLink.count(), await ofHosts.count()]).toEqual([1, 0]);
  });

  it('a user without a group is said to have an empty subscription, until a group is chosen', async () => {
    const { api, browser } = scene();
    await api.create('/api/user', { username: 'lonely' });
    await browser.visit('/users/lonely');
    const words = page().getByText('This subscription is empty: the user is in no group');
    await words.waitFor();
    await page().getByRole('tab', { name: "Can't connect?" }).click();
    await page().getByRole('heading', { name: 'What a client gets' }).waitFor();
    await words.waitFor();
    await page().getByRole('tabpanel').getByRole('button', { name: 'Edit' }).last().click();
    const form = page().getByRole('dialog', { name: 'Edit lonely' });
    await form.getByRole('combobox', { name: 'Groups' }).click();
    await page().getByRole('option', { name: 'everyone' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await words.waitFor({ state: 'detached' });
    expect((await user('lonely')).group_ids).toEqual([1]);
    await browser.visit('/users');
    await api.remove('/api/user/lonely');
  });

  it('what a client gets of a user names the format, the hosts in it, and why others are not', async () => {
    const { id } = await scene().api.create<{ id: number }>('/api/host', {
      remark: 'off',
      inbound_tag: 'Shadowsocks TCP',
      is_disabled: true,
      priority: 9,
    });
    await scene().browser.visit('/users/alice?tab=why');
    const hosts = page().getByRole('list', { name: 'Hosts' });
    await hosts.getByText('first alice').waitFor();
    expect(await hosts.getByRole('listitem').allTextContents()).toEqual([
      'first alice',
      'offThe host is disabled. (the host is disabled)',
    ]);
    await page().getByText('Links (base64)').waitFor();
    await page().getByRole('combobox', { name: 'Client program' }).click();
    await page().getByRole('option', { name: 'sing-box' }).click();
    await page().getByText('sing-box profile').waitFor();
    await page().getByText('Show the document').click();
    expect(await page().locator('pre').first().textContent()).toContain('"outbounds"');
    await scene().api.remove(`/api/host/${id}`);
  });

  it('the changes of a user are in its drawer, with who made them', async () => {
    await scene().browser.visit('/users/user1320?tab=changes');
    await page().getByText('User changed').first().waitFor();
    expect(await page().getByRole('tabpanel').textContent()).toContain('root');
  });
}
