import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Api, eventually, until } from '@rampart/testing';
import { administrationCases } from './administration.cases.js';
import type { DashboardBrowser } from './dashboard-browser.js';
import { liveCases } from './live.cases.js';
import { robustnessCases } from './robustness.cases.js';
import { OwnScene, ROOT, TAG } from './scene.js';
import { serverCases } from './server.cases.js';
import { strangeCases } from './strange.cases.js';
import { userCases } from './user.cases.js';

jest.setTimeout(180_000);

interface Host {
  id: number;
  remark: string;
}

let scene: OwnScene;
let api: Api;
let browser: DashboardBrowser;

beforeAll(async () => {
  scene = await OwnScene.start(1_000);
  ({ api, browser } = scene);
});

afterAll(() => scene?.end());

const text = (selector: string) => browser.page.locator(selector).first();
const button = (name: string) => browser.page.getByRole('button', { name, exact: true }).first();

describe('the way to a first client', () => {
  it('the browser is led from / to the login, which says what is wrong with a wrong password', async () => {
    await browser.page.goto(`${browser.origin}/`);
    expect(new URL(browser.page.url()).pathname).toBe('/dashboard/');
    expect(await browser.violations('en-login')).toEqual([]);
    await browser.page.locator('input[autocomplete=username]').fill(ROOT.username);
    await browser.page.locator('input[autocomplete=current-password]').fill('not this one');
    await browser.page.locator('button[type=submit]').click();
    expect(await text('[role=alert]').textContent()).toBe('The username or the password is wrong.');
    await browser.logIn(ROOT.username, ROOT.password);
    expect(await browser.page.title()).toBe('Overview · Rampart');
  });

  it('a user is created, and its QR code is the link of its subscription', async () => {
    await browser.page.getByRole('link', { name: 'Users' }).click();
    await button('New user').click();
    await browser.page.getByRole('textbox', { name: 'Name' }).fill('a b');
    await button('Create').click();
    await browser.page.getByText('username can contain').or(browser.page.locator('[id$=-error]')).first().waitFor();
    await browser.page.getByRole('textbox', { name: 'Name' }).fill('alice');
    await button('30 days').click();
    await button('Create').click();
    const code = browser.page.getByRole('img', { name: 'QR code of the subscription of alice' });
    await code.waitFor();
    const { subscription_url: url, group_ids } = await api.get<{ subscription_url: string; group_ids: number[] }>(
      '/api/user/alice',
    );
    expect(await code.getAttribute('data-text')).toBe(url);
    expect(group_ids).toEqual([1]);
    expect(new URL(browser.page.url()).pathname).toBe('/dashboard/users/alice');
  });

  it('the list of what a user needs names what is missing', async () => {
    await browser.page.getByRole('tab', { name: "Can't connect?" }).click();
    expect(await text('[role=tabpanel] [role=alert]').textContent()).toContain('1 problem found');
    await browser.page.getByText('No node is connected.').waitFor();
    await browser.page.keyboard.press('Escape');
    await browser.page.waitForURL('**/dashboard/users*');
  });
});

liveCases(() => scene);

