import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { programFile } from '@rampart/testing';
import { TestManagement } from '../../testing/test-management.js';

export interface RampartRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command line with nothing in its environment but these settings. */
export async function runRampart(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  input = '',
): Promise<RampartRun> {
  const child = spawn(process.execPath, [programFile('management', 'rampart'), ...words], {
    env: { PATH: process.env['PATH'] ?? '', ...settings },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

export const done = (stdout: string): RampartRun => ({ code: 0, stdout, stderr: '' });
export const failed = (stderr: string): RampartRun => ({ code: 1, stdout: '', stderr });

/** A running management with the command line beside it. */
export class RampartFixture {
  private constructor(readonly management: TestManagement) {}

  static async start(settings: Record<string, string> = {}): Promise<RampartFixture> {
    const management = await TestManagement.start(settings);
    await management.openControlSocket();
    return new RampartFixture(management);
  }

  /** Runs the command line on the running management. */
  run(words: string, input?: string, settings: Record<string, string> = {}): Promise<RampartRun> {
    return runRampart(words.split(' '), { RAMPART_DATA_DIR: this.management.folder, ...settings }, input);
  }

  /** What a command that succeeds prints with `--json`. */
  async jsonOf(words: string): Promise<unknown> {
    const { code, stdout, stderr } = await this.run(`${words} --json`);
    if (code !== 0 || stderr !== '') throw new Error(`${words}: ${code} ${stderr}`);
    return JSON.parse(stdout);
  }

  close(): Promise<void> {
    return this.management.close();
  }
}
