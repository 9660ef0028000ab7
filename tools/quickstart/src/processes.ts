import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { OperatorError } from '@rampart/program';

/** Milliseconds until a program is killed; longer than both programs need to shut down. */
const SHUTDOWN_TIMEOUT_MS = 12_000;

interface Arguments {
  readonly args?: readonly string[];
  /** One of `os.constants.priority`. */
  readonly priority?: number;
  /** Whether the program may end by itself: it is then started again by `restart`. */
  readonly restarts?: boolean;
}

interface Program {
  child: ChildProcess;
  readonly spawn: () => ChildProcess;
  /** Whether the end of the program is expected. */
  ending: boolean;
  /** Restarts follow each other. */
  restarting: Promise<void>;
}

/** The programs that the quick start runs. They end together, in reverse order of their start. */
export class Processes {
  private readonly running = new Map<string, Program>();
  private stopping: Promise<void> | undefined;

  /** @param fail is called when a program exits unexpectedly. */
  constructor(private readonly fail: (error: OperatorError) => void) {}

  /** Starts a program with this Node.js; `args` are for the program. */
  start(
    name: string,
    main: string,
    env: NodeJS.ProcessEnv,
    { args = [], priority, restarts = false }: Arguments = {},
  ): void {
    const ended = (child: ChildProcess, how: string) => {
      const program = this.running.get(name);
      if (this.stopping !== undefined || program?.child !== child || program.ending) return;
      const problem = `${name} ended ${how}; its output is above.`;
      if (restarts) console.error(`${problem} It is started again after the next change.`);
      else this.fail(new OperatorError(problem));
    };
    const run = () => {
      const child = spawnDetached([process.execPath, main, ...args], env);
      if (priority !== undefined && child.pid !== undefined) setGroupPriority(child.pid, priority);
      child.once('error', (error) => ended(child, `before it began: ${error.message}`));
      child.once('exit', (code, signal) => ended(child, signal === null ? `with code ${code}` : `by ${signal}`));
      return child;
    };
    this.running.set(name, { child: run(), spawn: run, ending: false, restarting: Promise.resolve() });
  }

  /** Ends a program, and starts it again; nothing if it was not started yet. */
  restart(name: string): void {
    const program = this.running.get(name);
    if (program === undefined) return;
    program.restarting = program.restarting.then(async () => {
      if (this.stopping !== undefined) return;
      program.ending = true;
      await end(program.child);
      program.ending = false;
      if (this.stopping === undefined) program.child = program.spawn();
    });
  }

  stop(): Promise<void> {
    this.stopping ??= (async () => {
      for (const program of [...this.running.values()].reverse()) {
        await program.restarting;
        await end(program.child);
      }
    })();
    return this.stopping;
  }
}

let dieWithParentPrefix: readonly string[] | undefined;

/** Starts a command in a process group of its own: Ctrl-C reaches only the quick start, which then ends the programs in order. */
function spawnDetached(words: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  dieWithParentPrefix ??= dieWithParent();
  const [command, ...args] = [...dieWithParentPrefix, ...words];
  return spawn(command as string, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
}

/** Sets the priority of a process that leads its session, as `spawnDetached` starts them. */
function setGroupPriority(pid: number, priority: number): void {
  setPriority(pid, priority);
  try {
    // Linux compares the priorities of processes within a session only; this is the priority of the session.
    writeFileSync(`/proc/${pid}/autogroup`, String(priority));
  } catch {
    // Other systems, and kernels without automatic groups, compare all processes.
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), SHUTDOWN_TIMEOUT_MS);
  await ended;
  clearTimeout(late);
  killGroup(child.pid);
}

/** Kills processes that a program has left in its process group, such as the native compiler below its script. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A command prefix that makes programs end with a killed quick start, on systems that support it. */
function dieWithParent(): string[] {
  const { status } = spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true'], { stdio: 'ignore' });
  return status === 0 ? ['setpriv', '--pdeathsig', 'TERM'] : [];
}
