import { usernameProblem } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { exactNumber } from '../database/column-types.js';
import { ManagementError } from '../errors/management-error.js';
import type { NextPlan } from './entities/next-plan.dto.js';
import type { StoredUser } from './entities/user.entity.js';
import { findUserRow, type LockedUserRow, lockUserRow, type UserRow } from './user-row.js';

/** Finds a user by name. @throws ManagementError when there is none, or when the admin may not see it */
export const findUser = (manager: EntityManager, actor: Actor, username: string): Promise<UserRow> =>
  visibleUser(findUserRow, manager, actor, username);

/** Finds a user and locks the row until the transaction ends; no traffic is recorded in between. */
export async function lockUser(
  manager: EntityManager,
  actor: Actor,
  username: string,
): Promise<{ row: LockedUserRow; user: StoredUser }> {
  const row = await visibleUser(lockUserRow, manager, actor, username);
  return { row, user: storedUser(row) };
}

async function visibleUser<Row extends UserRow>(
  find: (manager: EntityManager, username: string) => Promise<Row | undefined>,
  manager: EntityManager,
  actor: Actor,
  username: string,
): Promise<Row> {
  // A path can contain a name that no column accepts; no user has such a name.
  const user = usernameProblem(username) === undefined ? await find(manager, username) : undefined;
  if (!user) throw new ManagementError('USER_NOT_FOUND');
  if (!actor.isSudo && user.admin_id !== actor.id) throw new ManagementError('FORBIDDEN');
  return user;
}

const storedUser = (row: LockedUserRow): StoredUser => ({
  id: row.id,
  username: row.username,
  status: row.status,
  note: row.note,
  expire: momentOf(row.expire),
  dataLimit: exactNumber(row.data_limit),
  dataLimitResetStrategy: row.data_limit_reset_strategy,
  usedTraffic: exactNumber(row.used_traffic),
  pastTraffic: exactNumber(row.past_traffic),
  onHoldExpireDuration: row.on_hold_expire_duration === null ? null : exactNumber(row.on_hold_expire_duration),
  onHoldTimeout: momentOf(row.on_hold_timeout),
  autoDeleteInDays: row.auto_delete_in_days,
  nextResetAt: momentOf(row.next_reset_at),
  nextPlan: row.next_plan as NextPlan | null,
  subscriptionGeneration: row.subscription_generation,
  adminId: row.admin_id,
  createdAt: new Date(row.created_at),
  editAt: momentOf(row.edit_at),
  onlineAt: momentOf(row.online_at),
});

const momentOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
