import type { DataSource, EntityManager } from 'typeorm';
import { checkSchemaVersion } from './schema-version.js';

/** The same advisory lock for all replicas. */
export const MIGRATION_LOCK = 0x52_61_6d_70; // "Ramp"

/**
 * Runs the pending migrations. Of several replicas that start together, one runs them while the others wait.
 *
 * @param afterwards runs in the same order, in a transaction
 * @throws SchemaError where a newer program has changed the tables
 */
export async function migrate(
  database: DataSource,
  afterwards: (manager: EntityManager) => Promise<void> = async () => undefined,
): Promise<void> {
  const guard = database.createQueryRunner();
  try {
    await guard.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await checkSchemaVersion(database);
    await database.runMigrations({ transaction: 'each' });
    await database.transaction(afterwards);
  } finally {
    await guard.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await guard.release();
  }
}
