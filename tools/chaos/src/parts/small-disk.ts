import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder on a file system of its own, which can be filled up. */
export interface SmallDisk {
  readonly folder: string;
  /** Undefined where nothing can be mounted: the folder is an ordinary one then. */
  readonly fill: (() => void) | undefined;
  empty(): void;
  remove(): void;
}

export function makeSmallDisk(folder: string, mebibytes: number): SmallDisk {
  mkdirSync(folder, { recursive: true });
  const ballast = join(folder, 'ballast');
  const empty = () => rmSync(ballast, { force: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'rampart-chaos', folder], {
      stdio: 'ignore',
    });
  } catch {
    return { folder, fill: undefined, empty, remove: () => undefined };
  }
  return {
    folder,
    fill: () => {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize));
      } catch (error) {
        // The program that uses the disk has written meanwhile, so that it is full before the end.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    empty,
    remove: () => execFileSync('umount', ['--lazy', folder]),
  };
}
