import { type ChildProcess, spawn } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { type FileHandle, open, readFile, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { constants as system } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeError } from '../../../errors/node-error.js';
import { errorCodeOf } from '../../../storage/disk-problem.js';
import { type EngineCommand, type Exit, OutputLines, type RunningProcess, terminate } from './engine-process.js';
import { KEEPER_SCRIPT } from './keeper-script.js';
import { isAlive, isForeign, ownPidNamespace, type ProcessIdentity } from './process-identity.js';

/** How long an engine may run without a node, and the program that watches it. */
export interface Keeping {
  readonly seconds: number;
  /** Path of bash, which runs the keeper. */
  readonly shell: string;
  /** `PATH` of the keeper. */
  readonly searchPath: string;
}

/** Interval of the lines by which the keeper knows that a node is there. */
const SIGN_INTERVAL_MS = 1000;
/** Time for the keeper to report how the engine has ended. */
const MAX_REPORT_MS = 3000;
const POLL_MS = 5;

/**
 * A process of the engine that outlives this one: a keeper is its parent, and another node can take it over with
 * `attach`. See `keeper-script.ts` for the files in its folder.
 */
export class KeptProcess implements RunningProcess {
  readonly exited: Promise<Exit>;
  /** Undefined when the process cannot be seen from here. */
  readonly pid: number | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly output: OutputLines;
  private readonly readers: readonly Socket[];

  private constructor(
    private readonly folder: string,
    readonly identity: ProcessIdentity,
    private readonly keeper: FileHandle,
    outputs: readonly [number, number],
    onLine: (line: string) => void,
    private readonly input?: ChildProcess,
  ) {
    this.pid = isForeign(identity) ? undefined : identity.pid;
    this.output = new OutputLines(onLine);
    const [lines, errors] = outputs.map((fd) => new Socket({ fd, readable: true, writable: false })) as [
      Socket,
      Socket,
    ];
    this.readers = [lines, errors];
    this.output.readOutput(lines);
    this.output.readErrors(errors);
    // The engine alone holds the other ends of these FIFOs.
    this.exited = Promise.all(this.readers.map(readToEnd)).then(() => this.readExit());
    this.tellKeeper('present');
    this.timer = setInterval(() => this.tellKeeper('present'), SIGN_INTERVAL_MS).unref();
  }

  /** Starts the program under a keeper. @throws NodeError `START_FAILED` when that is not possible */
  static async start(
    folder: string,
    { path, args, environment, wrapper }: EngineCommand,
    { seconds, shell, searchPath }: Keeping,
    onLine: (line: string) => void,
  ): Promise<KeptProcess> {
    const script = join(folder, 'keeper.sh');
    await writeFile(script, KEEPER_SCRIPT, { mode: 0o600 });
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    // The keeper has an environment of its own: the mark in that of the engine names engines alone.
    const command = ['env', '-i', ...variables, ...wrapper, path, ...args];
    const child = spawn(shell, ['--norc', script, folder, `${seconds}`, ...command], {
      env: { PATH: searchPath, LC_ALL: 'C' },
      stdio: 'pipe',
      detached: true,
    });
    child.unref();
    const identity = await firstLine(child);
    return KeptProcess.open(folder, identity, onLine, child);
  }

  /** Takes over a process that another node has left. Fails when it has ended. */
  static attach(folder: string, identity: ProcessIdentity, onLine: (line: string) => void): Promise<KeptProcess> {
    return KeptProcess.open(folder, identity, onLine);
  }

  private static async open(
    folder: string,
    identity: ProcessIdentity,
    onLine: (line: string) => void,
    child?: ChildProcess,
  ): Promise<KeptProcess> {
    // Without a keeper this fails with ENXIO: nobody has the FIFO open for reading.
    const keeper = await open(join(folder, 'keeper'), constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      const openFifo = (name: string) => openSync(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK);
      const output = openFifo('output');
      return new KeptProcess(folder, identity, keeper, [output, openFifo('errors')], onLine, child);
    } catch (error) {
      await keeper.close();
      throw error;
    }
  }

  get lastOutput(): readonly string[] {
    return this.output.latest;
  }

  get lastErrors(): readonly string[] {
    return this.output.latestErrors;
  }

  writeInput(pieces: Iterable<string | Uint8Array>): void {
    const stdin = this.input?.stdin;
    // The program may end before it has read everything; its exit code says more than this error.
    if (stdin) pipeline(pieces, stdin, () => undefined);
  }

  kill(signal: NodeJS.Signals): void {
    try {
      // The keeper takes signals for a process that cannot be seen from here.
      if (this.pid === undefined) this.tellKeeper(signal);
      else if (isAlive(this.identity)) process.kill(this.pid, signal);
    } catch {
      // It has just ended.
    }
  }

  terminate(patienceMs: number): Promise<void> {
    return terminate(this, patienceMs);
  }

  /** Leaves the process to another node. `exited` is never settled then. */
  async leave(): Promise<void> {
    clearInterval(this.timer);
    for (const reader of this.readers) {
      reader.removeAllListeners('end');
      reader.destroy();
    }
    await this.keeper.close().catch(() => undefined);
  }

  private tellKeeper(word: string): void {
    void this.writeToKeeper(word);
  }

  /** Resolves with false when there is no keeper any more. */
  private writeToKeeper(word: string): Promise<boolean> {
    return this.keeper.write(`${word}\n`).then(
      () => true,
      (error: unknown) => errorCodeOf(error) !== 'EPIPE',
    );
  }

  private async readExit(): Promise<Exit> {
    clearInterval(this.timer);
    const code = await this.reportedCode();
    await this.keeper.close().catch(() => undefined);
    // The engine is killed when its keeper dies, and there is nobody to report it.
    return code === undefined ? { code: null, signal: 'SIGKILL' } : exitOf(code);
  }

  private async reportedCode(): Promise<number | undefined> {
    const file = join(this.folder, 'ended');
    for (let waited = 0; waited < MAX_REPORT_MS; waited += POLL_MS) {
      // The line wakes the keeper, which looks for the engine once a second.
      const isKept = await this.writeToKeeper('ended');
      const [, code] = /^(\d+)\n/.exec(await readFile(file, 'utf8').catch(() => '')) ?? [];
      if (code !== undefined) return Number(code);
      if (!isKept) return undefined;
      await sleep(POLL_MS);
    }
    return undefined;
  }
}

/** Resolves when all of a FIFO has been read and nobody has it open for writing. */
function readToEnd(reader: Socket): Promise<void> {
  reader.on('error', () => undefined);
  return new Promise((resolve) => reader.once('end', resolve));
}

/** The identity of the engine, which the keeper prints. */
async function firstLine(child: ChildProcess): Promise<ProcessIdentity> {
  let said = '';
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk;
  });
  const line = await new Promise<string>((resolve) => {
    child.once('error', (error) => {
      complaint += error.message;
      resolve('');
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk;
      if (said.includes('\n')) resolve(said);
    });
    child.once('close', () => resolve(''));
  });
  const [, pid = '', startTime = ''] = /^(\d+) (\d+)\n/.exec(line) ?? [];
  if (startTime !== '') return { pid: Number(pid), startTime, pidNamespace: ownPidNamespace() };
  throw new NodeError('START_FAILED', `the program that keeps the engine did not start: ${complaint.trim()}`);
}

/** What the exit code of a shell means: above 128, the program was ended by a signal. */
function exitOf(code: number): Exit {
  const [name] = Object.entries(system.signals).find(([, number]) => number === code - 128) ?? [];
  return name === undefined ? { code, signal: null } : { code: null, signal: name as NodeJS.Signals };
}
