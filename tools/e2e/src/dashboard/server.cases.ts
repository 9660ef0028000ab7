import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import type { Scene } from './scene.js';

interface Core {
  id: number;
  name: string;
  config: {
    inbounds: { tag: string; streamSettings: { realitySettings: { privateKey: string; shortIds: string[] } } }[];
  };
}

/** What probes of a host may find. */
const PROBED = {
  host_id: null,
  status: 'partly',
  message: 'one address fails',
  results: [],
  omitted_choices: 0,
  clients_left_out: [],
  clients_not_imitated: [],
};

/** What stands before the 32 bytes of an X25519 private key in PKCS #8. */
const X25519_KEY = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The public key that belongs to a private key of REALITY, as the platform makes it. */
function publicKeyOf(privateKey: string): string | undefined {
  const key = Buffer.concat([X25519_KEY, Buffer.from(privateKey, 'base64url')]);
  return createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' })).export({ format: 'jwk' }).x;
}

/** What is done with nodes, cores and hosts, beyond their first creation. A node "near" exists, and nothing runs there. */
export function serverCases(scene: () => Scene): void {
  const page = () => scene().browser.page;
  const button = (name: string) => page().getByRole('button', { name, exact: true }).first();

  it('a node tells what is wrong with it, shows its log, and is edited', async () => {
    await page().route('**/api/node/*/logs', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: 'data: [Warning] a line\n\n' }),
    );
    await scene().browser.visit('/nodes');
    await button('near').click();
    const drawer = page().getByRole('dialog', { name: 'near' });
    await drawer.getByText('cannot reach 127.0.0.1:62050').waitFor();
    await drawer.getByRole('button', { name: 'Log', exact: true }).click();
    const log = page().getByRole('dialog', { name: 'Log of near' });
    await log.getByText('a line').waitFor();
    await page().keyboard.press('Escape');
    await log.waitFor({ state: 'hidden' });
    await page().unroute('**/api/node/*/logs');
    await button('Edit').click();
    const form = page().getByRole('dialog', { name: 'Edit near' });
    await form.getByRole('textbox', { name: 'Traffic counts times' }).fill('2');
    await form.getByRole('button', { name: 'Save' }).click();
    await page().getByText('near was saved').waitFor();
    expect(await scene().api.get<object[]>('/api/nodes')).toMatchObject([{ name: 'near', usage_coefficient: 2 }]);
  });

  it('a node is disabled only after a question, and the overview says when no node is enabled', async () => {
    const statusOf = async () => (await scene().api.get<{ status: string }[]>('/api/nodes'))[0]?.status;
    const askToDisable = async () => {
      await scene().browser.visit('/nodes');
      await button('Actions for near').click();
      await page().getByRole('menuitem', { name: 'Disable' }).click();
      return page().getByRole('dialog', { name: 'Disable near?' });
    };
    await (await askToDisable()).getByRole('button', { name: 'Cancel' }).click();
    expect(await statusOf()).not.toBe('disabled');
    await (await askToDisable()).getByRole('button', { name: 'Disable' }).click();
    await eventually('the node is disabled', async (saw) => saw(await statusOf()) === 'disabled' || undefined);
    await scene().browser.visit('/');
    await page().getByText('All nodes are disabled: nobody can connect').waitFor();
    await scene().browser.visit('/nodes');
    await button('Actions for near').click();
    await page().getByRole('menuitem', { name: 'Enable' }).click();
    await eventually('the node is enabled', async (saw) => saw(await statusOf()) !== 'disabled' || undefined);
  });

  it('the overview says of a node that was never reached that it is waited for, and draws the traffic', async () => {
    await scene().browser.visit('/');
    await page().getByText('near waits for its first contact').waitFor();
    expect(await page().getByText('the node is in error').count()).toBe(0);
    await page()
      .getByRole('img', { name: /^Traffic of users: / })
      .waitFor();
  });

  it('another core for a node is said beforehand to bring and to take inbounds, and from how many users', async () => {
    const { api, browser } = scene();
    const config = {
      inbounds: [{ tag: 'other', protocol: 'shadowsocks', port: 1090 }],
      outbounds: [{ tag: 'DIRECT', protocol: 'freedom' }],
    };
    const { id } = await api.create<Core>('/api/core', { name: 'other', config });
    const { total } = await api.get<{ total: number }>(
      '/api/users?group=1&status=active&status=on_hold&fields=id&limit=1',
    );
    await browser.visit('/nodes');
    await button('Actions for near').click();
    await page().getByRole('menuitem', { name: 'Edit' }).click();
    const form = page().getByRole('dialog', { name: 'Edit near' });
    await form.getByRole('combobox', { name: 'Core' }).click();
    await page().getByRole('option', { name: 'other' }).click();
    const users = new Intl.NumberFormat('en').format(total);
    await form.getByText(`Shadowsocks TCP · Users: ${users}`).waitFor();
    expect(await form.getByRole('term').allTextContents()).toEqual(['New inbounds', 'Removed inbounds']);
    expect(await form.getByRole('definition').allTextContents()).toEqual([
      'other · Users: 0',
      `Shadowsocks TCP · Users: ${users}`,
    ]);
    await form.getByText('No other node has Shadowsocks TCP').waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await button('Discard').click();
    await form.waitFor({ state: 'hidden' });
    await api.remove(`/api/core/${id}`);
  });

  it('a node is found by the palette', async () => {
    await scene().browser.visit('/');
    await page().locator('h1').waitFor();
    await page().keyboard.press('Control+k');
    await page().locator('[role=dialog] input:focus').waitFor();
    await page().keyboard.type('nea');
    await page().getByRole('option', { name: 'near' }).click();
    await page().waitForURL('**/dashboard/nodes');
  });

  it('beside the form of a host stand what the server says about it, and what each client would get of it', async () => {
    await scene().browser.visit('/hosts');
    await button('Edit: third').click();
    const beside = page().getByRole('region', { name: 'What the server says' });
    await beside.getByText('left out of subscriptions: the host has no address').waitFor();
    await page().getByLabel('Address').first().fill('192.0.2.9');
    await page().keyboard.press('Enter');
    await beside.getByText('The server has no objection').waitFor();
    await beside.getByText('What a client gets').click();
    const hosts = beside.getByRole('list', { name: 'Hosts' });
    await hosts.getByText('third', { exact: true }).waitFor();
    // What is typed into the preview stays, and Enter there saves nothing.
    const asUser = beside.getByRole('combobox', { name: 'As the user' });
    await asUser.fill('user123');
    await page().getByRole('option', { name: 'user1234' }).waitFor();
    await asUser.press('Enter');
    expect(await asUser.inputValue()).toBe('user123');
    // Where the chosen user was marked in the list, Enter has chosen it again and closed the list.
    await asUser.press('ArrowDown');
    await page().getByRole('option', { name: 'user1234' }).click();
    const name = page().getByRole('textbox', { name: 'Name' });
    const probe = beside.getByRole('button', { name: 'Try it now' });
    await page().route('**/api/hosts/probe', (route) => route.fulfill({ json: PROBED }));
    await probe.click();
    await beside.getByText('Works partly').waitFor();
    // What was typed just before is tried, and its result stays when the server has looked at it.
    await name.fill('fifth');
    await probe.click();
    await hosts.getByText('fifth', { exact: true }).waitFor();
    expect(await beside.getByText('Works partly').count()).toBe(1);
    await name.fill('');
    await beside.getByText('A name and an inbound are needed').waitFor();
    expect([await probe.isDisabled(), await beside.getByText('Works partly').count()]).toEqual([true, 0]);
    await page().unroute('**/api/hosts/probe');
    await name.fill('fourth');
    await hosts.getByText('fourth', { exact: true }).waitFor();
    await beside.getByText('Show the document').click();
    const document = await beside.locator('pre').first().textContent();
    expect(Buffer.from(document ?? '', 'base64').toString()).toContain('@192.0.2.9:1080#fourth');
    const security = page().getByRole('group', { name: 'Security' }).getByRole('combobox', { name: 'Security' });
    await security.click();
    await page().getByRole('option', { name: 'TLS', exact: true }).click();
    await beside.getByText('left out for sing-box clients: they do not carry shadowsocks over tcp with tls').waitFor();
    await security.click();
    await page().getByRole('option', { name: 'REALITY', exact: true }).click();
    await beside.getByRole('alert').getByText('security reality needs an inbound with reality').waitFor();
    expect(await probe.isDisabled()).toBe(true);
    await button('Cancel').click();
    await button('Discard').click();
    expect(await scene().api.get('/api/hosts')).toMatchObject([{ remark: 'third' }, {}]);
  });

  it('a core is created with REALITY keys, which the editor replaces in place and shows when they are saved, and it is deleted', async () => {
    await scene().browser.visit('/cores');
    await button('New core').click();
    await page().getByRole('textbox', { name: 'Name' }).fill('edge');
    await button('Create').click();
    await page().waitForURL(/\/cores\/\d+$/);
    const id = new URL(page().url()).pathname.split('/').at(-1);
    await page().getByText('No node runs this core').waitFor();
    const reality = async () => {
      const { config } = await scene().api.get<Core>(`/api/core/${id}`);
      return config.inbounds[0]?.streamSettings.realitySettings;
    };
    const before = await reality();
    expect(before?.privateKey).toMatch(/^[\w-]{43}$/);
    const publicKey = page().getByRole('textbox', { name: 'edge REALITY' });
    expect(await publicKey.inputValue()).toBe(publicKeyOf(before?.privateKey ?? ''));
    await page().locator('.cm-content').waitFor();
    await button('New REALITY keys').click();
    const question = page().getByRole('dialog', { name: 'Replace the keys of edge REALITY?' });
    await question.getByRole('button', { name: 'New REALITY keys' }).click();
    await page().getByText('edge REALITY has a new key pair and short id').waitFor();
    await button('Save').click();
    await page().getByText('Saved. Nodes keep').waitFor();
    const after = await reality();
    expect(after?.privateKey).not.toBe(before?.privateKey);
    expect(after?.shortIds).toEqual([expect.stringMatching(/^[\da-f]{16}$/)]);
    await eventually('the public key is that of the saved core', async () => {
      const shown = await publicKey.inputValue();
      return shown === publicKeyOf(after?.privateKey ?? '') || undefined;
    });
    await button('Copy: edge REALITY').waitFor();
    await scene().browser.visit('/cores');
    await button('Delete: edge').click();
    await page().getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await button('Delete: edge').waitFor({ state: 'detached' });
  });
}
