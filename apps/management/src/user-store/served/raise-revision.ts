import type { EntityManager } from 'typeorm';
import { runWithCommit } from '../../database/prepared.js';
import { nextRevision } from '../../database/revision.js';
import type { UserCondition } from '../selection/user-where.js';
import { SERVED } from './served-users.js';

/** Users by a query of their ids, in a column `user_id`. */
export interface UserIdQuery {
  sql: string;
  parameters: readonly unknown[];
}

/** The ids of the users whom a condition covers. */
export const usersWhere = ({ sql, parameters }: UserCondition): UserIdQuery => ({
  sql: `SELECT users.id AS user_id FROM users WHERE ${sql}`,
  parameters,
});

const assigned = (revision: string, users: string): string => `INSERT INTO user_revisions (user_id, revision)
  SELECT user_id, ${revision}::bigint FROM (${users}) AS affected
  ON CONFLICT (user_id) DO UPDATE SET revision = excluded.revision`;

/**
 * Assigns the revision of a change to those of the users that nodes serve by their present status. Call it before a
 * change that ends the service of users, and after one that begins it; nodes know nothing of other users. The caller holds
 * the revision counter, so no two calls run at once, and no row of `users` has to be locked.
 */
export async function raiseRevision(
  manager: EntityManager,
  revision: bigint,
  { sql, parameters }: UserIdQuery,
): Promise<void> {
  // Passed as an array: for a query of unknown size, PostgreSQL would look up the users one by one.
  const served = `SELECT users.id AS user_id FROM users WHERE users.id = ANY (ARRAY (${sql})) AND ${SERVED}`;
  await manager.query(assigned(`$${parameters.length + 1}`, served), [...parameters, revision.toString()]);
}

const RAISE_REVISION_OF = {
  name: 'raise_revision_of',
  text: assigned('$2', 'SELECT DISTINCT unnest($1::integer[]) AS user_id'),
};

/** Assigns the revision to these users when the transaction commits, whatever their status is or was. */
export async function raiseRevisionOf(
  manager: EntityManager,
  revision: bigint,
  userIds: readonly number[],
): Promise<void> {
  await runWithCommit(manager, RAISE_REVISION_OF, [userIds, revision.toString()]);
}

/**
 * Marks these users as changed for nodes; without users, no revision is taken. The caller holds the revision counter.
 */
export async function markChanged(manager: EntityManager, userIds: readonly number[]): Promise<void> {
  if (userIds.length > 0) await raiseRevisionOf(manager, await nextRevision(manager), userIds);
}
