import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const apps = join(dirname(fileURLToPath(import.meta.url)), '../../../../apps');

/** A built program, management or node, in its own process. */
export class ProgramProcess {
  private readonly child: ChildProcess;
  private output = '';

  constructor(app: 'management' | 'node', env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, ['--enable-source-maps', join(apps, app, 'dist/main.js')], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        this.child.emit('output');
      });
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
