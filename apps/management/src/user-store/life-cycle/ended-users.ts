import type { EntityManager } from 'typeorm';
import { NOW } from './due-users.js';

/** The settings of the deletion of users whose time is over. */
export interface DeletionRules {
  /** Days after the end, for users without a value of their own; undefined: they are never deleted. */
  days: number | undefined;
  /** Whether users who have only used up their traffic are deleted too. */
  limitedToo: boolean;
}

const ENDED_AT = 'coalesce(status_changed_at, created_at)';

const OWN_END = `(${ENDED_AT} AT TIME ZONE 'UTC') + make_interval(days => auto_delete_in_days)`;

/** SQL conditions and orders, in the exact form of the two indexes. */
const BY_OWN_DAYS = `auto_delete_in_days IS NOT NULL AND ${OWN_END} <= ${NOW} AT TIME ZONE 'UTC'
  ORDER BY ${OWN_END}`;
const BY_DEFAULT = `auto_delete_in_days IS NULL AND ${ENDED_AT} <= ${NOW} - make_interval(hours => $3 * 24)
  ORDER BY ${ENDED_AT}`;

/**
 * The ids of at most `limit` users who ended so long ago that they are to be deleted, at the given moment or now.
 *
 * @param aside ids of users who are left out
 */
export async function endedUsers(
  manager: EntityManager,
  { days, limitedToo }: DeletionRules,
  limit: number,
  at?: Date,
  aside: readonly number[] = [],
): Promise<number[]> {
  const statuses = limitedToo ? ['expired', 'limited'] : ['expired'];
  const found = statuses.flatMap((status) =>
    [BY_OWN_DAYS, BY_DEFAULT].map(
      (due) => `(SELECT id FROM users WHERE status = '${status}' AND id <> ALL ($4::integer[]) AND ${due} LIMIT $2)`,
    ),
  );
  const rows = await manager.query<{ id: number }[]>(`${found.join(' UNION ALL ')} LIMIT $2`, [
    at ?? null,
    limit,
    days ?? null,
    aside,
  ]);
  return rows.map(({ id }) => id);
}
