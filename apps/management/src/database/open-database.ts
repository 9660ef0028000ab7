import { join } from 'node:path';
import { OperatorError } from '@rampart/program';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { errorCode } from '../errors/error-code.js';
import { createDataSource } from './data-source.js';
import { EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { migrate } from './migrate.js';

export interface OpenDatabase {
  dataSource: DataSource;
  close(): Promise<void>;
}

/** A reason why there is no database, in words for the operator and without the password of the URL. */
export class DatabaseError extends OperatorError {
  override readonly name = 'DatabaseError';
}

/** Connects to the server of DATABASE_URL, or to one that it starts in the data folder, and brings the tables up to date. */
export async function openDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  log: (line: string) => void,
): Promise<OpenDatabase> {
  const embedded = databaseUrl ? undefined : await EmbeddedPostgres.start({ dataDir: join(dataDir, 'postgres'), log });
  const url = databaseUrl ?? embedded?.url ?? '';
  const dataSource = createDataSource(url);
  const close = async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await embedded?.stop();
  };
  try {
    await dataSource.initialize().catch((error: unknown) => {
      throw connectionError(error, url);
    });
    await migrate(dataSource);
    return { dataSource, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function connectionError(error: unknown, url: string): DatabaseError {
  const { host, port, user, database } = new pg.Client(url);
  const server = host.startsWith('/') ? host : `${host}:${port}`;
  switch (errorCode(error)) {
    case '28P01':
    case '28000':
      return new DatabaseError(`DATABASE_URL: ${server} refuses the user "${user}" or its password`);
    case '3D000':
      return new DatabaseError(`DATABASE_URL: ${server} has no database "${database}"`);
    default:
      return new DatabaseError(
        `DATABASE_URL: no PostgreSQL server answers at ${server} (${errorCode(error) ?? 'no connection'})`,
      );
  }
}
