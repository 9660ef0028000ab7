import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { createDataSource } from '../app/data-source.js';
import { connectionError } from '../database/connection-error.js';
import type { Database } from '../database/database.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { runningServerUrl } from '../database/embedded/running-server.js';
import { type DatabaseUrls, type OwnerUrl, ownerUrlOf } from '../database/owner-url.js';
import type { ManagementEnv } from '../env/management-env.js';
import { BackupError } from './backup-error.js';

type Where = DatabaseUrls & Pick<ManagementEnv, 'dataDir'>;
type Log = (line: string) => void;

/** The server with the database of the installation. */
export interface DatabaseServer extends OwnerUrl {
  /** Stops the server if it was started. */
  close(): Promise<void>;
}

/** The server beside the running service; the embedded one is started where the service does not run. */
export async function serverToBackUp(where: Where, log: Log): Promise<DatabaseServer> {
  const running = outsideServer(where) ?? (await runningServer(where));
  if (running) return running;
  const cluster = join(embeddedFolder(where), 'cluster');
  await access(cluster).catch(() => {
    throw new BackupError(
      `There is no database to back up: ${cluster} does not exist. Set RAMPART_DATA_DIR or DATABASE_URL as the service has them`,
    );
  });
  return startEmbedded(where, log);
}

/**
 * The server of DATABASE_URL, or the embedded one, which is created where there is none.
 *
 * @throws EmbeddedPostgresError where the service runs on the embedded one
 */
export async function serverToRestore(where: Where, log: Log): Promise<DatabaseServer> {
  return outsideServer(where) ?? startEmbedded(where, log);
}

/** Connects without time limits. */
export async function connectTo({ url, setting }: DatabaseServer): Promise<Database> {
  const database = createDataSource(url, { statementSeconds: 0, lockSeconds: 0 });
  await database.initialize().catch((error: unknown) => {
    throw connectionError(error, url, setting);
  });
  return database;
}

const embeddedFolder = ({ dataDir }: Where): string => join(dataDir, 'postgres');

function outsideServer(where: Where): DatabaseServer | undefined {
  const owner = ownerUrlOf(where);
  return owner && { ...owner, close: () => Promise.resolve() };
}

async function runningServer(where: Where): Promise<DatabaseServer | undefined> {
  const url = await runningServerUrl(embeddedFolder(where));
  return url === undefined ? undefined : { url, setting: 'DATABASE_URL', close: () => Promise.resolve() };
}

async function startEmbedded(where: Where, log: Log): Promise<DatabaseServer> {
  const server = await EmbeddedPostgres.start({ dataDir: embeddedFolder(where), log });
  return { url: server.url, setting: 'DATABASE_URL', close: () => server.stop() };
}
