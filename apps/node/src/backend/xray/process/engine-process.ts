import { type ChildProcess, spawn } from 'node:child_process';
import { pipeline } from 'node:stream';
import { LineSplitter } from './line-splitter.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface EngineCommand {
  readonly path: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** A command that executes the engine, such as `setpriv --pdeathsig KILL`, which ends the engine with the node. */
  readonly wrapper: readonly string[];
}

const MAX_KEPT_LINES = 20;

/** One process of the engine's program. */
export class EngineProcess {
  /** Resolves when the program has ended and its output has been read. */
  readonly exited: Promise<Exit>;
  private readonly child: ChildProcess;
  private readonly lastLines: string[] = [];

  constructor({ path, args, environment, wrapper }: EngineCommand, onLine: (line: string) => void = () => {}) {
    const [program = path, ...programArgs] = [...wrapper, path, ...args];
    // The engine gets its own session: Ctrl-C reaches only the node, which reads the last counters before it
    // ends the engine.
    this.child = spawn(program, programArgs, { env: environment, stdio: 'pipe', detached: true });
    this.exited = new Promise((resolve) => {
      this.child.once('error', (error) => {
        this.lastLines.push(error.message);
        resolve({ code: null, signal: null });
      });
      this.child.once('close', (code, signal) => resolve({ code, signal }));
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      const lines = new LineSplitter((line) => {
        this.lastLines.push(line);
        if (this.lastLines.length > MAX_KEPT_LINES) this.lastLines.shift();
        onLine(line);
      });
      stream?.on('data', (chunk: Buffer) => lines.pushBytes(chunk));
      stream?.on('end', () => lines.flush());
    }
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** The latest lines of its output, oldest first. */
  get lastOutput(): readonly string[] {
    return this.lastLines;
  }

  /** Writes all input to the program's stdin. */
  writeInput(pieces: Iterable<string | Uint8Array>): void {
    // The program may end before it has read everything; its exit code says more than this error.
    if (this.child.stdin) pipeline(pieces, this.child.stdin, () => undefined);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends SIGTERM, and SIGKILL after a while. */
  async terminate(patienceMs: number): Promise<void> {
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), patienceMs);
    await this.exited;
    clearTimeout(timer);
  }
}

export function describeExit({ code, signal }: Exit): string {
  if (signal !== null) return `was ended by ${signal}`;
  return code === null ? 'could not be run' : `ended with exit code ${code}`;
}
