import { OperatorError } from '@rampart/program';
import { openDatabase } from '../app/open-database.js';
import { readManagementEnv } from '../env/management-env.js';
import { forgetKnownKeys } from '../known-keys/load-shared-keys.js';

/** Runs `keys forget` on the database of the service and returns a sentence that says what was done. */
export async function runKeysCommand(words: readonly string[]): Promise<string> {
  if (words.join(' ') !== 'keys forget')
    throw new OperatorError(`No such command: ${words.join(' ')}. See rampart-management --help.`);
  const { dataSource, close } = await openDatabase(readManagementEnv(), () => undefined);
  try {
    await dataSource.transaction(forgetKnownKeys);
    return 'The keys that the database was used with are forgotten: the next start uses the keys that it has, or creates new ones';
  } finally {
    await close();
  }
}
