import type { DataSource } from 'typeorm';
import { DatabaseError } from './connection-error.js';

/** The oldest major version whose SQL supports all tables of this program. */
export const OLDEST_POSTGRESQL = 14;

/** @throws DatabaseError when the server is too old */
export async function checkServer(database: DataSource, setting: string): Promise<void> {
  const [row] = await database.query<{ version: string; number: number }[]>(
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number",
  );
  if (row && row.number >= OLDEST_POSTGRESQL * 10_000) return;
  throw new DatabaseError(
    `${setting}: the server is PostgreSQL ${row?.version ?? 'of an unknown version'}, ` +
      `and Rampart needs PostgreSQL ${OLDEST_POSTGRESQL} or newer`,
  );
}

/** @throws DatabaseError when the URL of a setting leads to another database than DATABASE_URL */
export async function checkSameDatabase(database: DataSource, other: DataSource, setting: string): Promise<void> {
  const [one, another] = await Promise.all([database, other].map(identityOf));
  if (one !== another) throw new DatabaseError(`${setting}: it must name the same database as DATABASE_URL`);
}

async function identityOf(database: DataSource): Promise<string | undefined> {
  const [row] = await database.query<{ identity: string }[]>(
    "SELECT current_database() || ' ' || pg_postmaster_start_time() AS identity",
  );
  return row?.identity;
}
