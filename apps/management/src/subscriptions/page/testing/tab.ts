import { setTimeout as wait } from 'node:timers/promises';
import jsQR from 'jsqr';
import type { Answer, Listener } from './chromium.js';

const PHONE = { width: 360, height: 740, deviceScaleFactor: 2, mobile: true };
const PATIENCE_MS = 10_000;

/** Part of a page, in CSS pixels. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One page of the browser, and what happens on it. */
export class Tab {
  /** All that it has asked a server for. */
  readonly requested: string[] = [];
  /** What stands in the console, breaches of the policy too. */
  readonly console: string[] = [];

  private constructor(private readonly send: (method: string, params?: object) => Promise<Answer>) {}

  static async open(
    send: (method: string, params?: object) => Promise<Answer>,
    on: (method: string, listener: Listener) => void,
  ): Promise<Tab> {
    const tab = new Tab(send);
    on('Network.requestWillBeSent', ({ request }) => void tab.requested.push(String(Object(request).url)));
    on('Log.entryAdded', ({ entry }) => void tab.console.push(String(Object(entry).text)));
    on('Runtime.consoleAPICalled', ({ args }) => void tab.console.push(JSON.stringify(args)));
    on('Runtime.exceptionThrown', ({ exceptionDetails }) => void tab.console.push(JSON.stringify(exceptionDetails)));
    for (const domain of ['Network', 'Page', 'Runtime', 'Log']) await send(`${domain}.enable`);
    await send('Emulation.setDeviceMetricsOverride', PHONE);
    await send('Emulation.setFocusEmulationEnabled', { enabled: true });
    return tab;
  }

  /** Ends when the page is there with all that belongs to it. */
  async visit(url: string): Promise<void> {
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await this.until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`);
  }

  /** The value of an expression in the page; a promise is awaited. */
  async value(expression: string): Promise<unknown> {
    const options = { awaitPromise: true, returnByValue: true, userGesture: true };
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, ...options });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return Object(result).value;
  }

  /** Between two pages there is nothing to ask. */
  async until(expression: string): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; !(await this.value(expression).catch(() => false)); await wait(20)) {
      if (Date.now() > end) throw new Error(`it does not come to: ${expression}`);
    }
  }

  /** As a finger does it: whatever lies on top gets it. */
  async click(selector: string): Promise<void> {
    const { x, y, width, height } = await this.box(selector);
    const point = { x: x + width / 2, y: y + height / 2, button: 'left', clickCount: 1 };
    for (const type of ['mousePressed', 'mouseReleased']) {
      await this.send('Input.dispatchMouseEvent', { type, ...point });
    }
  }

  /** What a scanner reads that is held before the element. */
  async scanned(selector: string, blank: Tab): Promise<string | undefined> {
    await this.box(selector);
    // What lies behind another page is not painted.
    await this.send('Page.bringToFront');
    const { data } = await this.send('Page.captureScreenshot');
    const { width, height, bytes } = Object(await blank.value(pixelsOf(String(data))));
    const pixels = new Uint8ClampedArray(Buffer.from(bytes, 'base64'));
    return jsQR.default(pixels, width, height, { inversionAttempts: 'dontInvert' })?.data;
  }

  /** Where it stands, after it was brought to the middle of the screen. */
  private async box(selector: string): Promise<Box> {
    const box = await this.value(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y, width, height };
    })()`);
    const { x, y, width, height } = Object(box);
    return { x, y, width, height };
  }
}

/** Decodes a picture in a page that no policy binds. */
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
