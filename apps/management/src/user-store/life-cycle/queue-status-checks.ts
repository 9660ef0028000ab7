import type { EntityManager } from 'typeorm';

/**
 * Notes of which users, whose traffic was just booked in this transaction, the status may change by it: who has reached
 * the limit, and whose hold it ends. A hold is not ended by traffic from before it that arrives late.
 *
 * @param since none of the traffic was made before; null when that is unknown: then it ends no hold but that of a user
 *   who was on hold from the beginning.
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
