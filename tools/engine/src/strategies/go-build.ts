import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { searchPath } from '../environment.js';
import { StrategyFailed } from '../errors.js';
import type { Program } from '../programs.js';
import type { InstallContext, Strategy } from '../strategy.js';
import { isExecutable } from '../version.js';
import { storeInCache } from './cache.js';

const modules = fileURLToPath(new URL('../../', import.meta.url));
const TAIL_LINES = 8;

/** Builds the program with Go, inside the folder whose go.mod pins it and whose go.sum verifies every module. */
export const goBuildStrategy: Strategy = {
  name: 'go',
  label: () => 'Go',
  async find(program, context) {
    const go = await findGo(context);
    context.reporter.say(
      `${program.name} ${program.version}: building it with ${go}; about two minutes the first time`,
    );
    return storeInCache(program, context, (path) => build(go, program, path, context));
  },
};

async function findGo({ env }: InstallContext): Promise<string> {
  for (const folder of searchPath(env)) {
    const path = join(folder, 'go');
    if (await isExecutable(path)) return path;
  }
  throw new StrategyFailed('go is not on PATH');
}

/** The arguments with which `go` builds the program and writes it to `path`. */
export function buildArguments({ go }: Program, path: string): string[] {
  const tags = go.tags.length > 0 ? ['-tags', go.tags.join(',')] : [];
  const linker = ['-s', '-w', ...go.linkerFlags].join(' ');
  // With -mod=readonly, go never rewrites go.sum.
  return ['build', '-mod=readonly', '-trimpath', ...tags, '-ldflags', linker, '-o', path, go.package];
}

async function build(go: string, program: Program, path: string, context: InstallContext): Promise<void> {
  const { env, reporter, signal } = context;
  const started = performance.now();
  const pulse = setInterval(
    () => reporter.seconds(`building ${program.name}`, Math.round((performance.now() - started) / 1000)),
    1000,
  );
  try {
    await runGo(go, buildArguments(program, path), {
      cwd: join(modules, program.go.folder),
      env: { ...env, GOWORK: 'off' },
      signal,
    });
  } finally {
    clearInterval(pulse);
  }
}

interface GoOptions {
  cwd: string;
  env: InstallContext['env'];
  signal: AbortSignal | undefined;
}

function runGo(go: string, args: string[], { cwd, env, signal }: GoOptions): Promise<void> {
  return new Promise((done, fail) => {
    // On SIGINT, go ends its compilers and removes its working folder.
    const child = spawn(go, args, { cwd, env, signal, killSignal: 'SIGINT', stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    let failure: Error | undefined;
    child.on('error', (error) => {
      failure = error;
      if (child.pid === undefined) fail(error);
    });
    child.on('close', (code, killer) => {
      if (failure) fail(failure);
      else if (code === 0) done();
      else fail(new StrategyFailed(`go build ended with ${killer ?? `exit code ${code}`}: ${tail(output)}`));
    });
  });
}

function tail(output: string): string {
  return output.trim().split('\n').slice(-TAIL_LINES).join('\n') || 'it said nothing';
}
