import { openDatabase } from '../app/open-database.js';
import { readManagementEnv } from '../env/management-env.js';
import { forgetKnownKeys } from '../known-keys/load-shared-keys.js';

/** Declares the keys of the database lost, which the settings name. @throws OperatorError */
export async function forgetKeysOfDatabase(): Promise<void> {
  const { dataSource, close } = await openDatabase(readManagementEnv(), () => undefined);
  try {
    await dataSource.transaction(forgetKnownKeys);
  } finally {
    await close();
  }
}
