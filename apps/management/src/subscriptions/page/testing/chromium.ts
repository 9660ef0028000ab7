import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Tab } from './tab.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MISSING = 'No browser: install Chromium (Debian: apt-get install chromium), or name one by CHROME_PATH';
const START_MS = 20_000;

export type Answer = Record<string, unknown>;
export type Listener = (params: Answer) => void;

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Answer;
  result?: Answer;
  error?: { message: string };
}

/** A headless browser that is told what to do by its DevTools protocol, over a pipe. */
export class Chromium {
  private lastId = 0;
  private readonly waiting = new Map<number, { resolve: (result: Answer) => void; reject: (error: Error) => void }>();
  private readonly listeners = new Map<string, Listener[]>();
  private rest = '';

  private constructor(
    private readonly browser: ChildProcess,
    private readonly input: Writable,
    output: Readable,
    private readonly profile: string,
  ) {
    output.setEncoding('utf8').on('data', (chunk: string) => this.read(chunk));
    browser.once('exit', () => this.fail(new Error('the browser has ended')));
    // What is written while it ends is answered by its end.
    input.on('error', () => undefined);
  }

  static async start(): Promise<Chromium> {
    const program = executable();
    const profile = await mkdtemp(join(tmpdir(), 'rampart-chromium-'));
    const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
    const browser = spawn(program, [...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    const [, , , input, output] = browser.stdio;
    if (!(input instanceof Writable && output instanceof Readable)) throw new Error('the browser has no pipe');
    const chromium = new Chromium(browser, input, output, profile);
    const timer = setTimeout(() => chromium.fail(new Error('the browser does not start')), START_MS);
    await chromium.send('Browser.getVersion');
    clearTimeout(timer);
    return chromium;
  }

  /** An empty page of its own, as large as a phone's. */
  async tab(): Promise<Tab> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const session = String(sessionId);
    return Tab.open(
      (method, params) => this.send(method, params, session),
      (method, listener) => this.on(`${session} ${method}`, listener),
    );
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<Answer> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.browser.once('exit', resolve));
    await this.send('Browser.close').catch(() => this.browser.kill('SIGKILL'));
    await ended;
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  private on(event: string, listener: Listener): void {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  }

  private read(chunk: string): void {
    const messages = (this.rest + chunk).split('\0');
    this.rest = messages.pop() ?? '';
    for (const text of messages) this.take(JSON.parse(text));
  }

  private take({ id, sessionId, method, params, result, error }: Message): void {
    if (id === undefined) {
      for (const listener of this.listeners.get(`${sessionId} ${method}`) ?? []) listener(params ?? {});
      return;
    }
    const call = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result ?? {});
  }

  private fail(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

function executable(): string {
  const { CHROME_PATH } = process.env;
  const names = CHROME_PATH ? [CHROME_PATH] : NAMES;
  const found = names.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
  if (!found) throw new Error(CHROME_PATH ? `${MISSING} (${CHROME_PATH} does not run)` : MISSING);
  return found;
}
