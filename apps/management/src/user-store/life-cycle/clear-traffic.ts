import type { EntityManager } from 'typeorm';

/**
 * Resets the traffic counters of users, whom the caller has locked. The used bytes are logged and added to each user's
 * total; the hourly history stays.
 */
export async function clearTraffic(manager: EntityManager, userIds: readonly number[]): Promise<void> {
  await manager.query(
    `WITH logged AS (
       INSERT INTO user_traffic_resets (user_id, used_traffic)
       SELECT id, used_traffic FROM users WHERE id = ANY ($1::integer[]) AND used_traffic > 0
     )
     UPDATE users SET used_traffic = 0, past_traffic = least(past_traffic + used_traffic, ${Number.MAX_SAFE_INTEGER})
     WHERE id = ANY ($1::integer[]) AND used_traffic > 0`,
    [userIds],
  );
}
