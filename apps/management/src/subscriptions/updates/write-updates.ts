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
 * Writes them in one statement, and forgets what is older than the newest of their users. Users who are gone, or go at
 * this moment, are passed over: nobody waits for this, and this waits for nobody.
 */
export async function writeUpdates(manager: EntityManager, updates: readonly NewUpdate[]): Promise<void> {
  await manager.query(
    `WITH given AS (
       SELECT * FROM unnest($1::integer[], $2::text[], $3::timestamptz[]) AS given (user_id, user_agent, created_at)
     ), there AS (
       SELECT id FROM users WHERE id IN (SELECT user_id FROM given) ORDER BY id FOR KEY SHARE SKIP LOCKED
     ), added AS (
       INSERT INTO user_subscription_updates (user_id, user_agent, created_at)
       SELECT given.* FROM given JOIN there ON there.id = given.user_id ORDER BY created_at
     ), counted AS (
       SELECT user_id, count(*) AS added FROM given GROUP BY user_id
     ), ranked AS (
       SELECT id, counted.added + row_number() OVER (PARTITION BY user_id ORDER BY created_at DESC, id DESC) AS place
       FROM user_subscription_updates JOIN counted USING (user_id)
     )
     DELETE FROM user_subscription_updates WHERE id IN (SELECT id FROM ranked WHERE place > $4)`,
    [
      updates.map(({ userId }) => userId),
      updates.map(({ userAgent }) => userAgent),
      updates.map(({ at }) => at),
      KEPT_UPDATES,
    ],
  );
}
