import { join } from 'node:path';
import { FolderLock } from '@rampart/program';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

const WHO = 'who\n';

/** Marks a directory as owned by this process. @throws EmbeddedPostgresError that names the process which owns it */
export async function acquireOwnerLock(directory: string): Promise<FolderLock> {
  const lock = await FolderLock.acquire(locksOf(directory), () => `${process.pid}`).catch(
    (error: NodeJS.ErrnoException) => {
      throw new EmbeddedPostgresError(
        `Cannot create a socket in ${directory} (${error.code}). Name a directory on a local file system in RAMPART_DATA_DIR.`,
        { cause: error },
      );
    },
  );
  if (lock) return lock;
  const pid = await FolderLock.ask(locksOf(directory), WHO);
  throw new EmbeddedPostgresError(
    `The database in ${directory} is in use by another Rampart management (process ${pid || 'unknown'}). ` +
      'Stop that one first, or name another directory in RAMPART_DATA_DIR; several managements share a server named in DATABASE_URL.',
  );
}

/** Whether a living process owns the directory. */
export const isOwned = (directory: string): Promise<boolean> => FolderLock.isHeld(locksOf(directory));

const locksOf = (directory: string): string => join(directory, 'locks');
