import type { EntityManager } from 'typeorm';
import { preparedIn } from '../database/prepared.js';
import { User } from './entities/user.entity.js';
import { findKnownUserRow, KNOWN_USER_ROW, type KnownUserRow } from './user-row.js';

/** Columns of a user that are to be written. */
export type ChangedUser = Partial<Omit<User, 'admin'>>;

/** Writes columns of a user, and returns the user as it is then; undefined when it was deleted. */
export async function updateUser(
  manager: EntityManager,
  id: number,
  columns: ChangedUser,
): Promise<KnownUserRow | undefined> {
  const { driver } = manager.connection;
  const all = manager.connection.getMetadata(User).columns;
  const given = all.filter(({ propertyName }) => Reflect.get(columns, propertyName) !== undefined);
  if (given.length === 0) return findKnownUserRow(manager, id);
  const assignments = given.map(({ databaseName }, index) => `${databaseName} = $${index + 2}`);
  const statement = {
    name: `update_user_${given.map((column) => all.indexOf(column)).join('_')}`,
    text: `WITH changed AS (UPDATE users SET ${assignments.join(', ')} WHERE users.id = $1 RETURNING *)
      SELECT ${KNOWN_USER_ROW} FROM changed AS users`,
  };
  const values = given.map((column) =>
    driver.preparePersistentValue(Reflect.get(columns, column.propertyName), column),
  );
  const [row] = await preparedIn(manager)<KnownUserRow>(statement, [id, ...values]);
  return row;
}

/** Replaces the groups of a user. The caller has locked the groups, so that none is deleted meanwhile. */
export async function replaceGroups(
  manager: EntityManager,
  userId: number,
  groupIds: readonly number[],
): Promise<void> {
  await manager.query('DELETE FROM user_groups WHERE user_id = $1 AND group_id <> ALL ($2::integer[])', [
    userId,
    groupIds,
  ]);
  await manager.query(
    `INSERT INTO user_groups (user_id, group_id) SELECT DISTINCT $1::integer, unnest($2::integer[])
     ON CONFLICT DO NOTHING`,
    [userId, groupIds],
  );
}
