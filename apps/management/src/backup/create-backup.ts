import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { QueryRunner } from 'typeorm';
import type { Database } from '../database/database.js';
import { checkSchemaVersion } from '../database/schema-version.js';
import type { ManagementEnv } from '../env/management-env.js';
import { type EncryptTo, encryption } from './backup-encryption.js';
import { openTarget } from './backup-file.js';
import { type BackupHeader, rowsOf } from './backup-header.js';
import { backedUpKeys } from './backup-keys.js';
import { fingerprintOf, signerOf, signingKey } from './backup-signature.js';
import { backupText, openSnapshot } from './backup-snapshot.js';
import { connectTo, serverToBackUp } from './database-of-backup.js';
import { recordBackup } from './record-backup.js';

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

/** What was backed up, and by whom it is signed. */
export interface Backup {
  readonly header: BackupHeader;
  readonly fingerprint: string;
}

/**
 * Writes all tables, as they are at one moment, and the keys into an encrypted file, signs it, and adds it to the log of
 * changes. It never overwrites a file, and the file has its name only when it is complete.
 *
 * @throws BackupError; DatabaseError; KeysError
 */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const encrypt = encryption(options.encryptTo);
  const server = await serverToBackUp(options.env, options.log);
  try {
    const database = await connectTo(server);
    try {
      await checkSchemaVersion(database);
      const runner = database.createQueryRunner('slave');
      try {
        return await writeSnapshot(database, runner, { ...options, encrypt });
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
  database: Database,
  runner: QueryRunner,
  { env, file, encrypt, encryptTo, onProgress, signal }: BackupOptions & { encrypt: ReturnType<typeof encryption> },
): Promise<Backup> {
  const target = await openTarget(file);
  try {
    const snapshot = await openSnapshot(runner);
    const keys = await backedUpKeys(runner.manager, env);
    const key = signingKey(Buffer.from(keys.atRest.current, 'base64'));
    const header: BackupHeader = { ...snapshot, keys, signer: signerOf(key) };
    const allRows = rowsOf(header);
    const text = backupText(runner, header, key, (rows) => onProgress(rows, allRows));
    let bytes = 0;
    const count = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    await pipeline(
      Readable.from(text, { objectMode: false }),
      createGzip({ level: COMPRESSION_LEVEL }),
      encrypt,
      count,
      target.stream,
      { ...(signal && { signal }) },
    );
    await runner.rollbackTransaction();
    // The file has no name before its entry is written, so that there is none that the log does not know.
    await database.transaction((manager) => recordBackup(manager, header, { file, bytes, encryptTo }));
    await target.complete();
    return { header, fingerprint: fingerprintOf(signerOf(key)) };
  } catch (error) {
    await target.discard();
    throw error;
  }
}
