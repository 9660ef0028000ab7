import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { OperatorError } from '@rampart/program';

/** Milliseconds until a program is killed; longer than both programs need to shut down. */
const SHUTDOWN_TIMEOUT_MS = 12_000;

interface Arguments {
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
}

/** The programs that the quick start runs. They end together, in reverse order of their start. */
export class Processes {
  private readonly running: ChildProcess[] = [];
  private stopping: Promise<void> | undefined;

  /** @param fail is called when a program exits unexpectedly. */
  constructor(private readonly fail: (error: OperatorError) => void) {}

  /** Starts a program with this Node.js; `args` are for the program, `nodeArgs` for Node.js. */
  start(name: string, main: string, env: NodeJS.ProcessEnv, { args = [], nodeArgs = [] }: Arguments = {}): void {
    // A separate process group: Ctrl-C reaches only the quick start, which then ends the programs in order.
    const [command, ...rest] = [
      ...dieWithParent(),
      process.execPath,
      '--enable-source-maps',
      ...nodeArgs,
      main,
      ...args,
    ];
    const child = spawn(command as string, rest, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    this.running.push(child);
    const ended = (how: string) => {
      if (this.stopping === undefined) this.fail(new OperatorError(`${name} ended ${how}; its output is above.`));
    };
    child.once('error', (error) => ended(`before it began: ${error.message}`));
    child.once('exit', (code, signal) => ended(signal === null ? `with code ${code}` : `by ${signal}`));
  }

  stop(): Promise<void> {
    this.stopping ??= (async () => {
      for (const child of this.running.reverse()) await end(child);
    })();
    return this.stopping;
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
