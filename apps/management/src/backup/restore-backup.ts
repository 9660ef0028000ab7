import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MIGRATIONS } from '../app/data-source.js';
import type { Database } from '../database/database.js';
import { migrate } from '../database/migrate.js';
import { createLogMonths } from '../database/schema/log-months.js';
import { checkSchemaVersion } from '../database/schema-version.js';
import { checkServer } from '../database/server-check.js';
import type { ManagementEnv } from '../env/management-env.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { type AcceptedSigners, acceptSigner } from './accept-signer.js';
import { skipWhatOthersRemember } from './after-restore.js';
import type { DecryptWith } from './backup-encryption.js';
import { BackupError } from './backup-error.js';
import { STANDARD_STREAM } from './backup-file.js';
import type { BackupHeader } from './backup-header.js';
import { connectTo, serverToRestore } from './database-of-backup.js';
import { lockOutService, requireEmpty } from './empty-installation.js';
import { recordRestoration } from './record-backup.js';
import { type KeyRestoration, planKeys, writeKeys } from './restore-keys.js';
import { restoreTables } from './restore-tables.js';
import { type BackupFile, readBackup, verifyBackup } from './verify-backup.js';

export interface RestoreOptions {
  readonly env: ManagementEnv;
  /** The path of the backup; `-` is standard input. */
  readonly file: string;
  readonly decryptWith: DecryptWith;
  readonly accept?: AcceptedSigners;
  /** Receives how many of all bytes are read. The file is read twice: checked first, then restored. */
  readonly onProgress: (step: 'checked' | 'restored', bytes: number, allBytes: number) => void;
  /** Receives lines for the operator. */
  readonly tell: (line: string) => void;
}

/**
 * Restores a backup into an empty installation. The whole file is checked before anything changes, and everything changes in
 * one transaction: after a failure or a crash the installation is empty as before, and the restore can be repeated.
 *
 * @returns the header of the backup
 * @throws BackupError; DatabaseError; EmbeddedPostgresError; SchemaError
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupHeader> {
  const { file, env } = options;
  if (file !== STANDARD_STREAM) return restoreFile(options);
  // It is read twice, and standard input is gone after the first time.
  const spooled = join(env.dataDir, `restore-${randomBytes(4).toString('hex')}.age`);
  try {
    await mkdir(env.dataDir, { recursive: true });
    await pipeline(process.stdin, createWriteStream(spooled, { flags: 'wx', mode: 0o600 }));
    return await restoreFile({ ...options, file: spooled });
  } finally {
    await unlink(spooled).catch(() => undefined);
  }
}

async function restoreFile({
  env,
  file,
  decryptWith,
  accept = {},
  onProgress,
  tell,
}: RestoreOptions): Promise<BackupHeader> {
  const backup = (step: 'checked' | 'restored'): BackupFile => ({
    file,
    decryptWith,
    onProgress: (bytes, allBytes) => onProgress(step, bytes, allBytes),
  });
  const header = await verifyBackup(backup('checked'), async (read) => {
    checkVersion(read);
    await acceptSigner(read, env, accept);
  });
  const keys = planKeys(header.keys, env);
  const server = await serverToRestore(env, tell);
  try {
    const service = await lockOutService(server);
    const database = await connectTo(server);
    try {
      await restoreInto(database, backup('restored'), { env, keys, tell, signer: header.signer });
      await service.release();
      await migrate(database);
      await database.transaction(createLogMonths);
      await database.query('ANALYZE');
    } finally {
      await service.release();
      await database.destroy();
    }
  } finally {
    await server.close();
  }
  return header;
}

/** @throws BackupError naming the version, for a backup with migrations that this program does not have */
export function checkVersion({ migrations, program }: Pick<BackupHeader, 'migrations' | 'program'>): void {
  const unknown = migrations.filter((name) => !MIGRATIONS.some((known) => known.name === name));
  if (unknown.length === 0) return;
  throw new BackupError(
    `The backup was made by version ${program}, and this version (${MANAGEMENT_VERSION}) does not know its tables (${unknown.join(', ')}): ` +
      'restore it with the version that made it, or a newer one',
  );
}

/**
 * The keys are written last, when only the commit is missing: a crash in between leaves an empty installation whose keys are
 * those of the backup, so that the restore can be repeated. The other order could leave a database without its keys.
 */
async function restoreInto(
  database: Database,
  backup: BackupFile,
  {
    env,
    keys,
    tell,
    signer,
  }: { env: ManagementEnv; keys: KeyRestoration; tell: (line: string) => void; signer: string | undefined },
): Promise<void> {
  await checkServer(database, 'DATABASE_URL');
  await checkSchemaVersion(database);
  // A connection for changes sends statements ahead, which COPY does not allow.
  const runner = database.createQueryRunner('slave');
  try {
    await runner.startTransaction();
    await requireEmpty(runner);
    await readBackup(backup, async (reader) => {
      const header = await reader.readHeader();
      if (header.signer !== signer) throw new BackupError('The file was replaced while it was restored');
      await restoreTables(database, runner, { header, reader, tell });
      await reader.readEnd(header);
      await skipWhatOthersRemember(runner.manager);
      await recordRestoration(runner.manager, header);
    });
    const lines = await writeKeys(keys, env.dataDir, new Date());
    await runner.commitTransaction();
    lines.forEach(tell);
  } catch (error) {
    database.suspend();
    throw error;
  } finally {
    await runner.release();
  }
}
