import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { eventually } from '@rampart/testing';
import type { AxeResults } from 'axe-core';
import jsQR from 'jsqr';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A tab of the browser, with what its page requests and logs. */
export class Tab {
  /** URLs that the page has requested. */
  readonly requested: string[] = [];
  /** Messages in the console, including violations of the content security policy and uncaught errors. */
  readonly console: string[] = [];

  constructor(private readonly page: Page) {
    page.on('request', (request) => void this.requested.push(request.url()));
    page.on('console', (message) => void this.console.push(message.text()));
    page.on('pageerror', (error) => void this.console.push(String(error)));
  }

  /** Opens a URL and waits until everything on the page is loaded. */
  async visit(url: string): Promise<void> {
    await this.page.goto(url);
  }

  /** Evaluates an expression in the page and awaits its promise. */
  value(expression: string): Promise<unknown> {
    return this.page.evaluate(expression);
  }

  /** Waits until an expression is true, also across navigations. */
  async until(expression: string): Promise<void> {
    // `waitForFunction` would evaluate the text inside the page, which the policy forbids.
    await eventually(expression, async (saw) => saw(await this.value(expression).catch(() => false)) === true);
  }

  /** Clicks on an element, which no other element may cover. */
  async click(selector: string): Promise<void> {
    await this.page.locator(selector).first().click();
  }

  /** Presses a key. */
  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
  }

  /** The texts of those elements that are visible. */
  shown(selector: string): Promise<string[]> {
    return this.page.locator(selector).filter({ visible: true }).allTextContents();
  }

  /** Shows the page in a window of this width and in these colours. */
  async show(width: number, colorScheme: 'light' | 'dark'): Promise<void> {
    await this.page.setViewportSize({ width, height: 844 });
    await this.page.emulateMedia({ colorScheme });
  }

  /** Violations of WCAG 2.2 AA and of good practice on the page as it is shown, as lines. */
  async violations(): Promise<string[]> {
    if ((await this.value('typeof axe')) === 'undefined') await this.value(`${AXE}; undefined`);
    const rules = JSON.stringify({ type: 'tag', values: WCAG });
    const run = `axe.run(document, { runOnly: ${rules}, resultTypes: ['violations'] })`;
    const violations = (await this.value(`${run}.then(({ violations }) => violations)`)) as AxeResults['violations'];
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
  }

  /** The text of the QR code that is visible in the element. @param blank a tab whose page has no policy */
  async scanned(selector: string, blank: Tab): Promise<string | undefined> {
    await this.page.locator(selector).first().scrollIntoViewIfNeeded();
    // Tabs in the background are not painted.
    await this.page.bringToFront();
    const png = await this.page.screenshot();
    const { width, height, bytes } = Object(await blank.value(pixelsOf(png.toString('base64'))));
    const pixels = new Uint8ClampedArray(Buffer.from(bytes, 'base64'));
    return jsQR.default(pixels, width, height, { inversionAttempts: 'dontInvert' })?.data;
  }
}

/** An expression that decodes a picture. */
const pixelsOf = (png: string): string => `(async () => {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let text = '';
  for (let start = 0; start < data.length; start += 32768) {
    text += String.fromCharCode(...data.subarray(start, start + 32768));
  }
  return { width: image.width, height: image.height, bytes: btoa(text) };
})()`;
