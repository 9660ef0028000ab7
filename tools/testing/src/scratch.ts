import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 30;

/**
 * Where tests put databases and the state of nodes: in memory where there is room, else on the disk. There, a copy of 1,500 files
 * takes seconds, and each file that is saved waits for the disk. Nothing is executed in it, which some systems forbid.
 */
export function scratchFolder(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
