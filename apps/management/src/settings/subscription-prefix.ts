import type { EntityManager } from 'typeorm';

/**
 * As SQL: what stands before `/sub/` in the URLs of an admin's users; null where neither the admin nor the settings say.
 *
 * @param adminId the column or parameter with the admin's id
 */
export const subscriptionPrefixOf = (adminId: string): string =>
  `coalesce((SELECT nullif(sub_domain, '') FROM admins WHERE admins.id = ${adminId}),
    (SELECT substring(value ->> 'url_prefix' FROM '^https?:.+') FROM settings WHERE section = 'subscription'))`;

/** The same, for URLs of users that were read without it. */
export async function subscriptionPrefix(manager: EntityManager, adminId: number): Promise<string | null> {
  const [row] = await manager.query<{ prefix: string | null }[]>(`SELECT ${subscriptionPrefixOf('$1')} AS prefix`, [
    adminId,
  ]);
  return row?.prefix ?? null;
}
