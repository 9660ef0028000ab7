import { type ExecFileException, execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from './environment.js';
import { StrategyFailed } from './errors.js';
import type { Program } from './programs.js';

const ANSWER_LIMIT_MS = 10_000;
const BUSY_TRIES = 20;

/** Runs the program at `path` and returns its version. Throws StrategyFailed if it is missing, fails or is another one. */
export async function askVersion(program: Program, path: string, env: Environment): Promise<string> {
  await demandExecutable(path);
  const answer = await run(path, program.ask.args, env);
  const version = program.ask.pattern.exec(answer)?.[1];
  if (!version) throw new StrategyFailed(`${path} does not answer like ${program.executable}: ${firstLine(answer)}`);
  return version;
}

/** Like askVersion, but throws StrategyFailed for any version but the pinned one. */
export async function demandPinned(program: Program, path: string, env: Environment): Promise<string> {
  const version = await askVersion(program, path, env);
  if (version !== program.version) throw new StrategyFailed(`${path} is version ${version}, not ${program.version}`);
  return version;
}

/** Whether the path is a file that this process may execute. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function demandExecutable(path: string): Promise<void> {
  if (await isExecutable(path)) return;
  const there = await stat(path).catch(() => undefined);
  throw new StrategyFailed(there ? `${path} is not an executable file` : `${path} does not exist`);
}

async function run(path: string, args: string[], env: Environment, tries = BUSY_TRIES): Promise<string> {
  const { error, stdout } = await new Promise<{ error: ExecFileException | null; stdout: string }>((done) => {
    const child = execFile(path, args, { env, timeout: ANSWER_LIMIT_MS }, (error, stdout) => done({ error, stdout }));
    child.stdin?.end();
  });
  if (!error) return stdout;
  // A file written a moment ago is "busy" while a forked child process still holds its descriptor.
  if (error.code === 'ETXTBSY' && tries > 1) {
    await pause(25);
    return run(path, args, env, tries - 1);
  }
  throw new StrategyFailed(`${path} does not run: ${firstLine(error.message)}`);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] || 'nothing';
}
