import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const WINDOW = { width: 1280, height: 800 };
const WINDOW_READY_MS = 1_000;
const SLOW_PROCESSOR = 4;
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };

/** Runs in each page from its beginning: when the first row shows, and how long each click and key waited for its picture. */
const RECORD = `
  window.interactions = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId > 0) interactions.push(duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  (function look() {
    if (document.querySelector('[data-row] a')) window.firstRow = performance.now();
    else requestAnimationFrame(look);
  })();`;

/** Calls `measure` with a function that opens a page of the dashboard in a new window without a cache, logged in. */
export async function withDashboard(origin, { username, password }, measure) {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const login = await browser.newPage();
    await login.goto(`${origin}/dashboard/`);
    await login.locator('input[autocomplete=username]').fill(username);
    await login.locator('input[autocomplete=current-password]').fill(password);
    await login.locator('button[type=submit]').click();
    await login.locator('nav a').first().waitFor();
    const storageState = await login.context().storageState();
    return await measure(async (path, { slowProcessor = false, slowNetwork = false } = {}) => {
      const context = await browser.newContext({ viewport: WINDOW, storageState, reducedMotion: 'reduce' });
      await context.addInitScript({ content: RECORD });
      const page = await context.newPage();
      const protocol = await context.newCDPSession(page);
      await protocol.send('Network.enable');
      if (slowNetwork) await protocol.send('Network.emulateNetworkConditions', SLOW_NETWORK);
      if (slowProcessor) await protocol.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PROCESSOR });
      // A new window of Chromium loads parts of its own first, which must not share the processor with the page.
      await wait(WINDOW_READY_MS);
      await page.goto(`${origin}/dashboard${path}`);
      return new DashboardPage(page, protocol);
    });
  } finally {
    await browser.close();
  }
}

function chromiumPath() {
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH) return CHROME_PATH;
  const found = NAMES.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()).find(Boolean);
  if (!found)
    throw new Error('No browser: install Chromium (Debian: apt-get install chromium), or name one by CHROME_PATH');
  return found;
}

export class DashboardPage {
  constructor(page, protocol) {
    this.page = page;
    this.protocol = protocol;
  }

  /** Milliseconds from the beginning of the load until the list shows its first row. */
  async firstRowMs() {
    await this.page.locator('[data-row] a').first().waitFor();
    return this.page.evaluate('firstRow');
  }

  /** The number of rows of the list. */
  async rows() {
    return Number(await this.page.locator('table[aria-rowcount]').getAttribute('aria-rowcount'));
  }

  /** Scrolls to a row and waits until it shows; returns the milliseconds of the server, and those that remain. */
  jump(row) {
    return this.page.evaluate(async (row) => {
      const table = document.querySelector('table[aria-rowcount]');
      const scroller = table.closest('section');
      const body = table.querySelector('tbody');
      const began = performance.now();
      scroller.scrollTo(0, (body.clientHeight / Number(table.getAttribute('aria-rowcount'))) * row);
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      while (!document.querySelector(`[data-row="${row}"] a`)) {
        if (performance.now() - began > 10_000) throw new Error(`row ${row} does not show`);
        await frame();
      }
      const all = performance.now() - began;
      const asked = performance
        .getEntriesByType('resource')
        .filter(({ name, startTime }) => startTime >= began && name.includes('/api/users'));
      const server = Math.max(0, ...asked.map(({ requestStart, responseEnd }) => responseEnd - requestStart));
      performance.clearResourceTimings();
      return { own: all - server, server };
    }, row);
  }

  elements() {
    return this.page.evaluate('document.getElementsByTagName("*").length');
  }

  /** What the scripts of the page hold after garbage collection. */
  async heapBytes() {
    await this.protocol.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.protocol.send('Runtime.getHeapUsage');
    return usedSize;
  }

  /** Does something and waits until the selector shows; returns the longest time in which the page has reacted to a click or key. */
  async reactionMs(act, selector) {
    await this.page.evaluate('interactions.length = 0');
    await act(this.page);
    await this.page.locator(selector).first().waitFor();
    // Entries come after the next picture.
    await this.page.evaluate('new Promise((done) => setTimeout(done, 300))');
    return this.page.evaluate('Math.max(0, ...interactions)');
  }

  close() {
    return this.page.context().close();
  }
}
