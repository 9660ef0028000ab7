import type { DataSource, EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { ManagementEnv } from '../env/management-env.js';
import { KEY_NAMES, KEY_SETTINGS, type KeyName, type Keys, KeysError, keyFileIn, loadKeys } from '../keys/keys.js';
import { compareKeys, type KnownKeys, storedKeyId } from './key-ids.js';
import { KnownKeyRepository } from './known-key.repository.js';

/** What becomes invalid when the database gets another key than it was used with. */
const LOSSES: Readonly<Record<KeyName, string>> = {
  jwt: 'all admins have to log in again',
  subscription: 'every subscription link that was given out ends',
  atRest: 'the API key of every node and the configuration of every core have to be entered again',
};

const DELIBERATELY = 'To go on without the lost keys, run: rampart keys forget';

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
  return database.transaction(async (manager) => {
    const repository = new KnownKeyRepository(manager);
    await repository.lock();
    const used = await repository.findUsedKeyNames();
    const keys = await loadOwnKeys(env, (missing) => refuseLost(env, missing, used), tell);
    const { refused, behind, changed } = compareAll(await repository.findKnownKeys(), keys, env);
    if (refused.length > 0) throw new KeysError(refused.map(({ message }) => message).join('\n'));
    for (const [name, known] of changed) await repository.storeKnownKeys(name, known);
    for (const line of behind) tell(line);
    return keys;
  });
}

/** What `loadSharedKeys` would find. */
export interface KeyInspection {
  /** What keeps management from starting. */
  readonly problems: readonly KeysError[];
  /** What works for now, and what to do. */
  readonly notes: readonly string[];
}

/** Looks at the keys of this replica as `loadSharedKeys` does, and creates and stores nothing. */
export async function inspectKeys(manager: EntityManager, env: ManagementEnv): Promise<KeyInspection> {
  const repository = new KnownKeyRepository(manager);
  const used = await repository.findUsedKeyNames();
  const unmade = new KeysError('the keys are not made yet');
  try {
    const keys = await loadOwnKeys(env, (missing) => {
      refuseLost(env, missing, used);
      throw unmade;
    });
    const { refused, behind } = compareAll(await repository.findKnownKeys(), keys, env);
    return { problems: refused, notes: behind };
  } catch (error) {
    if (error === unmade) return { problems: [], notes: [] };
    if (error instanceof KeysError) return { problems: [error], notes: [] };
    throw error;
  }
}

/** @param mayMake as in `loadKeys` */
function loadOwnKeys(
  env: ManagementEnv,
  mayMake: (missing: readonly KeyName[]) => void,
  tell?: (line: string) => void,
): Promise<Keys> {
  const { given, previous } = keySettings(env);
  return loadKeys(given, env.dataDir, previous, tell, mayMake);
}

/** @throws KeysError when something was made with a missing key */
function refuseLost(env: ManagementEnv, missing: readonly KeyName[], used: ReadonlySet<KeyName>): void {
  const lost = missing.filter((name) => used.has(name));
  if (lost.length > 0) throw lostKeys(keyFileIn(env.dataDir), lost);
}

/** The keys that the settings give; the others are in the key file. */
export const keySettings = (env: ManagementEnv) => ({
  given: { jwt: env.jwtKey, subscription: env.subscriptionKey, atRest: env.atRestKey },
  previous: {
    jwt: env.previousJwtKey,
    subscription: env.previousSubscriptionKey,
    atRest: env.previousAtRestKey,
  },
});

/** Declares all keys lost for good: the next start accepts the keys that it has, or makes new ones. */
export async function forgetKnownKeys(manager: EntityManager): Promise<void> {
  await new KnownKeyRepository(manager).forgetAll();
  await recordAudit(manager, { action: 'keys.forget', target: 'keys' });
}

interface ComparedKeys {
  readonly refused: KeysError[];
  /** A sentence for each key that has been replaced elsewhere. */
  readonly behind: string[];
  /** The ids to store. */
  readonly changed: [KeyName, KnownKeys][];
}

/** Compares each key with the stored ids. */
function compareAll(known: Readonly<Record<KeyName, KnownKeys>>, keys: Keys, env: ManagementEnv): ComparedKeys {
  const { given } = keySettings(env);
  const found: ComparedKeys = { refused: [], behind: [], changed: [] };
  for (const name of KEY_NAMES) {
    const before = known[name];
    const previous = keys.previous[name];
    const current = storedKeyId(name, keys[name]);
    const { known: after, isBehind } = compareKeys(before, {
      current,
      previous: previous && storedKeyId(name, previous),
    });
    const setting = KEY_SETTINGS[name];
    const source = given[name] ? setting : keyFileIn(env.dataDir);
    if (!after) found.refused.push(otherKey(name, source, current, before.newest ?? ''));
    else if (after.newest !== before.newest || after.older.length !== before.older.length)
      found.changed.push([name, after]);
    if (isBehind)
      found.behind.push(
        `${setting} has been replaced: give this replica the new key, and the current one as ${setting}_PREVIOUS`,
      );
  }
  return found;
}

function lostKeys(file: string, lost: readonly KeyName[]): KeysError {
  const settings = lost.map((name) => KEY_SETTINGS[name]).join(', ');
  return new KeysError(
    `The database is used with keys that this program does not have: ${file} is missing, or lacks ${lost.join(', ')}`,
    `Restore it from a backup, copy it from another replica, or give the keys in ${settings}. No new ones are made, ` +
      `because with them ${lost.map((name) => LOSSES[name]).join(', ')}. ${DELIBERATELY}`,
  );
}

/** The message shows the first digits of the ids, which suffice to tell keys apart. */
function otherKey(name: KeyName, source: string, current: string, newest: string): KeysError {
  const setting = KEY_SETTINGS[name];
  return new KeysError(
    `${source} has another ${name} key (id ${current.slice(0, 8)}) than the database is used with (id ${newest.slice(0, 8)})`,
    `Share one: give every replica the same ${setting}, or copies of one keys.json. To replace the old one, name it in ` +
      `${setting}_PREVIOUS; without it ${LOSSES[name]}. ${DELIBERATELY}`,
  );
}
