import { OperatorError } from '@rampart/program';
import type { DataSource } from 'typeorm';
import { MANAGEMENT_VERSION } from '../env/version.js';

/** The tables of a database are not those that this program knows how to bring up to date. */
export class SchemaError extends OperatorError {
  override readonly name = 'SchemaError';
}

interface Migration {
  name: string;
  timestamp: number;
}

/**
 * Refuses a database on which a newer program has worked: this one would misread its tables, or write what that one does
 * not expect. Call it before migrations run.
 *
 * @throws SchemaError that names the version of the program and those of both schemas
 */
export async function checkSchemaVersion(database: DataSource): Promise<void> {
  const known = database.migrations.map((migration) => timestamped(migration.constructor.name));
  const names = new Set(known.map(({ name }) => name));
  const applied = await appliedMigrations(database);
  const unknown = applied.filter(({ name }) => !names.has(name)).at(-1);
  if (!unknown) return;
  const newest = Math.max(...known.map(({ timestamp }) => timestamp));
  const own = `this program (version ${MANAGEMENT_VERSION}, schema ${newest})`;
  throw new SchemaError(
    unknown.timestamp > newest
      ? `The database has schema ${unknown.timestamp}, which is newer than ${own}. ` +
          'Start the newer version again, or restore a backup of the database from before the update.'
      : `The database has schema ${unknown.timestamp} (${unknown.name}), which ${own} does not know. ` +
          'Start the version that made it, or use an empty database.',
  );
}

/** In the order of their timestamps; none in an empty database. */
async function appliedMigrations(database: DataSource): Promise<Migration[]> {
  const [table] = await database.query<{ name: string | null }[]>(`SELECT to_regclass('migrations') AS name`);
  if (!table?.name) return [];
  const rows = await database.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY timestamp');
  return rows.map(({ name }) => timestamped(name));
}

/** TypeORM's names end in thirteen digits. */
const timestamped = (name: string): Migration => ({ name, timestamp: Number(name.slice(-13)) });
