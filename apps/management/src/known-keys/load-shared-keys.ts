import type { DataSource, EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { ManagementEnv } from '../env/management-env.js';
import { KEY_NAMES, KEY_SETTINGS, type KeyName, type Keys, KeysError, keyFileIn, loadKeys } from '../keys/keys.js';
import { compareKeys, storedKeyId } from './key-ids.js';
import { KnownKeyRepository } from './known-key.repository.js';

/** What becomes invalid when the database gets another key than it was used with. */
const LOSSES: Readonly<Record<KeyName, string>> = {
  jwt: 'all admins have to log in again',
  subscription: 'every subscription link that was given out ends',
  atRest: 'the API key of every node has to be entered again',
};

const DELIBERATELY = 'To go on without the lost keys, run: rampart-management keys forget';

/**
 * Loads the keys of this replica and compares them with those that the database is used with. No new keys are created
 * for a database that is in use: a lost file is an error.
 *
 * @throws KeysError that says which settings to share, or which file is lost and what would be lost with it
 */
export async function loadSharedKeys(
  database: DataSource,
  env: ManagementEnv,
  tell: (line: string) => void,
): Promise<Keys> {
  const given = { jwt: env.jwtKey, subscription: env.subscriptionKey, atRest: env.atRestKey };
  const previous = {
    jwt: env.previousJwtKey,
    subscription: env.previousSubscriptionKey,
    atRest: env.previousAtRestKey,
  };
  return database.transaction(async (manager) => {
    const repository = new KnownKeyRepository(manager);
    await repository.lock();
    const used = await repository.findUsedKeyNames();
    const file = keyFileIn(env.dataDir);
    const mayMake = (missing: readonly KeyName[]) => {
      const lost = missing.filter((name) => used.has(name));
      if (lost.length > 0) throw lostKeys(file, lost);
    };
    const keys = await loadKeys(given, env.dataDir, previous, tell, mayMake);
    await compareAll(repository, keys, (name) => (given[name] ? KEY_SETTINGS[name] : file), tell);
    return keys;
  });
}

/** Declares all keys lost for good: the next start accepts the keys that it has, or makes new ones. */
export async function forgetKnownKeys(manager: EntityManager): Promise<void> {
  await new KnownKeyRepository(manager).forgetAll();
  await recordAudit(manager, { action: 'keys.forget', target: 'keys' });
}

/** Compares each key with the stored ids, and stores new ones. @throws KeysError that names every key that is refused */
async function compareAll(
  repository: KnownKeyRepository,
  keys: Keys,
  sourceOf: (name: KeyName) => string,
  tell: (line: string) => void,
): Promise<void> {
  const known = await repository.findKnownKeys();
  const refused: string[] = [];
  for (const name of KEY_NAMES) {
    const before = known[name];
    const previous = keys.previous[name];
    const current = storedKeyId(name, keys[name]);
    const { known: after, isBehind } = compareKeys(before, {
      current,
      previous: previous && storedKeyId(name, previous),
    });
    if (!after) refused.push(otherKey(name, sourceOf(name), current, before.newest ?? ''));
    else if (after.newest !== before.newest || after.older.length !== before.older.length)
      await repository.storeKnownKeys(name, after);
    if (isBehind)
      tell(
        `${KEY_SETTINGS[name]} has been replaced: give this replica the new key, and the current one as ${KEY_SETTINGS[name]}_PREVIOUS`,
      );
  }
  if (refused.length > 0) throw new KeysError(refused.join('\n'));
}

function lostKeys(file: string, lost: readonly KeyName[]): KeysError {
  const settings = lost.map((name) => KEY_SETTINGS[name]).join(', ');
  return new KeysError(
    `The database is used with keys that this program does not have: ${file} is missing, or lacks ${lost.join(', ')}. ` +
      `Restore it from a backup, copy it from another replica, or give the keys in ${settings}. No new ones are made, ` +
      `because with them ${lost.map((name) => LOSSES[name]).join(', ')}. ${DELIBERATELY}`,
  );
}

/** The message shows the first digits of the ids, which suffice to tell keys apart. */
function otherKey(name: KeyName, source: string, current: string, newest: string): string {
  const setting = KEY_SETTINGS[name];
  return (
    `${source} has another ${name} key (id ${current.slice(0, 8)}) than the database is used with (id ${newest.slice(0, 8)}). ` +
    `Share one: give every replica the same ${setting}, or copies of one keys.json. To replace the old one, name it in ` +
    `${setting}_PREVIOUS; without it ${LOSSES[name]}. ${DELIBERATELY}`
  );
}
