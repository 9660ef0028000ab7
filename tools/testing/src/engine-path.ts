import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { cachedPath, cacheFolder, type ProgramName, programs } from '@rampart/engine';

/** The real engine for tests: another one than the pinned one where `RAMPART_TEST_XRAY` names it. */
export const enginePath = (): string => programPath('xray');

/** The version of that engine, as it calls itself. */
export function engineVersion(): string {
  version ??= programs.xray.ask.pattern.exec(
    execFileSync(enginePath(), programs.xray.ask.args, { encoding: 'utf8' }),
  )?.[1];
  if (version === undefined) throw new Error(`${enginePath()} does not say which version it is`);
  return version;
}

let version: string | undefined;

/** The version that tests are made for. */
export const programVersion = (name: ProgramName): string => programs[name].version;

/** A program for tests. There is no test without it: a missing one is an error that says what to do. */
export function programPath(name: ProgramName): string {
  const program = programs[name];
  const named = (name === 'xray' && process.env['RAMPART_TEST_XRAY']) || process.env[program.variable];
  const path = named || cachedPath(program, cacheFolder(process.env));
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch (cause) {
    throw new Error(`these tests need ${name} at ${path}: run "npm test", which installs it`, { cause });
  }
}
