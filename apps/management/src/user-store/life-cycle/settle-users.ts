import { RESET_PERIOD_SECONDS, type UserStatus } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { SERVED } from '../served/served-users.js';
import { clearTraffic } from './clear-traffic.js';
import type { DueUsers } from './due-users.js';
import { beginNextPlans } from './next-plans.js';
import { settledStatus } from './settled-status.js';
import { announceStates } from './user-events.js';

/** SQL: seconds from one reset of a user to the next. */
const PERIOD = `CASE data_limit_reset_strategy ${Object.entries(RESET_PERIOD_SECONDS)
  .map(([strategy, seconds]) => `WHEN '${strategy}' THEN ${seconds ?? 'NULL'}`)
  .join(' ')} END`;

/** Moves a due reset to the first moment after now that is a whole number of periods later, however many were missed. */
const PUT_OFF_RESET = `WITH reset AS (
    UPDATE users SET next_reset_at = next_reset_at
      + (floor(extract(epoch FROM $2::timestamptz - next_reset_at) / (${PERIOD})) + 1) * (${PERIOD}) * interval '1 second'
    WHERE id = ANY ($1::integer[]) AND next_reset_at <= $2
    RETURNING id
  )
  SELECT coalesce(array_agg(id), '{}') AS ids FROM reset`;

/** Ends holds at their timeout or with their first traffic; the duration of such a user counts from now. */
const END_HOLDS = `UPDATE users
  SET status = 'active', on_hold_expire_duration = NULL, on_hold_timeout = NULL,
    expire = coalesce(expire, $2::timestamptz + on_hold_expire_duration * interval '1 second')
  WHERE id = ANY ($1::integer[]) AND status = 'on_hold' AND (
    on_hold_timeout <= $2 OR EXISTS (
      SELECT FROM user_traffic_notices notice WHERE notice.user_id = users.id
        AND (users.status_changed_at IS NULL OR users.status_changed_at <= notice.traffic_since)))`;

const STATUS = settledStatus({}, '$2::timestamptz');

const FOLLOW_TERMS = `WITH changed AS (
    UPDATE users SET status = ${STATUS} WHERE id = ANY ($1::integer[]) AND status <> ${STATUS}
    RETURNING id, status, ${SERVED} AS served
  )
  SELECT id, status, served FROM changed`;

interface ServedRow {
  id: number;
  served: boolean;
  status: UserStatus;
}

/**
 * Brings users into the state that follows from their terms at a moment, as `settled` of the domain does, each step for all
 * users at once. Rows are locked in the order of their ids, as when traffic is recorded, so that the two cannot deadlock.
 * Returns the ids of the users whose change nodes must hear of.
 */
export async function settleUsers(manager: EntityManager, { ids, now }: DueUsers): Promise<number[]> {
  const locked = await manager.query<ServedRow[]>(
    `SELECT id, status, ${SERVED} AS served FROM users WHERE id = ANY ($1::integer[]) ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  );
  const before = new Map(locked.map(({ id, served }) => [id, served]));
  const [reset] = await manager.query<{ ids: number[] }[]>(PUT_OFF_RESET, [ids, now]);
  await clearTraffic(manager, reset?.ids ?? []);
  await manager.query(END_HOLDS, [ids, now]);
  await manager.query('DELETE FROM user_traffic_notices WHERE user_id = ANY ($1::integer[])', [ids]);
  const changed = await manager.query<ServedRow[]>(FOLLOW_TERMS, [ids, now]);
  const planned = await beginNextPlans(manager, ids, now);
  await announceStates(manager, locked);
  const turned = changed.filter(({ id, served }) => served !== before.get(id)).map(({ id }) => id);
  return [...new Set([...turned, ...planned])];
}
