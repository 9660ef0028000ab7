import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { cachedPath, cacheFolder, type ProgramName, programs } from '@rampart/engine';

/** Path of the engine for tests: the pinned one, unless `RAMPART_TEST_XRAY` names another. */
export const enginePath = (): string => programPath('xray');

/** The version that the engine for tests reports. */
export function engineVersion(): string {
  version ??= programs.xray.ask.pattern.exec(
    execFileSync(enginePath(), programs.xray.ask.args, { encoding: 'utf8' }),
  )?.[1];
  if (version === undefined) throw new Error(`${enginePath()} does not say which version it is`);
  return version;
}

let version: string | undefined;

/** The pinned version of a program, for which the tests are written. */
export const programVersion = (name: ProgramName): string => programs[name].version;

/** Path of a program that a test needs. A missing program is an error that says how to install it. */
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
