import { join } from 'node:path';
import { connectionError } from '../database/connection-error.js';
import type { Database } from '../database/database.js';
import { DatabaseWatch } from '../database/database-watch.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { migrate } from '../database/migrate.js';
import { createLogMonths } from '../database/schema/log-months.js';
import { checkSameDatabase, checkServer } from '../database/server-check.js';
import type { ManagementEnv } from '../env/management-env.js';
import { createDataSource } from './data-source.js';

export interface OpenDatabase {
  dataSource: Database;
  close(): Promise<void>;
}

type DatabaseOptions = Pick<ManagementEnv, 'databaseUrl' | 'dataDir'> &
  Partial<Pick<ManagementEnv, 'databaseDirectUrl' | 'databaseSettings'>>;

/** Connects to the server of DATABASE_URL, or starts an embedded one in the data folder, and migrates its tables. */
export async function openDatabase(
  { databaseUrl, databaseDirectUrl, databaseSettings, dataDir }: DatabaseOptions,
  log: (line: string) => void,
): Promise<OpenDatabase> {
  const embedded = databaseUrl ? undefined : await EmbeddedPostgres.start({ dataDir: join(dataDir, 'postgres'), log });
  const url = databaseUrl ?? embedded?.url ?? '';
  const directUrl = databaseDirectUrl ?? url;
  const dataSource = createDataSource(url, { ...databaseSettings, directUrl, isPooled: directUrl !== url });
  const watch = new DatabaseWatch(url, {
    onUnresponsive: () => {
      log('the database does not answer; requests are refused until it does');
      dataSource.suspend();
    },
    onResponsive: () => {
      log('the database answers again');
      dataSource.resume();
    },
  });
  const close = async () => {
    await watch.stop();
    if (dataSource.isInitialized) await dataSource.destroy();
    await embedded?.stop();
  };
  try {
    await connect(dataSource, url, 'DATABASE_URL');
    await prepare(directUrl, dataSource);
    watch.start();
    return { dataSource, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function connect(database: Database, url: string, setting: string): Promise<void> {
  await database.initialize().catch((error: unknown) => {
    throw connectionError(error, url, setting);
  });
}

/**
 * Migrates through a direct connection without time limits: the migration lock belongs to a session, which a pooler
 * does not keep, and large tables take long.
 */
async function prepare(directUrl: string, dataSource: Database): Promise<void> {
  const { isPooled } = dataSource.settings;
  const setting = isPooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const direct = createDataSource(directUrl, { statementSeconds: 0, lockSeconds: 0 });
  try {
    await connect(direct, directUrl, setting);
    if (isPooled) await checkSameDatabase(dataSource, direct);
    await checkServer(direct, setting);
    await migrate(direct);
    await direct.transaction(createLogMonths);
  } finally {
    if (direct.isInitialized) await direct.destroy();
  }
}
