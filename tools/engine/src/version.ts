import { type ExecFileException, execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from './environment.js';
import { StrategyFailed } from './errors.js';
import type { Program } from './programs.js';

const ANSWER_LIMIT_MS = 10_000;
const BUSY_TRIES = 20;

/** Asks the program at `path` for its version. A file that is missing, cannot run or answers something else: StrategyFailed. */
export async function askVersion(program: Program, path: string, env: Environment): Promise<string> {
  await demandExecutable(path);
  const answer = await run(path, program.ask.args, env);
  const version = program.ask.pattern.exec(answer)?.[1];
  if (!version) throw new StrategyFailed(`${path} does not answer like ${program.executable}: ${firstLine(answer)}`);
  return version;
}

/** As askVersion, for the places where nothing but the pinned version will do. */
export async function demandPinned(program: Program, path: string, env: Environment): Promise<string> {
  const version = await askVersion(program, path, env);
  if (version !== program.version) throw new StrategyFailed(`${path} is version ${version}, not ${program.version}`);
  return version;
}

/** Whether a file is there and may be executed by us. */
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
  // A file written a moment ago is "busy" while some child of ours still holds its descriptor between fork and exec.
  if (error.code === 'ETXTBSY' && tries > 1) {
    await pause(25);
    return run(path, args, env, tries - 1);
  }
  throw new StrategyFailed(`${path} does not run: ${firstLine(error.message)}`);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] || 'nothing';
}
