import type { EntityManager } from 'typeorm';

/** How many fetches of each user are stored. */
export const KEPT_UPDATES = 10;

/** A fetch of a user's subscription. */
export interface NewUpdate {
  userId: number;
  userAgent: string;
  at: Date;
}

/**
 * Writes fetches in one statement, in their order for each user, and keeps only the latest ones. Users who are deleted,
 * or whose rows are locked right now, are skipped, so that this never waits and makes nobody wait.
 */
export async function writeUpdates(manager: EntityManager, updates: readonly NewUpdate[]): Promise<void> {
  await manager.query(
    `WITH given AS (
       SELECT user_id, array_agg(user_agent ORDER BY place DESC) AS user_agents,
         array_agg(fetched_at ORDER BY place DESC) AS fetched_at
       FROM unnest($1::integer[], $2::text[], $3::timestamptz[]) WITH ORDINALITY
         AS given (user_id, user_agent, fetched_at, place)
       GROUP BY user_id
     ), there AS (
       SELECT id FROM users WHERE id IN (SELECT user_id FROM given) ORDER BY id FOR KEY SHARE SKIP LOCKED
     )
     INSERT INTO user_subscription_updates AS known (user_id, user_agents, fetched_at)
     SELECT user_id, user_agents[1:$4], fetched_at[1:$4] FROM given JOIN there ON there.id = user_id ORDER BY user_id
     ON CONFLICT (user_id) DO UPDATE SET user_agents = (excluded.user_agents || known.user_agents)[1:$4],
       fetched_at = (excluded.fetched_at || known.fetched_at)[1:$4]`,
    [
      updates.map(({ userId }) => userId),
      updates.map(({ userAgent }) => userAgent),
      updates.map(({ at }) => at),
      KEPT_UPDATES,
    ],
  );
}
