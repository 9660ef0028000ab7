import { totalmem } from 'node:os';
import { openFileLimit } from '@rampart/program';
import { memoryLimit } from '../../../machine/cgroup.js';
import { findInPath } from '../executable/locate-engine.js';

/** What a user can make the engine keep for one open file: a session of mux, measured with 26.3.27 and the node's edits. */
const BYTES_OF_A_FILE = 65_000;
/** Enough for an engine on a machine of any size. */
const MIN_FILES = 1024;

/** How many files the engine may have open: what users fill with them is half of the memory, since two engines run in a handover. */
export interface EngineFiles {
  readonly limit: number;
  readonly warning?: string;
}

/**
 * @param wanted the setting of the operator; by default the number follows from the memory
 * @param own how many files this process may have open, which the engine cannot exceed
 */
export function engineFiles(
  wanted: number | undefined,
  memory = memoryLimit() ?? totalmem(),
  own = openFileLimit(),
): EngineFiles {
  const limit = wanted ?? Math.max(MIN_FILES, Math.floor(memory / 2 / BYTES_OF_A_FILE));
  if (limit <= own) return { limit };
  if (wanted === undefined) return { limit: own };
  return {
    limit: own,
    warning: `the engine may open ${own} files, not ${wanted} (RAMPART_NODE_ENGINE_FILES), because the node may open no more: raise that limit, as with LimitNOFILE of systemd`,
  };
}

/** A command before another one that may then have so many files open; undefined where there is no shell. */
export async function fileLimiter(limit: number, searchPath: string): Promise<readonly string[] | undefined> {
  const shell = await findInPath('sh', searchPath);
  return shell === undefined ? undefined : [shell, '-c', 'ulimit -n "$0" && exec "$@"', `${limit}`];
}
