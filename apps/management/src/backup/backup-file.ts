import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, link, open, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { errorCode } from '../errors/error-code.js';
import { BackupError } from './backup-error.js';

/** The name that means standard output or input. */
export const STANDARD_STREAM = '-';

/** Where a backup is written. It has its name only when it is complete and on the disk. */
export interface BackupTarget {
  readonly stream: Writable;
  /** Gives the file its name. @throws BackupError when there is such a file by now */
  complete(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/** @throws BackupError where the file exists, or cannot be created */
export async function openTarget(file: string): Promise<BackupTarget> {
  if (file === STANDARD_STREAM) return standardOutput();
  if (await exists(file)) throw existing(file);
  const draft = `${file}.${randomBytes(4).toString('hex')}.partial`;
  await writeFile(draft, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    throw new BackupError(`${file} cannot be created (${errorCode(error)})`);
  });
  return {
    stream: createWriteStream(draft, { flags: 'r+' }),
    complete: async () => {
      await sync(draft);
      await giveName(draft, file);
      // Without it, a crash of the machine could take away the name. Not every file system supports it.
      await sync(dirname(file)).catch(() => undefined);
    },
    discard: () => unlink(draft).catch(() => undefined),
  };
}

function standardOutput(): BackupTarget {
  if (process.stdout.isTTY) throw new BackupError('A backup is not written to a terminal: redirect standard output');
  return { stream: process.stdout, complete: () => Promise.resolve(), discard: () => Promise.resolve() };
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const existing = (file: string) => new BackupError(`${file} exists already, and a backup never overwrites a file`);

/** A link never replaces a file that was created meanwhile. Some file systems have none. */
async function giveName(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
    await unlink(draft);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || (await exists(file))) throw existing(file);
    await rename(draft, file);
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
