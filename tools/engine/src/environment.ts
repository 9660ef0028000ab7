import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { StrategyFailed } from './errors.js';
import type { Program } from './programs.js';

/** Environment variables by name, as in `process.env`. */
export type Environment = Record<string, string | undefined>;

/** The program that the operator named, absolute; undefined where he named none. */
export function namedPath(env: Environment, program: Program): string | undefined {
  const path = env[program.variable];
  return path ? resolve(path) : undefined;
}

/** The folders of `PATH`. Relative ones are left out: what they mean depends on where one stands. */
export function searchPath(env: Environment): string[] {
  return (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
}

/** `RAMPART_CACHE_DIR`, else `$XDG_CACHE_HOME/rampart`, else `~/.cache/rampart`. Without any of these: StrategyFailed. */
export function cacheFolder(env: Environment, systemHome = homedir): string {
  const { RAMPART_CACHE_DIR: own, XDG_CACHE_HOME: shared, HOME: home } = env;
  if (own) return resolve(own);
  return join(shared && isAbsolute(shared) ? shared : join(home || homeOf(systemHome), '.cache'), 'rampart');
}

/** A user id without an entry in the user database, as containers have them, has no home. */
function homeOf(systemHome: () => string): string {
  try {
    return systemHome();
  } catch {
    throw new StrategyFailed('this user has no home folder: set RAMPART_CACHE_DIR');
  }
}
