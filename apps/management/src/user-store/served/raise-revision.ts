import type { EntityManager } from 'typeorm';
import { nextRevision } from '../../database/revision.js';
import { SERVED } from './served-users.js';

/** Users by a query of their ids, in a column `user_id`. */
export interface UserIdQuery {
  sql: string;
  parameters: readonly unknown[];
}

/**
 * Gives the number of a change to those of the users that nodes serve, by their status at this moment: before a change
 * that ends the service of some, after one that begins it. Of all others no node knows anything.
 */
export async function raiseRevision(
  manager: EntityManager,
  revision: bigint,
  { sql, parameters }: UserIdQuery,
): Promise<void> {
  // As an array: from a query whose size it cannot know, PostgreSQL would look up one user after the other.
  await write(manager, revision, {
    sql: `SELECT users.id AS user_id FROM users WHERE users.id = ANY (ARRAY (${sql})) AND ${SERVED}`,
    parameters,
  });
}

/** The same for these users, whatever their status is or was. */
export async function raiseRevisionOf(
  manager: EntityManager,
  revision: bigint,
  userIds: readonly number[],
): Promise<void> {
  await write(manager, revision, { sql: 'SELECT DISTINCT unnest($1::integer[]) AS user_id', parameters: [userIds] });
}

/** Has nodes hear of these users, where there are any: only then the change takes a number. The caller holds the counter. */
export async function markChanged(manager: EntityManager, userIds: readonly number[]): Promise<void> {
  if (userIds.length > 0) await raiseRevisionOf(manager, await nextRevision(manager), userIds);
}

/** Whoever has the number holds the counter, so no two write here at once, and no row of `users` has to be locked. */
async function write(manager: EntityManager, revision: bigint, { sql, parameters }: UserIdQuery): Promise<void> {
  await manager.query(
    `INSERT INTO user_revisions (user_id, revision)
     SELECT user_id, $${parameters.length + 1}::bigint FROM (${sql}) AS affected
     ON CONFLICT (user_id) DO UPDATE SET revision = excluded.revision`,
    [...parameters, revision.toString()],
  );
}
