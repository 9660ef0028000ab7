import type { EntityManager } from 'typeorm';
import { nextRevision } from '../../database/revision.js';
import type { UserCondition } from '../user-where.js';
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

/**
 * Assigns the revision of a change to those of the users that nodes serve by their present status. Call it before a
 * change that ends the service of users, and after one that begins it; nodes know nothing of other users.
 */
export async function raiseRevision(
  manager: EntityManager,
  revision: bigint,
  { sql, parameters }: UserIdQuery,
): Promise<void> {
  // Passed as an array: for a query of unknown size, PostgreSQL would look up the users one by one.
  await write(manager, revision, {
    sql: `SELECT users.id AS user_id FROM users WHERE users.id = ANY (ARRAY (${sql})) AND ${SERVED}`,
    parameters,
  });
}

/** Assigns the revision to these users, whatever their status is or was. */
export async function raiseRevisionOf(
  manager: EntityManager,
  revision: bigint,
  userIds: readonly number[],
): Promise<void> {
  await write(manager, revision, { sql: 'SELECT DISTINCT unnest($1::integer[]) AS user_id', parameters: [userIds] });
}

/**
 * Marks these users as changed for nodes; without users, no revision is taken. The caller holds the revision counter.
 */
export async function markChanged(manager: EntityManager, userIds: readonly number[]): Promise<void> {
  if (userIds.length > 0) await raiseRevisionOf(manager, await nextRevision(manager), userIds);
}

/** The caller holds the revision counter, so no two writes run here at once, and no row of `users` has to be locked. */
async function write(manager: EntityManager, revision: bigint, { sql, parameters }: UserIdQuery): Promise<void> {
  await manager.query(
    `INSERT INTO user_revisions (user_id, revision)
     SELECT user_id, $${parameters.length + 1}::bigint FROM (${sql}) AS affected
     ON CONFLICT (user_id) DO UPDATE SET revision = excluded.revision`,
    [...parameters, revision.toString()],
  );
}
