import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromiumPath } from '@rampart/testing';
import type { AxeResults, RunOnly } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Dialog, type Page, type Request } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Every run leaves pictures of all pages here. */
const SCREENSHOTS = join(import.meta.dirname, '../../dist/screenshots');
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const STANDARD: RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
/**
 * Refused requests are errors in the console, although the page expects them: a login is needed, a field or a version is wrong, the
 * service is busy. So are requests that Chromium abandons because the machine got or lost an address; the page repeats them.
 */
const EXPECTED =
  /Failed to load resource: (?:the server responded with a status of (?:401|412|422|503)|net::ERR_NETWORK_CHANGED)/;

const STREAM = /\/api\/(?:events|node\/\d+\/logs)$/;

const isLeaving = (dialog: Dialog): boolean => dialog.type() === 'beforeunload';

/** A headless Chromium in which an admin works, with everything that goes wrong in its pages. */
export class DashboardBrowser {
  /** Errors of pages, violations of the content security policy, requests to others, and questions that no test expects. */
  readonly problems: string[] = [];
  /** Requests without an answer; streams are not waited for. */
  private readonly pending = new Set<Request>();
  private expectsQuestion = false;

  private constructor(
    private readonly browser: Browser,
    private readonly context: BrowserContext,
    readonly page: Page,
    readonly origin: string,
  ) {}

  static async start(origin: string, language = 'en'): Promise<DashboardBrowser> {
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] });
    const context = await browser.newContext({ viewport: DESK, locale: language, reducedMotion: 'reduce' });
    await context.addInitScript({ content: AXE });
    const page = await context.newPage();
    const started = new DashboardBrowser(browser, context, page, origin);
    page.on('console', (message) => {
      const isError = message.type() === 'error' && !EXPECTED.test(message.text());
      if (isError || message.text().includes('Content Security Policy'))
        started.problems.push(`${message.text()} at ${message.location().url}`);
    });
    page.on('dialog', (dialog) => {
      // Tests leave drafts by another address.
      if (isLeaving(dialog)) void dialog.accept();
      else if (!started.expectsQuestion) {
        started.problems.push(`unexpected question: ${dialog.message()}`);
        void dialog.dismiss();
      }
    });
    page.on('pageerror', (error) => void started.problems.push(String(error)));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) started.problems.push(`foreign request: ${url}`);
      if (!STREAM.test(url)) started.pending.add(request);
    });
    page.on('requestfinished', (request) => void started.pending.delete(request));
    page.on('requestfailed', (request) => void started.pending.delete(request));
    return started;
  }

  async visit(path: string): Promise<void> {
    await this.page.goto(`${this.origin}/dashboard${path}`);
  }

  /** The next question that the page asks in a window of the browser; the test answers it. */
  async expectQuestion(): Promise<Dialog> {
    this.expectsQuestion = true;
    try {
      return await this.page.waitForEvent('dialog', (dialog) => !isLeaving(dialog));
    } finally {
      this.expectsQuestion = false;
    }
  }

  /** Waits until everything that the page has asked for is here and drawn. */
  async loaded(): Promise<void> {
    await this.page.waitForLoadState('load');
    for (let calm = 0; calm < 2; calm = this.pending.size === 0 ? calm + 1 : 0) await this.settle();
  }

  async logIn(username: string, password: string): Promise<void> {
    await this.page.locator('input[autocomplete=username]').fill(username);
    await this.page.locator('input[autocomplete=current-password]').fill(password);
    await this.page.locator('button[type=submit]').click();
    await this.page.locator('nav a').first().waitFor();
  }

  async useLanguage(language: string): Promise<void> {
    await this.page.evaluate(`localStorage.setItem('rampart.language', '${language}')`);
  }

  /**
   * Violations of WCAG 2.2 AA on the page as it is, in both colour schemes and both widths, as lines. Each width leaves a screenshot
   * under this name.
   */
  async violations(name: string): Promise<string[]> {
    const found: string[] = [];
    for (const [size, viewport] of Object.entries({ desk: DESK, phone: PHONE })) {
      await this.page.setViewportSize(viewport);
      for (const colorScheme of ['light', 'dark'] as const) {
        await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await this.settle();
        // The colours are all that differs in the dark.
        for (const line of await this.axe(
          colorScheme === 'dark' ? { type: 'rule', values: ['color-contrast'] } : STANDARD,
        ))
          found.push(`${size}, ${colorScheme}: ${line}`);
        if (colorScheme === 'light') await this.page.screenshot({ path: join(SCREENSHOTS, `${name}-${size}.png`) });
        const overflow = await this.page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        if (Number(overflow) > 0) found.push(`${size}: the page is ${overflow} px wider than the window`);
      }
    }
    await this.page.setViewportSize(DESK);
    await this.page.emulateMedia({ colorScheme: 'light' });
    return found;
  }

  /** Waits until the page has drawn what it was told. */
  private async settle(): Promise<void> {
    await this.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await this.page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => 0)))');
  }

  private async axe(what: RunOnly): Promise<string[]> {
    const results = await this.page.evaluate(
      `axe.run(document, { runOnly: ${JSON.stringify(what)}, resultTypes: ['violations'], iframes: false })`,
    );
    const { violations } = results as AxeResults;
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, any }) => `${id} at ${target.join(' ')} (${any[0]?.message ?? ''})`),
    );
  }

  async close(): Promise<void> {
    await this.context.close();
    await this.browser.close();
  }
}
