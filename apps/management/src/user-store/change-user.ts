import type { EntityManager } from 'typeorm';
import { User } from './entities/user.entity.js';

/** Columns of a user that are to be written. */
export type ChangedUser = Partial<Omit<User, 'admin'>>;

export async function updateUser(manager: EntityManager, id: number, columns: ChangedUser): Promise<void> {
  await manager.update(User, { id }, columns);
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
