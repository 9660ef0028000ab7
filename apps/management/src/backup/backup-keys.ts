import type { EntityManager } from 'typeorm';
import type { ManagementEnv } from '../env/management-env.js';
import { KEY_NAMES, type KeyName, keyFileIn, loadKeys } from '../keys/keys.js';
import { compareKeys, storedKeyId } from '../known-keys/key-ids.js';
import { KnownKeyRepository } from '../known-keys/known-key.repository.js';
import { keySettings } from '../known-keys/load-shared-keys.js';
import { BackupError } from './backup-error.js';
import type { BackedUpKeys } from './backup-header.js';

/**
 * The keys of this installation, from its settings and its key file.
 *
 * @throws BackupError when one is missing, or is not the one that the database is used with: nobody could use the backup
 */
export async function backedUpKeys(manager: EntityManager, env: ManagementEnv): Promise<BackedUpKeys> {
  const { given, previous } = keySettings(env);
  const keys = await loadKeys(given, env.dataDir, previous, undefined, (missing) => {
    throw new BackupError(
      `The keys ${missing.join(', ')} are missing: neither ${keyFileIn(env.dataDir)} nor a setting has them`,
    );
  });
  const known = await new KnownKeyRepository(manager).findKnownKeys();
  const isOther = (name: KeyName): boolean => {
    const old = keys.previous[name];
    const own = { current: storedKeyId(name, keys[name]), previous: old && storedKeyId(name, old) };
    return compareKeys(known[name], own).known === undefined;
  };
  const others = KEY_NAMES.filter(isOther);
  if (others.length > 0)
    throw new BackupError(
      `The database is used with other keys than those of this program (${others.join(', ')}): run the backup with the settings and the data folder of the service`,
    );
  const textOf = (name: KeyName) => {
    const old = keys.previous[name];
    return { current: keys[name].toString('base64'), ...(old && { previous: old.toString('base64') }) };
  };
  return { jwt: textOf('jwt'), subscription: textOf('subscription'), atRest: textOf('atRest') };
}
