import type { EntityManager } from 'typeorm';

/**
 * Queues a check of those users whose status may change by the traffic that this transaction has recorded: users at their
 * limit, and users on hold. Traffic that was made before a hold and arrives late does not end the hold.
 *
 * @param since none of the traffic was made before this moment; null: unknown, so it only ends the hold of a user who has
 *   been on hold since creation
 */
export async function queueStatusChecks(
  manager: EntityManager,
  userIds: readonly number[],
  since: Date | null,
): Promise<void> {
  await manager.query(
    `INSERT INTO user_traffic_notices (user_id, traffic_since)
     SELECT id, coalesce($2::timestamptz, '-infinity') FROM users
     WHERE id = ANY ($1::integer[]) AND (
       status = 'active' AND data_limit > 0 AND used_traffic >= data_limit
       OR status = 'on_hold' AND (status_changed_at IS NULL OR status_changed_at <= $2))
     ORDER BY id
     ON CONFLICT (user_id) DO UPDATE
       SET traffic_since = greatest(user_traffic_notices.traffic_since, excluded.traffic_since)`,
    [userIds, since],
  );
}
