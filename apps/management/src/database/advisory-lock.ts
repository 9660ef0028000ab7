import type { DataSource, EntityManager } from 'typeorm';

/**
 * Runs a task in a transaction that holds an advisory lock. Returns undefined without running it while another replica
 * holds the lock.
 */
export function withAdvisoryLock<T>(
  database: DataSource,
  lock: number,
  task: (manager: EntityManager) => Promise<T>,
): Promise<T | undefined> {
  return database.transaction(async (manager) => {
    const [row] = await manager.query<{ won: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS won', [lock]);
    return row?.won ? task(manager) : undefined;
  });
}
