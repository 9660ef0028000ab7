import type { ProxySettings } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { preparedIn } from '../../database/prepared.js';
import {
  KEY_COLUMN_LIST,
  type KeyColumns,
  keyArrays,
  keyArraysFrom,
  keyColumns,
  mapColumns,
  ON_KNOWN_USER,
  protocolOf,
  protocolsWhere,
} from './credential-columns.js';
import { storedProxySettings } from './stored-proxy-settings.js';

/** SQL: joins the credentials to rows of `users`, as `settings.proxy_settings`. */
export const WITH_PROXY_SETTINGS = 'LEFT JOIN user_proxy_settings settings ON settings.user_id = users.id';

/** SQL: the credentials of `settings` without those that an older holder has. */
export const HELD_PROXY_SETTINGS = `CASE
  WHEN settings.clashes <> '{}' AND jsonb_typeof(settings.proxy_settings) = 'object'
  THEN settings.proxy_settings - settings.clashes ELSE settings.proxy_settings END`;

interface StoredRow extends KeyColumns {
  id: number;
  stored: unknown;
  clashes: string[] | null;
}

/** Replaces the credentials of users by the result of `change`. The caller has locked the users and the revision counter. */
export async function changeProxySettings(
  manager: EntityManager,
  userIds: readonly number[],
  change: (settings: ProxySettings, userId: number) => ProxySettings,
): Promise<void> {
  if (userIds.length === 0) return;
  const query = preparedIn(manager);
  const rows = await query<StoredRow>(STORED, [userIds]);
  const changed = rows.map((row) => changedRow(row, change));
  await query(STORE, [
    changed.map(({ id }) => id),
    changed.map(({ settings }) => JSON.stringify(settings)),
    changed.map(({ clashes }) => clashes?.join() ?? null),
    ...keyArrays(changed),
  ]);
}

const STORED = {
  name: 'stored_proxy_settings',
  text: `SELECT users.id, settings.proxy_settings AS stored, settings.clashes, ${KEY_COLUMN_LIST}
    FROM users ${WITH_PROXY_SETTINGS} LEFT JOIN user_credential_keys keys ON keys.user_id = users.id
    WHERE users.id = ANY ($1::integer[])`,
};

const STORE = {
  name: 'store_proxy_settings',
  text: `WITH keyed AS (
      INSERT INTO user_credential_keys (user_id, ${KEY_COLUMN_LIST})
      SELECT * FROM ROWS FROM (unnest($1::integer[]), ${keyArraysFrom(4)}) AS given ${ON_KNOWN_USER}
    )
    INSERT INTO user_proxy_settings (user_id, proxy_settings, clashes)
    SELECT user_id, proxy_settings, string_to_array(clashes, ',')
    FROM ROWS FROM (unnest($1::integer[]), unnest($2::jsonb[]), unnest($3::text[]))
      AS given (user_id, proxy_settings, clashes)
    ON CONFLICT (user_id) DO UPDATE SET proxy_settings = excluded.proxy_settings, clashes = excluded.clashes`,
};

/** A credential that stays the same keeps its place, held or not: only a new one is refused when another user has it. */
function changedRow(row: StoredRow, change: (settings: ProxySettings, userId: number) => ProxySettings) {
  const before = storedProxySettings(row.stored);
  const settings = change(before, row.id);
  const [old, fresh] = [keyColumns(before), keyColumns(settings)];
  const renewed: readonly string[] = protocolsWhere((column) => fresh[column] !== old[column]);
  const keys = mapColumns((column) => (renewed.includes(protocolOf(column)) ? fresh : row)[column]);
  const clashes = row.clashes?.filter((protocol) => !renewed.includes(protocol)) ?? null;
  return { ...keys, id: row.id, settings, clashes };
}
