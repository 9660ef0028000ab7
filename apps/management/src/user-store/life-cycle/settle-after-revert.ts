import type { EntityManager } from 'typeorm';
import { markChanged } from '../served/raise-revision.js';
import { SERVED } from '../served/served-users.js';
import { settleUsers } from './settle-users.js';

/** What follows for users whose traffic was taken back. */
export interface SettledAfterRevert {
  /** Users who were limited and are served again. */
  readonly reactivated: number;
  /** Users who may have been on hold until the traffic came: they are active since then, and have no traffic left. */
  readonly possibleHolds: readonly string[];
}

/** Locks users in the order of their ids, as when traffic is recorded. */
export async function lockForRevert(manager: EntityManager, ids: readonly number[]): Promise<void> {
  await manager.query('SELECT id FROM users WHERE id = ANY ($1::integer[]) ORDER BY id FOR NO KEY UPDATE', [ids]);
}

/**
 * Brings users whose traffic was taken back into the state that follows, and has nodes hear of it. The caller holds the revision
 * counter. Traffic that was noticed and not yet looked at ends no hold any more.
 *
 * @param since the beginning of the traffic
 * @param maxNames maximum number of possible holds that are named
 */
export async function settleAfterRevert(
  manager: EntityManager,
  ids: readonly number[],
  since: Date,
  maxNames: number,
): Promise<SettledAfterRevert> {
  if (ids.length === 0) return { reactivated: 0, possibleHolds: [] };
  await manager.query('DELETE FROM user_traffic_notices WHERE user_id = ANY ($1::integer[])', [ids]);
  const limited = await manager.query<{ id: number }[]>(
    `SELECT id FROM users WHERE id = ANY ($1::integer[]) AND status = 'limited'`,
    [ids],
  );
  await markChanged(manager, await settleUsers(manager, { ids, now: new Date() }));
  const [served] = await manager.query<{ users: number }[]>(
    `SELECT count(*)::integer AS users FROM users WHERE id = ANY ($1::integer[]) AND ${SERVED}`,
    [limited.map(({ id }) => id)],
  );
  const holds = await manager.query<{ username: string }[]>(
    `SELECT username FROM users WHERE id = ANY ($1::integer[]) AND status = 'active' AND expire IS NOT NULL
       AND used_traffic = 0 AND past_traffic = 0 AND status_changed_at >= $2 ORDER BY id LIMIT $3`,
    [ids, since, maxNames],
  );
  return { reactivated: served?.users ?? 0, possibleHolds: holds.map(({ username }) => username) };
}
