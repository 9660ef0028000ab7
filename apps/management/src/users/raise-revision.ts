import type { EntityManager } from 'typeorm';
import { SERVED } from './served-users.js';

/** Users by a query of their ids, in a column `user_id`. */
export interface UserIdQuery {
  sql: string;
  parameters: readonly unknown[];
}

/**
 * Gives the number of a change to those of the users that nodes serve; of all others no node knows anything. Rows are
 * locked in the order of their ids, as traffic is booked, so that the two cannot block each other.
 */
export async function raiseRevision(
  manager: EntityManager,
  revision: bigint,
  { sql, parameters }: UserIdQuery,
): Promise<void> {
  await manager.query(
    `WITH affected AS (${sql}),
     locked AS (
       SELECT users.id FROM users WHERE users.id IN (SELECT user_id FROM affected) AND ${SERVED}
       ORDER BY users.id FOR NO KEY UPDATE OF users
     )
     UPDATE users SET revision = $${parameters.length + 1} FROM locked WHERE users.id = locked.id`,
    [...parameters, revision.toString()],
  );
}
