import type { EntityManager } from 'typeorm';

/**
 * SQL: the prefix of the subscription URLs of an admin's users; null when neither the admin nor the settings have one.
 *
 * @param adminId the column or parameter with the id of the admin
 */
export const subscriptionPrefixOf = (adminId: string): string =>
  `coalesce((SELECT nullif(sub_domain, '') FROM admins WHERE admins.id = ${adminId}),
    (SELECT substring(value ->> 'url_prefix' FROM '^https?:.+') FROM settings WHERE section = 'subscription'))`;

/** Reads that prefix for one admin, or without one that of the settings. */
export async function subscriptionPrefix(manager: EntityManager, adminId: number | null): Promise<string | null> {
  const [row] = await manager.query<{ prefix: string | null }[]>(`SELECT ${subscriptionPrefixOf('$1')} AS prefix`, [
    adminId,
  ]);
  return row?.prefix ?? null;
}
