import type { EntityManager } from 'typeorm';
import { KEY_NAMES, type KeyName } from '../keys/keys.js';
import type { KnownKeys } from './key-ids.js';
import { KnownKey } from './known-key.entity.js';

/** Replicas that start together compare their keys one after another. */
const KEYS_LOCK = 0x6b_65_79_73; // "keys"
/** Stored in place of an id: the next key that a replica brings is accepted. */
const FORGOTTEN = 'forgotten';

/**
 * Statements on the table of known keys, in one transaction. It runs before the modules exist, so it is created by hand.
 */
export class KnownKeyRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Locks the known keys until the transaction ends, so that no other replica compares or changes them meanwhile. */
  async lock(): Promise<void> {
    await this.manager.query('SELECT pg_advisory_xact_lock($1)', [KEYS_LOCK]);
  }

  /** The ids of each key that the database was used with; nothing for keys that an operator has declared lost. */
  async findKnownKeys(): Promise<Readonly<Record<KeyName, KnownKeys>>> {
    const rows = await this.manager.find(KnownKey);
    const keysOf = (name: KeyName): KnownKeys => {
      const ids = rows.filter((key) => key.name === name && key.keyId !== FORGOTTEN);
      return {
        newest: ids.find(({ isNewest }) => isNewest)?.keyId,
        older: ids.flatMap(({ isNewest, keyId }) => (isNewest ? [] : [keyId])),
      };
    };
    return { jwt: keysOf('jwt'), subscription: keysOf('subscription'), atRest: keysOf('atRest') };
  }

  /** The kinds of keys with which something in the database was made. Without stored ids, existing rows tell. */
  async findUsedKeyNames(): Promise<ReadonlySet<KeyName>> {
    const known = await this.manager.find(KnownKey);
    const [made] = await this.manager.query<{ subscription: boolean; atRest: boolean }[]>(
      'SELECT EXISTS (SELECT FROM users) AS subscription, EXISTS (SELECT FROM cores) AS "atRest"',
    );
    const isUsed = (name: KeyName): boolean => {
      const ids = known.filter((key) => key.name === name);
      return ids.length > 0 ? ids.some(({ keyId }) => keyId !== FORGOTTEN) : name !== 'jwt' && made?.[name] === true;
    };
    return new Set(KEY_NAMES.filter(isUsed));
  }

  /** Replaces the ids of one key. */
  async storeKnownKeys(name: KeyName, { newest, older }: KnownKeys): Promise<void> {
    const ids = [newest, ...older].filter((keyId) => keyId !== undefined);
    await this.manager.delete(KnownKey, { name });
    await this.manager.insert(
      KnownKey,
      ids.map((keyId) => ({ name, keyId, isNewest: keyId === newest })),
    );
  }

  /** Marks every key as lost for good. */
  async forgetAll(): Promise<void> {
    await this.manager.query('DELETE FROM known_keys');
    await this.manager.insert(
      KnownKey,
      KEY_NAMES.map((name) => ({ name, keyId: FORGOTTEN, isNewest: true })),
    );
  }
}
