import { join } from 'node:path';
import { connectionError } from '../database/connection-error.js';
import type { Database } from '../database/database.js';
import { DatabaseWatch } from '../database/database-watch.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { migrate } from '../database/migrate.js';
import { type DatabaseUrls, ownerUrlOf } from '../database/owner-url.js';
import { createLogMonths } from '../database/schema/log-months.js';
import { checkSameDatabase, checkServer } from '../database/server-check.js';
import { admitRole, keepAuditDays, roleOf } from '../database/service-role.js';
import type { ManagementEnv } from '../env/management-env.js';
import { createDataSource } from './data-source.js';

export interface OpenDatabase {
  dataSource: Database;
  close(): Promise<void>;
}

type DatabaseOptions = Pick<ManagementEnv, 'dataDir'> &
  DatabaseUrls &
  Partial<Pick<ManagementEnv, 'databaseSettings' | 'auditDays'>>;

/** Connects to the server of DATABASE_URL, or starts an embedded one in the data folder, and migrates its tables. */
export async function openDatabase(env: DatabaseOptions, log: (line: string) => void): Promise<OpenDatabase> {
  const { databaseUrl, databaseDirectUrl, databaseSettings, auditDays, dataDir } = env;
  const embedded = databaseUrl ? undefined : await EmbeddedPostgres.start({ dataDir: join(dataDir, 'postgres'), log });
  const url = databaseUrl ?? embedded?.serviceUrl ?? '';
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
    const owner = ownerUrlOf(env) ?? { url: embedded?.url ?? '', setting: 'DATABASE_URL' };
    await prepare(owner, dataSource, auditDays);
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
 * Migrates as the owner of the tables, through a direct connection without time limits: the migration lock belongs to a
 * session, which a pooler does not keep, and large tables take long.
 */
async function prepare(
  { url, setting }: { url: string; setting: string },
  dataSource: Database,
  auditDays: number | undefined,
): Promise<void> {
  const owner = createDataSource(url, { statementSeconds: 0, lockSeconds: 0 });
  try {
    await connect(owner, url, setting);
    if (setting !== 'DATABASE_URL') await checkSameDatabase(dataSource, owner, setting);
    await checkServer(owner, setting);
    const role = await roleOf(dataSource);
    await migrate(owner, async (manager) => {
      if (auditDays !== undefined) await keepAuditDays(manager, auditDays);
      await admitRole(manager, role);
    });
    await owner.transaction(createLogMonths);
  } finally {
    if (owner.isInitialized) await owner.destroy();
  }
}
