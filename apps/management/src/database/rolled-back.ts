import type { DataSource, EntityManager } from 'typeorm';

/** Carries the result of a transaction out of its rollback. */
class RolledBack extends Error {
  constructor(readonly result: unknown) {
    super('this transaction is rolled back on purpose');
  }
}

/** Runs `work` in a transaction and undoes all that it has changed; notifications are not sent either. */
export async function rolledBack<T>(database: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  try {
    return await database.transaction(async (manager) => {
      throw new RolledBack(await work(manager));
    });
  } catch (error) {
    // Only the work above throws it, with its own result.
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  }
}
