import type { EntityManager } from 'typeorm';

/** Of each user so many are kept. */
export const KEPT_UPDATES = 10;

/** That somebody has fetched a user's subscription. */
export interface NewUpdate {
  userId: number;
  userAgent: string;
  at: Date;
}

/**
 * Writes them in one statement, those of one user in their order, and forgets what is older than the newest of a user. Users
 * who are gone, or go at this moment, are passed over: nobody waits for this, and this waits for nobody.
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
