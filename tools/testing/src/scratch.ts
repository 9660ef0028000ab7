import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 30;

/** What `jest/folders.mjs` gives to tests. */
interface Folders {
  readonly temporary: string;
  readonly memory?: string | undefined;
}

const folders = (): Folders => Reflect.get(globalThis, Symbol.for('rampart.test.folders')) ?? { temporary: tmpdir() };

/**
 * Where tests put databases and the state of nodes: in memory where there is room, else on the disk. There, a copy of 1,500 files
 * takes seconds, and each file that is saved waits for the disk. Nothing is executed in it, which some systems forbid. It is
 * emptied at the end of a test file.
 */
export function scratchFolder(): string {
  return folderWithRoom(folders().memory ?? MEMORY, tmpdir());
}

/** The same for what outlives a test file. */
export function lastingScratchFolder(): string {
  return folderWithRoom(MEMORY, folders().temporary);
}

/** The folder of the system for temporary files, for what outlives a test file. */
export function lastingTemporaryFolder(): string {
  return folders().temporary;
}

function folderWithRoom(memory: string, otherwise: string): string {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > ENOUGH_BYTES ? memory : otherwise;
  } catch {
    return otherwise;
  }
}
