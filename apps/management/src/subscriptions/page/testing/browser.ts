import { chromiumPath } from '@rampart/testing';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, devices } from 'playwright-core';
import { Tab } from './tab.js';

/** A viewport as large as a phone's. */
const PHONE = { ...devices['Pixel 5'], viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 };

/** A headless Chromium whose tabs share a clipboard and look like a phone. */
export class TestBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly context: BrowserContext,
  ) {}

  static async start(): Promise<TestBrowser> {
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] });
    const permissions = ['clipboard-read', 'clipboard-write'];
    return new TestBrowser(browser, await browser.newContext({ ...PHONE, permissions }));
  }

  /** Opens an empty tab; on another device, with a clipboard of its own, where the options differ from a phone. */
  async openTab(device?: BrowserContextOptions): Promise<Tab> {
    const context = device ? await this.browser.newContext({ ...PHONE, ...device }) : this.context;
    return new Tab(await context.newPage());
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
