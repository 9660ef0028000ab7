import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { StrategyFailed } from './errors.js';
import type { Program } from './programs.js';

/** Environment variables by name, as in `process.env`. */
export type Environment = Record<string, string | undefined>;

/** Absolute path of the executable that the operator named in the environment; undefined when none is named. */
export function namedPath(env: Environment, program: Program): string | undefined {
  const path = env[program.variable];
  return path ? resolve(path) : undefined;
}

/** The absolute folders of `PATH`. Relative ones are ignored, because they depend on the working directory. */
export function searchPath(env: Environment): string[] {
  return (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
}

/** `RAMPART_CACHE_DIR`, else `$XDG_CACHE_HOME/rampart`, else `~/.cache/rampart`. Throws StrategyFailed without a home. */
export function cacheFolder(env: Environment, systemHome = homedir): string {
  const { RAMPART_CACHE_DIR: own, XDG_CACHE_HOME: shared, HOME: home } = env;
  if (own) return resolve(own);
  return join(shared && isAbsolute(shared) ? shared : join(home || homeOf(systemHome), '.cache'), 'rampart');
}

/** A user id without an entry in the user database, which is common in containers, has no home folder. */
function homeOf(systemHome: () => string): string {
  try {
    return systemHome();
  } catch {
    throw new StrategyFailed('this user has no home folder: set RAMPART_CACHE_DIR');
  }
}