describe('the list of users', () => {
  const rows = () => browser.page.locator('tbody tr');

  it('the last of 1,001 users is reached in one scroller, which keeps few rows in the page', async () => {
    await browser.visit('/users?sort=username');
    await browser.page.getByRole('link', { name: 'alice' }).waitFor();
    await browser.page.locator('section[aria-label=Users]').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await browser.page.getByRole('link', { name: 'user2000' }).waitFor();
    expect(await rows().count()).toBeLessThan(40);
    await browser.page.waitForURL(/at=\d+/);
    await browser.page.reload();
    await browser.page.getByRole('link', { name: 'user2000' }).waitFor();
  });

  it.each([
    '/users',
    '/users?sort=-used_traffic&at=950',
    '/users?q=%221001%22&status=active%2Climited',
    '/users/user1002',
  ])('what %s shows first is asked for once, before the program of the page is there', async (address) => {
    const { page } = browser;
    const asked: string[] = [];
    const note = (request: { url(): string }) => asked.push(new URL(request.url()).pathname);
    await page.goto('about:blank');
    page.on('request', note);
    await browser.visit(address);
    await until((saw) => saw(asked).includes('/api/events'));
    await page.locator('[data-row] a').first().waitFor();
    page.off('request', note);
    // Where the page begins to hear of changes, it loads again what it has loaded before.
    const loaded = asked.slice(0, asked.indexOf('/api/events'));
    expect(loaded.filter((path) => path === '/api/users' || path === '/api/admin').sort()).toEqual([
      '/api/admin',
      '/api/users',
    ]);
    const program = loaded.findIndex((path) => /\/users-page-/.test(path));
    expect(loaded.indexOf('/api/users')).toBeLessThan(program);
  });

  it('what is typed becomes a filter in the address', async () => {
    await browser.visit('/users');
    await browser.page.getByPlaceholder('Search, or is:expired group:vip').waitFor();
    await browser.page.keyboard.press('/');
    await browser.page.keyboard.type('is:active group:everyone user1005');
    await browser.page.waitForURL(/status=active/);
    await browser.page.getByRole('link', { name: 'user1005' }).waitFor();
    const address = new URL(browser.page.url()).searchParams;
    expect([address.get('q'), address.get('status'), address.get('group')]).toEqual(['user1005', 'active', '"1"']);
    expect(await rows().count()).toBe(1);
  });

  it('a user is found and opened by the palette, with keys alone', async () => {
    await browser.visit('/');
    await browser.page.locator('h1').waitFor();
    await browser.page.keyboard.press('Control+k');
    await browser.page.locator('[role=dialog] input:focus').waitFor();
    await browser.page.keyboard.type('user1234');
    await browser.page.getByRole('option', { name: 'user1234' }).waitFor();
    await browser.page.keyboard.press('Enter');
    await browser.page.waitForURL('**/dashboard/users/user1234');
  });

  it('Enter in the palette runs what is found for the whole text, also where the answer comes after it', async () => {
    await browser.visit('/');
    await browser.page.locator('h1').waitFor();
    await browser.page.keyboard.press('Control+k');
    await browser.page.locator('[role=dialog] input:focus').waitFor();
    await browser.page.keyboard.type('user123');
    await browser.page.getByRole('option', { name: 'user123' }).first().waitFor();
    await browser.page.keyboard.type('5');
    await browser.page.keyboard.press('Enter');
    await browser.page.waitForURL('**/dashboard/users/user1235');
  });

  it('the arrow keys of the palette go from one item to the next, and Escape closes it at once', async () => {
    await browser.visit('/');
    await browser.page.locator('h1').waitFor();
    await browser.page.keyboard.press('Control+k');
    await browser.page.locator('[role=dialog] input:focus').waitFor();
    const names = await browser.page.getByRole('option').allTextContents();
    const chosen = browser.page.getByRole('option', { selected: true });
    const seen = [await chosen.textContent()];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowUp']) {
      await browser.page.keyboard.press(key);
      seen.push(await chosen.textContent());
    }
    expect(seen).toEqual([0, 1, 2, 1, 0, -1].map((place) => names.at(place)));
    await browser.page.keyboard.press('Escape');
    await browser.page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  userCases(() => scene);

  it('a login that ends in the middle of a form loses nothing', async () => {
    await browser.visit('/users?create=true');
    const name = browser.page.getByRole('textbox', { name: 'Name' });
    await name.fill('draft');
    await browser.page.context().clearCookies();
    await button('Create').click();
    await browser.page.getByText('Log in again').waitFor();
    await browser.page.locator('input[autocomplete=current-password]').fill(ROOT.password);
    await button('Log in').click();
    await browser.page.getByText('Log in again').waitFor({ state: 'hidden' });
    expect(await name.inputValue()).toBe('draft');
    await button('Create').click();
    await browser.page.getByRole('img', { name: 'QR code of the subscription of draft' }).waitFor();
  });
});

describe('the servers', () => {
  it('a node is added by its name and address, and the value to start it with is shown once', async () => {
    await browser.visit('/nodes');
    await button('Add a node').click();
    await browser.page.getByRole('textbox', { name: 'Name' }).fill('near');
    await browser.page.getByRole('textbox', { name: 'Address' }).fill('127.0.0.1');
    await browser.page.locator('form button[type=submit]').click();
    const line = browser.page.getByRole('textbox', { name: 'Enrolment of the node' });
    expect(await line.inputValue()).toMatch(/^RAMPART_ENROLMENT=rampart-enrolment-/);
    await button('Show as QR code').click();
    await browser.page.getByRole('img', { name: 'Enrolment of the node' }).waitFor();
    await browser.page.keyboard.press('Escape');
    await button('Close without a copy').click();
    await line.waitFor({ state: 'hidden' });
    await browser.page.getByText('127.0.0.1:62050', { exact: true }).waitFor();
    expect(await api.get<object[]>('/api/nodes')).toMatchObject([
      { name: 'near', address: '127.0.0.1', core_config_id: 1 },
    ]);
  });

  it('the log of a node that ended goes on with each line once', async () => {
    // The node is not connected: its log is given here, once as it ends and once with a line more.
    const logs = ['data: [Warning] one\n\ndata: two\n\n'];
    logs.push(`${logs[0]}data: three\n\n`);
    await browser.page.route('**/api/node/*/logs', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: logs.shift() ?? '' }),
    );
    const lines = browser.page.locator('section[aria-label=Log] > div');
    await browser.visit('/nodes');
    await button('Actions for near').click();
    await browser.page.getByRole('menuitem', { name: 'Log' }).click();
    await lines.getByText('two').waitFor();
    await button('Go on').click();
    await browser.page.getByText('three').waitFor();
    const shown = async () => (await lines.allTextContents()).filter((line) => line !== '');
    expect(await shown()).toEqual(['[Warning] one', 'two', 'three']);
    await browser.page.getByRole('combobox', { name: 'Level' }).selectOption('Warnings and errors');
    await lines.getByText('two').waitFor({ state: 'detached' });
    expect(await shown()).toEqual(['[Warning] one']);
    await browser.page.unroute('**/api/node/*/logs');
  });

  it('a host is created, and moved before another one by its button', async () => {
    await browser.visit('/hosts');
    await button('New host').click();
    await browser.page.getByRole('textbox', { name: 'Name' }).fill('second');
    await browser.page.getByRole('combobox', { name: 'Inbound' }).click();
    await browser.page.getByRole('option', { name: TAG }).click();
    await button('Create').click();
    await button('Move up: second').waitFor();
    const first = await api.get<Host>('/api/host/1');
    await api.modify('/api/host/1', { ...first, address: ['192.0.2.8'] });
    await button('Move up: second').click();
    await browser.page.locator('tbody tr').first().getByText('second').waitFor();
    const hosts = await eventually('the new order is stored', async () => {
      const list = await api.get<Host[]>('/api/hosts');
      return list[0]?.remark === 'second' ? list : undefined;
    });
    // What another admin has changed in a host meanwhile stays.
    expect(hosts[1]).toMatchObject({ remark: first.remark, address: ['192.0.2.8'] });
  });

  it('a host that is moved again before the first move is answered gets where it was moved last', async () => {
    await api.create('/api/host', { remark: 'last', inbound_tag: TAG, priority: 90 });
    const isBusy = { status: 503, json: { detail: 'busy', code: 'BUSY' } };
    await browser.page.route('**/api/hosts/health*', (route) => route.fulfill(isBusy));
    await browser.visit('/hosts');
    const answered: (() => void)[] = [];
    await browser.page.route('**/api/hosts/order', async (route) => {
      await new Promise<void>((resolve) => answered.push(resolve));
      await route.continue();
    });
    const order = () => browser.page.locator('tbody tr strong').allTextContents();
    await button('Move up: last').waitFor();
    // As long as nothing is known about probes, nothing is said.
    expect(await browser.page.getByText('Not tried yet').count()).toBe(0);
    await browser.page.unroute('**/api/hosts/health*');
    const before = await order();
    await button('Move up: last').click();
    await button('Move up: last').click();
    expect(before.at(-1)).toBe('last');
    const moved = [...before.slice(0, -3), 'last', ...before.slice(-3, -1)];
    await eventually('the list shows both moves', async () => `${await order()}` === `${moved}` || undefined);
    // A list that is read again meanwhile has the order from before the moves.
    await api.modify('/api/host/1', { ...(await api.get<Host>('/api/host/1')), address: ['192.0.2.7'] });
    await browser.page.getByText('192.0.2.7', { exact: true }).waitFor();
    expect(await order()).toEqual(moved);
    const undo = browser.page.getByRole('button', { name: 'Undo' });
    expect(await undo.count()).toBe(0);
    for (let at = 0; at < 2; at += 1) (await eventually('a request', () => answered[at]))();
    const hosts = await eventually('both moves are stored', async () => {
      const list = await api.get<Host[]>('/api/hosts');
      return `${list.map(({ remark }) => remark)}` === `${moved}` ? list : undefined;
    });
    expect(await order()).toEqual(moved);
    await browser.page.unroute('**/api/hosts/order');
    await api.remove(`/api/host/${hosts.find(({ remark }) => remark === 'last')?.id}`);
    await button('Move up: last').waitFor({ state: 'detached' });
    // What was deleted meanwhile is no part of the order that comes back.
    const undone = browser.page.waitForResponse('**/api/hosts/order');
    await undo.click();
    expect((await undone).status()).toBe(200);
  });

  it('a host that somebody else has changed while its form was open is not overwritten', async () => {
    await browser.visit('/hosts');
    await button('Edit: second').click();
    const name = browser.page.getByRole('textbox', { name: 'Name' });
    await name.fill('third');
    const { id } = (await api.get<Host[]>('/api/hosts')).find(({ remark }) => remark === 'second') as Host;
    await api.modify(`/api/host/${id}`, { ...(await api.get<Host>(`/api/host/${id}`)), remark: 'other' });
    await button('Save').click();
    await browser.page.getByText('Somebody else has changed this meanwhile').waitFor();
    expect(await browser.page.getByRole('definition').allTextContents()).toEqual(['other']);
    expect(await name.inputValue()).toBe('third');
    expect(await api.get(`/api/host/${id}`)).toMatchObject({ remark: 'other' });
    await button('Cancel').click();
    await button('Discard').click();
    await button('Edit: other').click();
    await name.fill('third');
    await button('Save').click();
    await name.waitFor({ state: 'hidden' });
    expect(await api.get(`/api/host/${id}`)).toMatchObject({ remark: 'third' });
  });

  serverCases(() => scene);

  it('a core says at its line what is wrong, and before a save what the save would change', async () => {
    await browser.visit('/cores/1');
    const editor = browser.page.getByRole('textbox', { name: 'Configuration of the engine' });
    await editor.click();
    await browser.page.keyboard.press('Control+a');
    await browser.page.keyboard.insertText('{"inbounds": [{"tag": "a", "protocol": "shadowsocks"}]}');
    await browser.page.locator('.cm-lintRange-error').first().waitFor();
    expect(await button('Save and apply').isDisabled()).toBe(true);
    await editor.click();
    await browser.page.keyboard.press('Control+a');
    await browser.page.keyboard.insertText('{\n"inbounds": [}');
    await browser.page.getByText('config is not valid JSON: line 2, column 14').waitFor();
    await browser.page.locator('.cm-line').nth(1).locator('.cm-lintRange-error').waitFor();
    expect([await button('Save').isDisabled(), await button('Save and apply').isDisabled()]).toEqual([true, true]);
    await editor.click();
    await browser.page.keyboard.press('Control+a');
    const config = {
      inbounds: [{ tag: 'next', protocol: 'shadowsocks', port: 1081 }],
      outbounds: [{ tag: 'DIRECT', protocol: 'freedom' }],
    };
    await browser.page.keyboard.insertText(JSON.stringify(config));
    await browser.page.getByText('Existing connections go on').waitFor();
    expect(await browser.page.getByRole('definition').allTextContents()).toEqual(expect.arrayContaining(['next', TAG]));
    // Nodes and clients would differ until it is applied.
    await button('Save').click();
    const question = browser.page.getByRole('dialog', { name: 'Save without applying?' });
    await question.getByText(`those users cannot connect to what has changed: ${TAG}`).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await button('Save and apply').click();
    await browser.page
      .getByRole('dialog')
      .getByText(/may have to load the subscription again/)
      .waitFor();
    await browser.page.getByRole('dialog').getByRole('button', { name: 'Save and apply' }).click();
    await browser.page.getByText('Saved; the nodes that run this core take it over now').waitFor();
    expect(await api.get('/api/core/1')).toMatchObject({ config });
  });

  it('a core keeps its draft when somebody else saves it, and "Replace it" applies it where it was asked to', async () => {
    await browser.visit('/cores/1');
    const { config } = await api.get<{ config: { inbounds: object[] } }>('/api/core/1');
    const draft = { ...config, inbounds: [...config.inbounds, { tag: 'draft', protocol: 'shadowsocks', port: 1082 }] };
    const editor = browser.page.getByRole('textbox', { name: 'Configuration of the engine' });
    await editor.click();
    await browser.page.keyboard.press('Control+a');
    await browser.page.keyboard.insertText(JSON.stringify(draft));
    await browser.page.getByRole('definition').getByText('draft').waitFor();
    await api.modify('/api/core/1', { name: 'of somebody else', config });
    const calls: string[] = [];
    browser.page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/api/core/1') calls.push(request.method() + search);
    });
    await browser.page.evaluate("for (const name of ['offline', 'online']) dispatchEvent(new Event(name))");
    await button('Save and apply').click();
    await browser.page.getByRole('dialog').getByRole('button', { name: 'Save and apply' }).click();
    await button('Replace it').waitFor();
    expect(await editor.textContent()).toBe(JSON.stringify(draft));
    await button('Replace it').click();
    await browser.page.getByText('Saved; the nodes that run this core take it over now').waitFor();
    expect(calls.slice(0, 2)).toEqual(['PUT?restart_nodes=true', 'PUT?restart_nodes=true']);
    expect(await api.get('/api/core/1')).toMatchObject({ config: draft });
  });

  it('a core whose tags are partly excluded has no difference as long as nothing is edited', async () => {
    const inbounds = ['offered', 'hidden'].map((tag, at) => ({ tag, protocol: 'shadowsocks', port: 1083 + at }));
    const config = { inbounds, outbounds: [{ tag: 'DIRECT', protocol: 'freedom' }] };
    const core = { name: 'partly', config, exclude_inbound_tags: ['hidden'], fallbacks_inbound_tags: [] };
    const { id } = await api.create<{ id: number }>('/api/core', core);
    await browser.visit(`/cores/${id}`);
    await browser.page.getByText('Nothing is changed since the last save').waitFor();
    // The page would ask for what is gone.
    await browser.visit('/cores');
    await api.remove(`/api/core/${id}`);
  });

  it('a group is created, and the log of changes names it', async () => {
    await browser.visit('/groups');
    await button('New group').click();
    await browser.page.getByRole('textbox', { name: 'Name' }).fill('vip');
    await browser.page.getByRole('combobox', { name: 'Inbounds' }).click();
    await browser.page.getByRole('option', { name: 'next' }).click();
    await browser.page.getByRole('textbox', { name: 'Name' }).click();
    await button('Create').click();
    await browser.page.getByRole('table').getByText('vip').waitFor();
    await browser.visit('/audit');
    await browser.page.getByRole('textbox', { name: 'Name or number, such as ali' }).fill('vi');
    const entry = browser.page.getByRole('row').filter({ hasText: 'Group created' }).filter({ hasText: 'vip' });
    await entry.first().getByRole('button', { name: 'Show' }).click();
    await browser.page.getByText(/^group\.create group\/\d+$/).waitFor();
  });
});

administrationCases(() => scene, ROOT);
robustnessCases(() => scene, ROOT);
strangeCases(() => scene, ROOT);

it('the pages keep to their content security policy, ask nobody else for anything, and log no error', () => {
  expect(browser.problems).toEqual([]);
});
