import type { ProxySettings } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { storedProxySettings } from './stored-proxy-settings.js';

/** SQL: joins the credentials to rows of `users`, as `settings.proxy_settings`. */
export const WITH_PROXY_SETTINGS = 'LEFT JOIN user_proxy_settings settings ON settings.user_id = users.id';

/** Replaces the credentials of users by the result of `change`. The caller has locked the users. */
export async function changeProxySettings(
  manager: EntityManager,
  userIds: readonly number[],
  change: (settings: ProxySettings, userId: number) => ProxySettings,
): Promise<void> {
  if (userIds.length === 0) return;
  const rows = await manager.query<{ id: number; stored: unknown }[]>(
    `SELECT users.id, settings.proxy_settings AS stored FROM users ${WITH_PROXY_SETTINGS}
     WHERE users.id = ANY ($1::integer[])`,
    [userIds],
  );
  await manager.query(
    `INSERT INTO user_proxy_settings (user_id, proxy_settings) SELECT * FROM unnest($1::integer[], $2::jsonb[])
     ON CONFLICT (user_id) DO UPDATE SET proxy_settings = excluded.proxy_settings`,
    [rows.map(({ id }) => id), rows.map(({ id, stored }) => JSON.stringify(change(storedProxySettings(stored), id)))],
  );
}
