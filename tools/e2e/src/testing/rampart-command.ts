import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { programFile } from '@rampart/testing';

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command line of an app with these settings. `wrapper` is a command that executes it. */
export async function rampart(
  app: 'management' | 'node',
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  wrapper: readonly string[] = [],
): Promise<CommandRun> {
  const [command = '', ...args] = [...wrapper, process.execPath, programFile(app, 'rampart'), ...words];
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

export interface CheckRow {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'wrong';
  readonly seen: string;
  readonly advice: string | null;
}

/** What `rampart doctor --json` finds. */
export async function doctor(
  app: 'management' | 'node',
  env: Readonly<Record<string, string>>,
  wrapper?: readonly string[],
): Promise<{ code: number | null; checks: CheckRow[]; row(name: string): CheckRow | undefined }> {
  const { code, stdout, stderr } = await rampart(app, ['doctor', '--json'], env, wrapper);
  if (stderr !== '') throw new Error(`doctor ended with ${code}: ${stderr}`);
  const { checks } = JSON.parse(stdout) as { checks: CheckRow[] };
  return { code, checks, row: (name) => checks.find((check) => check.name === name) };
}
