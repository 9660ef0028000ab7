import { accessSync, constants } from 'node:fs';
import { cachedPath, cacheFolder, type ProgramName, programs } from '@rampart/engine';

/** The real engine for tests. There is no test without it: a missing one is an error that says what to do. */
export const enginePath = (): string => programPath('xray');

/** The version that tests are made for. */
export const programVersion = (name: ProgramName): string => programs[name].version;

/** The same of the engine and the clients of the tests. */
export function programPath(name: ProgramName): string {
  const program = programs[name];
  const path = process.env[program.variable] || cachedPath(program, cacheFolder(process.env));
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch (cause) {
    throw new Error(`these tests need ${name} at ${path}: run "npm test", which installs it`, { cause });
  }
}
