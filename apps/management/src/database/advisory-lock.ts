import type { DataSource, EntityManager } from 'typeorm';

/** Does a task in a transaction, unless another replica holds its lock by doing the same: then `undefined`. */
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
