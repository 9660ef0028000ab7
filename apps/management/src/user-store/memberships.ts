import type { EntityManager } from 'typeorm';
import type { UserCondition } from './selection/user-where.js';
import { raiseRevision } from './served/raise-revision.js';

/**
 * Memberships of users in groups that a bulk call adds or removes. The ids of the groups are the last parameter of both
 * statements.
 */
export interface MembershipChange {
  /** SQL: the memberships that are changed, as rows of `user_id` and `group_id`. */
  memberships: string;
  /** SQL: adds or removes exactly these memberships, and returns `user_id`. */
  apply: string;
  parameters: readonly unknown[];
}

/** The ids of the groups are the parameter after those of the condition on users. */
const groupsParameter = ({ parameters }: UserCondition): string => `$${parameters.length + 1}::integer[]`;

/** Adds the users of a condition to those of the groups in which they are not yet. */
export function addedMemberships(users: UserCondition): MembershipChange {
  const missing = `SELECT users.id AS user_id, given.id AS group_id
    FROM users CROSS JOIN unnest(${groupsParameter(users)}) AS given (id)
    WHERE ${users.sql} AND NOT EXISTS (
      SELECT FROM user_groups held WHERE held.user_id = users.id AND held.group_id = given.id)`;
  return {
    memberships: missing,
    // Sorted in the order of the indexes, many rows take two thirds of the time.
    apply: `INSERT INTO user_groups (user_id, group_id) ${missing} ORDER BY user_id, group_id RETURNING user_id`,
    parameters: users.parameters,
  };
}

/** Removes the users of a condition from the groups. */
export function removedMemberships(users: UserCondition): MembershipChange {
  const present = `SELECT held.user_id, held.group_id
    FROM user_groups held JOIN users ON users.id = held.user_id
    WHERE held.group_id = ANY(${groupsParameter(users)}) AND ${users.sql}`;
  return {
    memberships: present,
    apply: `DELETE FROM user_groups gone USING (${present}) present
      WHERE gone.user_id = present.user_id AND gone.group_id = present.group_id RETURNING gone.user_id`,
    parameters: users.parameters,
  };
}

/** Counts the users that a change of memberships in these groups would change. */
export const countMembershipChanges = (
  manager: EntityManager,
  { memberships, parameters }: MembershipChange,
  groupIds: readonly number[],
): Promise<number> => countUsers(manager, memberships, [...parameters, groupIds]);

/**
 * Changes memberships in groups and returns the number of changed users. The caller holds the revision counter, like
 * all code that changes memberships, so both statements find the same ones.
 *
 * @param grantingGroupIds the groups that grant any inbound; nodes are told only of memberships in these
 */
export async function changeMemberships(
  manager: EntityManager,
  revision: bigint,
  { memberships, apply, parameters }: MembershipChange,
  groupIds: readonly number[],
  grantingGroupIds: readonly number[],
): Promise<number> {
  await raiseRevision(manager, revision, {
    sql: `SELECT user_id FROM (${memberships}) membership`,
    parameters: [...parameters, grantingGroupIds],
  });
  return countUsers(manager, apply, [...parameters, groupIds]);
}

async function countUsers(manager: EntityManager, memberships: string, parameters: unknown[]): Promise<number> {
  const [row] = await manager.query<{ users: number }[]>(
    `WITH membership AS (${memberships}) SELECT count(DISTINCT user_id)::integer AS users FROM membership`,
    parameters,
  );
  return row?.users ?? 0;
}
