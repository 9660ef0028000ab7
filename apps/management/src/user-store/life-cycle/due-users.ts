import type { EntityManager } from 'typeorm';
import { PLANNED_TEMPLATE, SOUND_PLAN } from './plan-problem.js';

export interface DueUsers {
  now: Date;
  ids: readonly number[];
}

/** SQL: the moment `$1`, or else now by the database's clock, in milliseconds as a `Date` holds it. */
export const NOW = `date_trunc('milliseconds', coalesce($1::timestamptz, now()))`;

/** SQL: leaves out the users who are set aside. */
const GOES_ON = 'id <> ALL ($3::integer[])';

const PENDING_PLAN = `users.status IN ('expired', 'limited') AND users.next_plan IS NOT NULL AND ${SOUND_PLAN}`;

/** One query for each kind of due change; each uses an index of its own. */
const DUE = [
  `SELECT id FROM users WHERE status = 'active' AND expire <= ${NOW} AND ${GOES_ON} ORDER BY expire`,
  `SELECT id FROM users WHERE status = 'limited' AND expire <= ${NOW} AND ${GOES_ON} ORDER BY expire`,
  // Expired users whose end lies in the future, because the clock has been set back since.
  `SELECT id FROM users WHERE status = 'expired' AND expire > ${NOW} AND ${GOES_ON} ORDER BY expire DESC`,
  `SELECT id FROM users WHERE status = 'on_hold' AND on_hold_timeout <= ${NOW} AND ${GOES_ON} ORDER BY on_hold_timeout`,
  `SELECT id FROM users WHERE next_reset_at <= ${NOW} AND ${GOES_ON} ORDER BY next_reset_at`,
  'SELECT user_id FROM user_traffic_notices WHERE user_id <> ALL ($3::integer[]) ORDER BY user_id',
  `SELECT id FROM users WHERE ${PENDING_PLAN} AND ${PLANNED_TEMPLATE} IS NULL AND ${GOES_ON} ORDER BY id`,
  // Plans are searched by template, so that those waiting for a deleted or disabled template cost nothing, however many
  // they are.
  `SELECT pending.id FROM user_templates CROSS JOIN LATERAL (
     SELECT users.id FROM users WHERE ${PENDING_PLAN} AND ${PLANNED_TEMPLATE} = user_templates.id
       AND users.${GOES_ON} ORDER BY users.id LIMIT $2
   ) pending WHERE NOT user_templates.is_disabled`,
];

/**
 * The ids of at most `limit` users with a due change, at the given moment or now by the database's clock.
 *
 * @param aside ids of users who are left out
 */
export async function dueUsers(
  manager: EntityManager,
  limit: number,
  at?: Date,
  aside: readonly number[] = [],
): Promise<DueUsers> {
  const found = DUE.map((query) => `(${query} LIMIT $2)`).join(' UNION ');
  const [row] = await manager.query<DueUsers[]>(`SELECT ${NOW} AS now, ARRAY (${found} LIMIT $2) AS ids`, [
    at ?? null,
    limit,
    aside,
  ]);
  if (!row) throw new Error('a SELECT without FROM has answered no row');
  return row;
}
