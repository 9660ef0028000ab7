import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyDatabase } from './copy-database.js';
import { programFile } from './program-file.js';
import { showOutputOnFailure } from './shown-output.js';

/** A built program, management or node, in its own process. A management without a database gets one that is ready. */
export class ProgramProcess {
  private readonly child: ChildProcess;
  /** What it has printed so far. */
  output = '';

  /**
   * @param wrapper a command that executes it, such as `ip netns exec NAME`.
   * @param main the file to run in place of that of the app.
   */
  constructor(
    app: 'management' | 'node',
    env: Readonly<Record<string, string>>,
    wrapper: readonly string[] = [],
    main = programFile(app),
  ) {
    const { RAMPART_DATA_DIR: dataDir, DATABASE_URL: url = '' } = env;
    if (app === 'management' && main === programFile(app) && dataDir !== undefined && url === '') copyDatabase(dataDir);
    const [command, ...args] = [...wrapper, process.execPath, main];
    this.child = spawn(command as string, args, {
      // A node that is ended leaves no engine, except in tests that want one.
      env: { ...process.env, RAMPART_NODE_KEEP_SECONDS: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    showOutputOnFailure(app, () => this.output);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        this.child.emit('output');
      });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Waits until the program has printed this text. */
  printed(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => this.output.includes(text) && resolve();
      this.child.on('output', look);
      this.child.once('exit', (code, signal) =>
        reject(new Error(`ended with ${signal ?? code} before it printed "${text}":\n${this.output}`)),
      );
      look();
    });
  }

  /** Waits until the program has exited; returns its exit code and its output. */
  async ended(): Promise<{ code: number | null; output: string }> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return { code: this.child.exitCode, output: this.output };
  }

  /** Kills the program with SIGKILL. */
  kill(): Promise<void> {
    return this.stop('SIGKILL');
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
  }
}
