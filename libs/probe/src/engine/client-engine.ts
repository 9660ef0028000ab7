import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

/** The memory that Go is asked to keep to, and at which the engine is ended. */
const SOFT_MEMORY = '96MiB';
const MAX_RESIDENT_KB = 192 * 1024;
const WATCH_MS = 250;
const POLL_MS = 10;
const MAX_LINES = 400;

export interface EngineProgram {
  /** The engine's executable, behind the commands that limit its rights. */
  readonly command: readonly string[];
  /** All variables of the engine's process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A line of the engine's log, and when it came by the monotonic clock. */
interface LogLine {
  readonly text: string;
  readonly atMs: number;
}

/** A short-lived engine with a client configuration. */
export class ClientEngine {
  readonly lines: LogLine[] = [];
  /** Resolves when the process has ended and its output was read. */
  readonly exited: Promise<void>;
  /** Why it was ended early; empty: it was not. */
  endedBecause = '';
  private readonly child: ChildProcess;
  private readonly memoryWatch: NodeJS.Timeout;
  private running = true;
  private readonly waiting = new Set<() => void>();

  constructor({ command: [program = '', ...args], environment }: EngineProgram, config: string) {
    // A session of its own: Ctrl-C reaches only the program that started it.
    this.child = spawn(program, [...args, 'run', '-c', 'stdin:'], {
      env: { GOMEMLIMIT: SOFT_MEMORY, GOMAXPROCS: '1', ...environment },
      stdio: 'pipe',
      detached: true,
    });
    this.exited = new Promise((resolve) => {
      this.child.once('error', ({ message }) => this.addLine(message)).once('error', () => resolve());
      this.child.once('close', () => resolve());
    });
    void this.exited.then(() => {
      this.running = false;
      clearInterval(this.memoryWatch);
      this.wake();
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.addLine(line));
    }
    // The engine may end before it has read its configuration; its output says more than this error.
    this.child.stdin?.on('error', () => undefined).end(config);
    this.memoryWatch = setInterval(() => void this.checkMemory(), WATCH_MS);
  }

  /** Whether the engine listens on the socket; false when it has ended. */
  async listens(socketPath: string, signal: AbortSignal): Promise<boolean> {
    while (this.running && !signal.aborted) {
      if (await accepts(socketPath)) return true;
      await pause(POLL_MS);
    }
    signal.throwIfAborted();
    return false;
  }

  /** The line that matches, or the first one that comes within this time. */
  async findLine(pattern: RegExp, withinMs: number): Promise<LogLine | undefined> {
    const until = performance.now() + withinMs;
    for (;;) {
      const found = this.lines.findLast(({ text }) => pattern.test(text));
      const left = until - performance.now();
      if (found || left <= 0 || !this.running) return found;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Ends the engine at once. */
  async end(): Promise<void> {
    this.kill();
    await this.exited;
  }

  private addLine(text: string): void {
    if (this.lines.length < MAX_LINES) this.lines.push({ text, atMs: performance.now() });
    this.wake();
  }

  private wake(): void {
    for (const resume of this.waiting) resume();
    this.waiting.clear();
  }

  private async checkMemory(): Promise<void> {
    const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8').catch(() => '');
    if (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) <= MAX_RESIDENT_KB) return;
    this.endedBecause = 'the client took more memory than a probe may';
    this.kill();
  }

  /** With whatever a command before the engine may have started. */
  private kill(): void {
    const { pid } = this.child;
    if (pid === undefined || !this.running) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function accepts(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
