import { OperatorError } from '@rampart/program';
import type { DataSource } from 'typeorm';
import { MANAGEMENT_VERSION } from '../env/version.js';

/** The tables of the database belong to another version, which this program cannot migrate. */
export class SchemaError extends OperatorError {
  override readonly name = 'SchemaError';
}

interface Migration {
  name: string;
  timestamp: number;
}

/**
 * Refuses a database that a newer version has migrated, because this version would misread its tables. Call it before
 * the migrations run.
 *
 * @throws SchemaError that names the version of the program and both schema versions
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

/** The applied migrations in the order of their timestamps; none in an empty database. */
async function appliedMigrations(database: DataSource): Promise<Migration[]> {
  const [table] = await database.query<{ name: string | null }[]>(`SELECT to_regclass('migrations') AS name`);
  if (!table?.name) return [];
  const rows = await database.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY timestamp');
  return rows.map(({ name }) => timestamped(name));
}

/** TypeORM appends a timestamp of thirteen digits to the names of migrations. */
const timestamped = (name: string): Migration => ({ name, timestamp: Number(name.slice(-13)) });
