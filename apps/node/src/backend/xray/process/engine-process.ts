import { type ChildProcess, spawn } from 'node:child_process';
import { pipeline, type Readable } from 'node:stream';
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

/** A process that runs the engine. */
export interface RunningProcess {
  /** Resolves when the program has ended and its output has been read. */
  readonly exited: Promise<Exit>;
  /** Undefined where this process cannot see it. */
  readonly pid: number | undefined;
  /** The latest lines of its output, oldest first. */
  readonly lastOutput: readonly string[];
  /** The latest lines of what it wrote to stderr, oldest first: the stack trace, when it has panicked. */
  readonly lastErrors: readonly string[];
  /** Writes all input to the program's stdin. */
  writeInput(pieces: Iterable<string | Uint8Array>): void;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL after a while. Resolves when the program has ended. */
  terminate(patienceMs: number): Promise<void>;
}

const MAX_KEPT_LINES = 20;
/** A stack trace of Go has at most 100 functions, each with its place. */
const MAX_KEPT_ERRORS = 300;

/** Splits output into lines, and keeps the latest ones. */
export class OutputLines {
  readonly latest: string[] = [];
  /** Those of stderr alone. */
  readonly latestErrors: string[] = [];

  constructor(private readonly onLine: (line: string) => void) {}

  /** Reads stdout to its end. */
  readOutput(stream: Readable | null): void {
    readLines(stream, (line) => this.add(line));
  }

  /** Reads stderr to its end. */
  readErrors(stream: Readable | null): void {
    readLines(stream, (line) => {
      keepLatest(this.latestErrors, line, MAX_KEPT_ERRORS);
      this.add(line);
    });
  }

  private add(line: string): void {
    keepLatest(this.latest, line, MAX_KEPT_LINES);
    this.onLine(line);
  }
}

function readLines(stream: Readable | null, onLine: (line: string) => void): void {
  const lines = new LineSplitter(onLine);
  stream?.on('data', (chunk: Buffer) => lines.pushBytes(chunk));
  stream?.on('end', () => lines.flush());
}

function keepLatest(lines: string[], line: string, most: number): void {
  lines.push(line);
  if (lines.length > most) lines.shift();
}

/** One process of the engine's program, which is a child of this process. */
export class EngineProcess implements RunningProcess {
  readonly exited: Promise<Exit>;
  private readonly child: ChildProcess;
  private readonly output: OutputLines;

  constructor({ path, args, environment, wrapper }: EngineCommand, onLine: (line: string) => void = () => {}) {
    const [program = path, ...programArgs] = [...wrapper, path, ...args];
    // The engine gets its own session: Ctrl-C reaches only the node, which reads the last counters before it
    // ends the engine.
    this.child = spawn(program, programArgs, { env: environment, stdio: 'pipe', detached: true });
    this.exited = new Promise((resolve) => {
      this.child.once('error', (error) => {
        this.output.latest.push(error.message);
        resolve({ code: null, signal: null });
      });
      this.child.once('close', (code, signal) => resolve({ code, signal }));
    });
    this.output = new OutputLines(onLine);
    this.output.readOutput(this.child.stdout);
    this.output.readErrors(this.child.stderr);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get lastOutput(): readonly string[] {
    return this.output.latest;
  }

  get lastErrors(): readonly string[] {
    return this.output.latestErrors;
  }

  writeInput(pieces: Iterable<string | Uint8Array>): void {
    // The program may end before it has read everything; its exit code says more than this error.
    if (this.child.stdin) pipeline(pieces, this.child.stdin, () => undefined);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  terminate(patienceMs: number): Promise<void> {
    return terminate(this, patienceMs);
  }
}

/** Sends SIGTERM, and SIGKILL after a while. Resolves when the program has ended. */
export async function terminate(process: RunningProcess, patienceMs: number): Promise<void> {
  process.kill('SIGTERM');
  const timer = setTimeout(() => process.kill('SIGKILL'), patienceMs);
  await process.exited;
  clearTimeout(timer);
}

export function describeExit({ code, signal }: Exit): string {
  if (signal !== null) return `was ended by ${signal}`;
  return code === null ? 'could not be run' : `ended with exit code ${code}`;
}
