import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const APPS = join(dirname(fileURLToPath(import.meta.url)), '../../../../apps');

/** A built program, management or node, in its own process. */
export class Service {
  private output = '';
  private readonly child: ChildProcess;

  constructor(
    private readonly name: 'node' | 'management',
    environment: Readonly<Record<string, string>>,
  ) {
    this.child = spawn(process.execPath, ['--enable-source-maps', join(APPS, name, 'dist/main.js')], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output = `${this.output}${text}`.slice(-20_000);
      });
    }
  }

  /** Whether the program has printed a text. Throws with its output if it has exited. */
  hasPrinted(text: string): boolean {
    if (this.hasEnded()) throw new Error(`${this.name} ended:\n${this.output}`);
    return this.output.includes(text);
  }

  async stop(): Promise<void> {
    if (this.hasEnded()) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  private hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
