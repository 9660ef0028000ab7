import { spawnSync } from 'node:child_process';
import { type Browser, type BrowserContext, chromium, devices } from 'playwright-core';
import { Tab } from './tab.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MISSING = 'No browser: install Chromium (Debian: apt-get install chromium), or name one by CHROME_PATH';
/** A viewport as large as a phone's. */
const PHONE = { ...devices['Pixel 5'], viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 };

/** A headless Chromium whose tabs share a clipboard and look like a phone. */
export class TestBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly context: BrowserContext,
  ) {}

  static async start(): Promise<TestBrowser> {
    const browser = await chromium.launch({ executablePath: executable(), args: ['--no-sandbox', '--disable-gpu'] });
    const permissions = ['clipboard-read', 'clipboard-write'];
    return new TestBrowser(browser, await browser.newContext({ ...PHONE, permissions }));
  }

  /** Opens an empty tab. */
  async openTab(): Promise<Tab> {
    return new Tab(await this.context.newPage());
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

function executable(): string {
  const { CHROME_PATH } = process.env;
  const names = CHROME_PATH ? [CHROME_PATH] : NAMES;
  for (const name of names) {
    if (spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0) return pathOf(name);
  }
  throw new Error(CHROME_PATH ? `${MISSING} (${CHROME_PATH} does not run)` : MISSING);
}

/** Playwright takes no names of programs, only paths. */
const pathOf = (name: string): string => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim() || name;
