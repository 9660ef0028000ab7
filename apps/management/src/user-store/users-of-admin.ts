import type { EntityManager } from 'typeorm';

/** SQL: how many users an admin has, from their index alone. `adminId` is a column or parameter. */
export const userCountOf = (adminId: string): string =>
  `(SELECT count(*) FROM users WHERE users.admin_id = ${adminId})`;

/** SQL: how many names of a list of texts no user has. */
export const countOfNewNames = (names: string): string =>
  `(SELECT count(*) FROM unnest(${names}::text[]) AS given (name) WHERE NOT EXISTS (SELECT FROM users WHERE users.username = given.name))`;

/** How many of these names no user has. */
export async function countNewNames(manager: EntityManager, names: readonly string[]): Promise<number> {
  const [row] = await manager.query<{ count: number }[]>(`SELECT ${countOfNewNames('$1')}::integer AS count`, [names]);
  return row?.count ?? 0;
}

/** How many users of an admin are in each of these groups, by the group's id; a group without any is left out. */
export async function countUsersInGroups(
  manager: EntityManager,
  adminId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await manager.query<{ id: number; count: number }[]>(
    `SELECT group_id AS id, count(*)::integer AS count FROM user_groups JOIN users ON users.id = user_id
     WHERE users.admin_id = $1 AND group_id = ANY ($2::integer[]) GROUP BY group_id`,
    [adminId, ids],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Only the number of the locked rows is sent to the client, not each row. */
const LOCK = `
  WITH locked AS (SELECT id FROM users WHERE admin_id = $1 ORDER BY id FOR NO KEY UPDATE)
  SELECT count(*) FROM locked`;

/** Locks the users of an admin, in the order of their ids. */
export async function lockUsersOfAdmin(manager: EntityManager, adminId: number): Promise<void> {
  await manager.query(LOCK, [adminId]);
}

/** Leaves the users of an admin without an admin. */
export async function releaseUsersOfAdmin(manager: EntityManager, adminId: number): Promise<void> {
  await manager.query('UPDATE users SET admin_id = NULL WHERE admin_id = $1', [adminId]);
}
