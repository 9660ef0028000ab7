import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findInPath } from '../executable/locate-engine.js';

const run = promisify(execFile);
const known = new Map<string, Promise<readonly string[]>>();

/** A command before the engine that ends it when the node dies; empty where there is none. */
export function parentDeathWrapper(searchPath: string): Promise<readonly string[]> {
  const wrapper = known.get(searchPath) ?? findWrapper(searchPath);
  known.set(searchPath, wrapper);
  return wrapper;
}

async function findWrapper(searchPath: string): Promise<readonly string[]> {
  const setpriv = await findInPath('setpriv', searchPath);
  if (setpriv === undefined) return [];
  const wrapper = [setpriv, '--pdeathsig', 'KILL'];
  // Some versions of setpriv lack this option.
  return run(setpriv, ['--pdeathsig', 'KILL', process.execPath, '--version'], { timeout: 5000, env: {} }).then(
    () => wrapper,
    () => [],
  );
}
