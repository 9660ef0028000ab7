import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  ALLOW_PRIVATE,
  Api,
  type EngineClient,
  eventually,
  freePort,
  type LocalWeb,
  ProgramProcess,
  REACH_LOOPBACK,
  scratchFolder,
  startEngineClientWith,
  startLocalWeb,
} from '@rampart/testing';
import type { Locator } from 'playwright-core';
import { startEnrolledNode } from '../testing/enrolled-node.js';
import { DashboardBrowser } from './dashboard-browser.js';

jest.setTimeout(180_000);

const ROOT = { username: 'root', password: 'a password for the first client' };
const LOCALES = join(import.meta.dirname, '../../../../apps/dashboard/src/ui/i18n/locales');
const PAGE = 'fetched by the first client\n'.repeat(5_000);

/** The text of the dashboard in a language, by its key such as `nodes.add`. */
function wordsOf(language: string): (key: string) => string {
  const texts: unknown = JSON.parse(readFileSync(join(LOCALES, `${language}.json`), 'utf8'));
  return (key) => {
    const text = key.split('.').reduce((part, name) => Reflect.get(Object(part), name), texts);
    if (typeof text !== 'string') throw new Error(`the language ${language} has no text ${key}`);
    return text;
  };
}

let web: LocalWeb;
beforeAll(async () => {
  web = await startLocalWeb(PAGE);
});
afterAll(() => web?.close());

describe.each(['en', 'fa'])('the way from an empty installation to a first client in the language %s', (language) => {
  const word = wordsOf(language);
  let folder: string;
  let management: ProgramProcess;
  let node: ProgramProcess | undefined;
  let client: EngineClient | undefined;
  let browser: DashboardBrowser;

  beforeEach(async () => {
    folder = mkdtempSync(join(scratchFolder(), 'rampart-first-client-'));
    const url = `http://127.0.0.1:${await freePort()}`;
    management = new ProgramProcess('management', {
      RAMPART_DATA_DIR: join(folder, 'management'),
      RAMPART_PORT: new URL(url).port,
      RAMPART_PUBLIC_URL: url,
      RAMPART_ADMIN_USERNAME: ROOT.username,
      RAMPART_ADMIN_PASSWORD: ROOT.password,
    });
    await management.printed(`Ready on ${url}`);
    browser = await DashboardBrowser.start(url, language);
  });

  afterEach(async () => {
    await client?.close();
    await browser?.close();
    await Promise.all([management?.stop(), node?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const page = () => browser.page;
  const button = (key: string) =>
    page()
      .getByRole('button', { name: word(key), exact: true })
      .first();
  const text = (shown: string) => page().getByText(shown, { exact: true }).first();

  /** Opens the form of a page by its button, and sends it once it is filled in. */
  async function fillIn(path: string, title: string, submit: string, fill: (form: Form) => Promise<void>) {
    await browser.visit(path);
    await button(title).click();
    const dialog = page().getByRole('dialog', { name: word(title), exact: true });
    await fill(new Form(dialog, word));
    await dialog.getByRole('button', { name: word(submit), exact: true }).click();
  }

  /** The size in KB as the page shows it. */
  const kilobytes = (bytes: number) =>
    `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(bytes / 1024)} KB`;

  it(`with the page alone, in the language ${language}, a core, a group, a node, a host and a user are created, and a client of the user passes traffic, which the page shows`, async () => {
    await page().goto(browser.origin);
    await browser.logIn(ROOT.username, ROOT.password);

    const inbound = { tag: 'first', protocol: 'shadowsocks', port: await freePort(), listen: '127.0.0.1' };
    const outbound = { tag: 'DIRECT', protocol: 'freedom', settings: ALLOW_PRIVATE };
    await fillIn('/cores', 'cores.create', 'common.create', (form) => form.type('users.name', 'first'));
    await page().waitForURL(/\/cores\/\d+$/);
    await page()
      .getByRole('textbox', { name: word('cores.configuration') })
      .click();
    await page().keyboard.press('Control+a');
    await page().keyboard.insertText(JSON.stringify({ inbounds: [inbound], outbounds: [outbound] }));
    await button('common.save').click();
    await text(word('cores.saved')).waitFor();

    await fillIn('/groups', 'groups.create', 'common.create', async (form) => {
      await form.type('users.name', 'friends');
      await form.choose('groups.inbounds', 'first');
    });
    await text('friends').waitFor();

    const port = await freePort();
    await fillIn('/nodes', 'nodes.add', 'nodes.add', async (form) => {
      await form.type('nodes.name', 'near');
      await form.type('nodes.address', '127.0.0.1');
      await form.type('nodes.port', `${port}`);
      await form.choose('nodes.core', 'first');
    });
    const lines = await page()
      .getByRole('textbox', { name: word('nodes.enrolmentTitle') })
      .inputValue();
    node = startEnrolledNode(lines.slice(0, lines.indexOf('\n')), folder);
    await button('common.close').click();
    await button('nodes.closeAnyway').click();
    await text(word('nodes.states.connected')).waitFor();

    await fillIn('/hosts', 'hosts.create', 'common.create', async (form) => {
      await form.choose('hosts.inbound', 'first');
      await form.add('nodes.address', '127.0.0.1');
    });
    await text('{USERNAME}').waitFor();

    await fillIn('/users', 'users.create', 'common.create', (form) => form.type('users.name', 'alice'));
    const code = page().getByRole('img', { name: word('users.qrOf').replace('{{username}}', 'alice') });
    const subscription = await code.getAttribute('data-text');

    const answer = await fetch(`${subscription}/xray`);
    const [config] = (await answer.json()) as [Record<string, unknown>];
    client = await startEngineClientWith(config);
    const api = await new Api(browser.origin).login(ROOT.username, ROOT.password);
    const { cores } = await api.get<{ cores: { id: number; name: string }[] }>('/api/cores');
    const core = cores.find(({ name }) => name === 'first');
    await api.modify(`/api/core/${core?.id}?restart_nodes=true`, { ...core, ...REACH_LOOPBACK });
    const user = client;
    // While the new engine takes over, the previous one, which keeps clients out of this machine, may still be asked.
    const fetched = await eventually('the page of this machine is reached', () =>
      user.fetch(web.url).catch(() => undefined),
    );
    expect(fetched).toBe(PAGE);

    const used = await eventually('the traffic is recorded', async () => {
      const { used_traffic } = await api.get<{ used_traffic: number }>('/api/user/alice');
      return used_traffic > PAGE.length ? used_traffic : undefined;
    });
    await page().getByRole('dialog').getByText(kilobytes(used)).first().waitFor();
    expect(browser.problems).toEqual([]);
  });
});

/** A dialog with a form, whose fields are found by the texts of their labels. */
class Form {
  constructor(
    private readonly dialog: Locator,
    private readonly word: (key: string) => string,
  ) {}

  async type(label: string, text: string): Promise<void> {
    await this.dialog
      .getByRole('textbox', { name: this.word(label) })
      .first()
      .fill(text);
  }

  /** Chooses an option of a list by its text. */
  async choose(label: string, option: string): Promise<void> {
    await this.dialog.getByRole('combobox', { name: this.word(label) }).click();
    await this.dialog.page().getByRole('option', { name: option, exact: true }).click();
    await this.dialog.page().keyboard.press('Tab');
  }

  /** Adds an entry to a field that holds several. */
  async add(label: string, text: string): Promise<void> {
    const field = this.dialog.getByLabel(this.word(label)).first();
    await field.fill(text);
    await field.press('Enter');
  }
}
