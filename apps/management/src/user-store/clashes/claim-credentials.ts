import type { EntityManager } from 'typeorm';
import { lockRevision } from '../../database/revision.js';
import {
  KEY_COLUMN_LIST,
  KEY_COLUMNS,
  type KeyColumns,
  keyArrays,
  keyArraysFrom,
  keyColumns,
  mapColumns,
  ON_KNOWN_USER,
  type Protocol,
  protocolOf,
  protocolsWhere,
} from '../credentials/credential-columns.js';
import { storedProxySettings } from '../credentials/stored-proxy-settings.js';
import { markChanged } from '../served/raise-revision.js';

/** A user with a credential of which nobody has decided yet who holds it, or which an older holder has. */
interface UnclaimedRow extends KeyColumns {
  id: number;
  stored: unknown;
  clashes: string[] | null;
}

/** What becomes of such a user. */
interface Claim extends KeyColumns {
  readonly id: number;
  /** The protocols for which an older holder has the same credential. */
  readonly clashes: readonly Protocol[];
  /** The holders of these credentials, for those that were not known to clash before. */
  readonly newRivals: readonly number[];
  /** Whether the user holds a credential now that an older holder has given up. */
  readonly gains: boolean;
}

const UNCLAIMED = `SELECT users.id, settings.proxy_settings AS stored, settings.clashes, ${KEY_COLUMN_LIST}
  FROM user_proxy_settings settings JOIN users ON users.id = settings.user_id
  LEFT JOIN user_credential_keys keys ON keys.user_id = users.id`;

/** Users whose rows another program has written, such as a restored backup of an earlier version: the oldest first. */
export const findUnclaimed = (manager: EntityManager, limit: number): Promise<UnclaimedRow[]> =>
  manager.query(`${UNCLAIMED} WHERE settings.clashes IS NULL ORDER BY users.created_at, users.id LIMIT $1`, [limit]);

/** Users with credentials that older holders have, after an id. */
export const findClashing = (manager: EntityManager, limit: number, afterId = 0): Promise<UnclaimedRow[]> =>
  manager.query(`${UNCLAIMED} WHERE settings.clashes <> '{}' AND users.id > $2 ORDER BY users.id LIMIT $1`, [
    limit,
    afterId,
  ]);

/**
 * Decides who holds the credentials of users, and tells nodes of those for whom that changes something. The transaction
 * begins with this.
 */
export async function claimCredentials(
  manager: EntityManager,
  find: (manager: EntityManager) => Promise<UnclaimedRow[]>,
): Promise<Claim[]> {
  await lockRevision(manager);
  const claims = await decideClaims(manager, await find(manager));
  await storeClaims(manager, claims);
  const losing = claims.filter(({ newRivals }) => newRivals.length > 0);
  const gaining = claims.filter(({ gains }) => gains);
  // A node that has got the other user first refuses the older one, until it is told of both again.
  const changed = [...losing, ...gaining].map(({ id }) => id).concat(losing.flatMap(({ newRivals }) => newRivals));
  await markChanged(manager, [...new Set(changed)]);
  return claims;
}

/** Decides who holds the credentials of these users: who holds them already, else the first of the list. */
export async function decideClaims(manager: EntityManager, rows: readonly UnclaimedRow[]): Promise<Claim[]> {
  const wanted = rows.map(({ stored }) => keyColumns(storedProxySettings(stored)));
  const holders = await findHolders(manager, wanted);
  return rows.map((row, index) => {
    const keys = wanted[index]!;
    const rivalOn = (column: keyof KeyColumns): number | undefined => {
      const holder = holders.of(column, keys[column]);
      return holder === row.id ? undefined : holder;
    };
    const clashes = protocolsWhere((column) => rivalOn(column) !== undefined);
    const held = mapColumns((column) => (clashes.includes(protocolOf(column)) ? null : keys[column]));
    const isNew = (column: keyof KeyColumns) => !(row.clashes ?? []).includes(protocolOf(column));
    const newRivals = KEY_COLUMNS.filter(isNew).flatMap((column) => rivalOn(column) ?? []);
    for (const column of KEY_COLUMNS) holders.add(column, held[column], row.id);
    const gains = (row.clashes ?? []).some((protocol) => !clashes.some((other) => other === protocol));
    return { ...held, id: row.id, clashes, newRivals, gains };
  });
}

async function storeClaims(manager: EntityManager, claims: readonly Claim[]): Promise<void> {
  await manager.query(
    `WITH keyed AS (
       INSERT INTO user_credential_keys (user_id, ${KEY_COLUMN_LIST})
       SELECT * FROM ROWS FROM (unnest($1::integer[]), ${keyArraysFrom(3)}) AS given ${ON_KNOWN_USER}
     )
     UPDATE user_proxy_settings SET clashes = string_to_array(given.clashes, ',')
     FROM unnest($1::integer[], $2::text[]) AS given (id, clashes) WHERE user_proxy_settings.user_id = given.id`,
    [claims.map(({ id }) => id), claims.map(({ clashes }) => clashes.join()), ...keyArrays(claims)],
  );
}

/** Who holds which keys. */
interface Holders {
  of(column: keyof KeyColumns, key: string | null): number | undefined;
  add(column: keyof KeyColumns, key: string | null, userId: number): void;
}

/** The users who hold any of these keys. */
export async function findHolders(manager: EntityManager, wanted: readonly KeyColumns[]): Promise<Holders> {
  const held = new Map<string, number>();
  const holders: Holders = {
    of: (column, key) => (key === null ? undefined : held.get(`${column} ${key}`)),
    add: (column, key, userId) => {
      if (key !== null) held.set(`${column} ${key}`, userId);
    },
  };
  const rows = await manager.query<(KeyColumns & { user_id: number })[]>(
    `SELECT user_id, ${KEY_COLUMN_LIST} FROM user_credential_keys
     WHERE ${KEY_COLUMNS.map((column, index) => `${column} = ANY ($${index + 1}::uuid[])`).join(' OR ')}`,
    keyArrays(wanted),
  );
  for (const row of rows) for (const column of KEY_COLUMNS) holders.add(column, row[column], row.user_id);
  return holders;
}
