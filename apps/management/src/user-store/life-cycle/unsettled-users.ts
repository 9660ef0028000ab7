import type { EntityManager } from 'typeorm';
import { isoText } from '../../database/iso-text.js';
import type { UserWhere } from '../selection/user-where.js';

/** Time until a failed change is tried again; the row may have been repaired by then. */
const RETRY = "interval '10 minutes'";
/** Maximum number of such users that the API shows. */
const MAX_SHOWN_USERS = 100;

/** A user whose due change fails. */
export interface UnsettledUserView {
  /** The name of the user. */
  username: string;
  /**
   * The moment when the user was set aside.
   * @format date-time
   */
  since: string;
}

/** The ids of the users who are set aside, at the given moment or now. */
export async function findUsersSetAside(manager: EntityManager, at?: Date): Promise<number[]> {
  const rows = await manager.query<{ id: number }[]>(
    'SELECT user_id AS id FROM unsettled_users WHERE retry_at > coalesce($1::timestamptz, now())',
    [at ?? null],
  );
  return rows.map(({ id }) => id);
}

/** Sets a user aside. Returns the name; nothing when the user is gone. */
export async function setUserAside(manager: EntityManager, id: number): Promise<string | undefined> {
  const [row] = await manager.query<{ username: string }[]>(
    `WITH put AS (
       INSERT INTO unsettled_users (user_id, retry_at) SELECT id, now() + ${RETRY} FROM users WHERE id = $1
       ON CONFLICT (user_id) DO UPDATE SET retry_at = excluded.retry_at RETURNING user_id
     )
     SELECT username FROM users JOIN put ON put.user_id = users.id`,
    [id],
  );
  return row?.username;
}

/** Ends the setting aside of users whose due change has succeeded. */
export async function clearUsersSetAside(manager: EntityManager, ids: readonly number[]): Promise<void> {
  await manager.query('DELETE FROM unsettled_users WHERE user_id = ANY ($1::integer[])', [ids]);
}

/** The users who are set aside, the longest first, up to a maximum number. */
export function unsettledUsers(
  manager: EntityManager,
  { sql, parameters }: Pick<UserWhere, 'sql' | 'parameters'>,
): Promise<UnsettledUserView[]> {
  return manager.query(
    `SELECT users.username, ${isoText('unsettled_users.since')} AS since
     FROM unsettled_users JOIN users ON users.id = unsettled_users.user_id
     WHERE ${sql} ORDER BY unsettled_users.since, users.id LIMIT ${MAX_SHOWN_USERS}`,
    [...parameters],
  );
}
