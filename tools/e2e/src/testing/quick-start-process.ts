import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showOutputOnFailure } from '@rampart/testing';

const script = join(dirname(fileURLToPath(import.meta.url)), '../../../quickstart/start.mjs');

/** `npm start` in its own process, with its output. */
export class QuickStartProcess {
  output = '';
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  private readonly child: ChildProcess;

  constructor(env: NodeJS.ProcessEnv, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [script, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    showOutputOnFailure('npm start', () => this.output);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    this.exited = once(this.child, 'exit').then(([code, signal]) => ({ code, signal }));
  }

  /** Waits until the output matches a pattern, and returns the groups of the first match. */
  async printed(pattern: RegExp): Promise<string[]> {
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match.slice(1);
      const more = Promise.race([
        once(this.child.stdout as NodeJS.ReadableStream, 'data'),
        once(this.child.stderr as NodeJS.ReadableStream, 'data'),
      ]);
      const gone = this.exited.then(({ code, signal }) => {
        throw new Error(`ended with ${signal ?? code} before it printed ${pattern}:\n${this.output}`);
      });
      await Promise.race([more, gone]);
    }
  }

  interrupt(): void {
    this.child.kill('SIGINT');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.interrupt();
    await this.exited;
  }

  /** All running descendants of the process: process id → command name. */
  descendants(): Map<number, string> {
    return descendantsOf(this.child.pid as number);
  }
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

function descendantsOf(ancestor: number): Map<number, string> {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(Number(name)) ?? []);
  const found = new Map<number, string>();
  const visit = (parent: number) => {
    for (const entry of all.filter((other) => other.parent === parent)) {
      found.set(entry.pid, entry.name);
      visit(entry.pid);
    }
  };
  visit(ancestor);
  return found;
}

function readEntry(pid: number): ProcessEntry | undefined {
  try {
    const [, name, , parent] = /^\d+ \((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { pid, parent: Number(parent), name: name as string };
  } catch {
    return undefined; // The process ended meanwhile.
  }
}
