import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { QueryRunner } from 'typeorm';
import { checkSchemaVersion } from '../database/schema-version.js';
import type { ManagementEnv } from '../env/management-env.js';
import { type EncryptTo, encryption } from './backup-encryption.js';
import { openTarget } from './backup-file.js';
import { type BackupHeader, rowsOf } from './backup-header.js';
import { backedUpKeys } from './backup-keys.js';
import { backupText, openSnapshot } from './backup-snapshot.js';
import { connectTo, serverToBackUp } from './database-of-backup.js';

/**
 * 100,000 users with 3.7 million rows: 40 MB with 7.7 s of processor time; level 6 takes 38 MB and 9.6 s, and without compression
 * there are 177 MB to encrypt, which takes 9.3 s. All of them need 12 s, in which the database reads.
 */
const COMPRESSION_LEVEL = 1;

export interface BackupOptions {
  readonly env: ManagementEnv;
  /** The path of the new file; `-` is standard output. */
  readonly file: string;
  readonly encryptTo: EncryptTo;
  /** Receives how many of all rows are written. */
  readonly onProgress: (rows: number, allRows: number) => void;
  /** Receives what the embedded server reports, where it is started. */
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Writes all tables, as they are at one moment, and the keys into an encrypted file. It never overwrites a file, and the
 * file has its name only when it is complete.
 *
 * @returns the header of the backup
 * @throws BackupError; DatabaseError; KeysError
 */
export async function createBackup(options: BackupOptions): Promise<BackupHeader> {
  const encrypt = encryption(options.encryptTo);
  const server = await serverToBackUp(options.env, options.log);
  try {
    const database = await connectTo(server);
    try {
      await checkSchemaVersion(database);
      const runner = database.createQueryRunner('slave');
      try {
        const header = await writeSnapshot(runner, encrypt, options);
        await runner.rollbackTransaction();
        return header;
      } catch (error) {
        // The server may still be sending rows, which nobody reads any more.
        database.suspend();
        throw error;
      } finally {
        await runner.release();
      }
    } finally {
      await database.destroy();
    }
  } finally {
    await server.close();
  }
}

async function writeSnapshot(
  runner: QueryRunner,
  encrypt: ReturnType<typeof encryption>,
  { env, file, onProgress, signal }: BackupOptions,
): Promise<BackupHeader> {
  const target = await openTarget(file);
  try {
    const snapshot = await openSnapshot(runner);
    const header = { ...snapshot, keys: await backedUpKeys(runner.manager, env) };
    const allRows = rowsOf(header);
    const text = backupText(runner, header, (rows) => onProgress(rows, allRows));
    await pipeline(
      Readable.from(text, { objectMode: false }),
      createGzip({ level: COMPRESSION_LEVEL }),
      encrypt,
      target.stream,
      { ...(signal && { signal }) },
    );
    await target.complete();
    return header;
  } catch (error) {
    await target.discard();
    throw error;
  }
}
