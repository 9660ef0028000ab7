import type { DataLimitResetStrategy, UserStatus } from '@rampart/domain';
import type { DataSource, EntityManager } from 'typeorm';
import { isoText } from '../database/iso-text.js';
import { preparedAtStart, preparedIn, preparedQuery } from '../database/prepared.js';
import type { SubscriptionSubject } from '../keys/subscription-link.js';
import { subscriptionPrefixOf } from '../settings/subscription-prefix.js';
import type { PlanProblem } from './entities/next-plan.dto.js';
import { PLAN_PROBLEM } from './life-cycle/plan-problem.js';
import { KNOWN_TO_NODES } from './served/served-users.js';

const MOMENTS = ['expire', 'on_hold_timeout', 'created_at', 'edit_at', 'online_at'] as const;

/** SQL: the credentials and the group ids of a row of `users`. */
const STORED_ROWS = {
  proxySettings: '(SELECT proxy_settings FROM user_proxy_settings WHERE user_id = users.id)',
  groupIds: 'ARRAY (SELECT group_id FROM user_groups WHERE user_id = users.id ORDER BY group_id)',
};

/**
 * SQL: a user with its groups and its admin. Entities would take most of the time of a long list.
 *
 * @param rows where credentials and groups come from; a statement that inserts them does not see them in their tables
 */
export const userRow = ({
  proxySettings,
  groupIds,
} = STORED_ROWS): string => `users.id, users.username, users.status, users.note,
  users.data_limit, users.data_limit_reset_strategy, users.used_traffic, users.past_traffic,
  users.on_hold_expire_duration, users.auto_delete_in_days, users.subscription_generation, users.admin_id, users.next_plan,
  ${MOMENTS.map((name) => `${isoText(`users.${name}`)} AS ${name}`).join(', ')},
  coalesce(${proxySettings}, '{}') AS proxy_settings,
  CASE WHEN users.next_plan IS NOT NULL THEN ${PLAN_PROBLEM} END AS plan_problem,
  (SELECT username FROM admins WHERE admins.id = users.admin_id) AS admin_username,
  ${subscriptionPrefixOf('users.admin_id')} AS url_prefix,
  ${groupIds} AS group_ids`;

const USER_ROW = userRow();

/** A user as the database has it: moments in ISO 8601, numbers of bytes and seconds as digits. */
export interface UserRow {
  id: number;
  username: string;
  status: UserStatus;
  note: string | null;
  expire: string | null;
  data_limit: string;
  data_limit_reset_strategy: DataLimitResetStrategy;
  used_traffic: string;
  past_traffic: string;
  on_hold_expire_duration: string | null;
  on_hold_timeout: string | null;
  auto_delete_in_days: number | null;
  created_at: string;
  edit_at: string | null;
  online_at: string | null;
  subscription_generation: number;
  group_ids: number[];
  proxy_settings: unknown;
  admin_id: number | null;
  admin_username: string | null;
  /** What stands before `/sub/` in the user's subscription URL; null: the address of the service. */
  url_prefix: string | null;
  next_plan: unknown;
  plan_problem: PlanProblem | null;
}

const USER_BY_NAME = { name: 'user_by_name', text: `SELECT ${USER_ROW} FROM users WHERE users.username = $1` };

/** Returns one user as the transaction sees it; undefined when there is none. */
export async function findUserRow(manager: EntityManager, username: string): Promise<UserRow | undefined> {
  const [row] = await preparedIn(manager)<UserRow>(USER_BY_NAME, [username]);
  return row;
}

/** SQL: a user with what nodes know of it. */
export const KNOWN_USER_ROW = `${USER_ROW}, ${KNOWN_TO_NODES} AS known_to_nodes`;

const KNOWN_USER_BY_ID = {
  name: 'known_user_by_id',
  text: `SELECT ${KNOWN_USER_ROW} FROM users WHERE users.id = $1`,
};

/** A user with what nodes know of it, as a text to be compared. */
export type KnownUserRow = UserRow & { known_to_nodes: string };

/** Returns one user as the transaction sees it; undefined when it was deleted. */
export async function findKnownUserRow(manager: EntityManager, id: number): Promise<KnownUserRow | undefined> {
  const [row] = await preparedIn(manager)<KnownUserRow>(KNOWN_USER_BY_ID, [id]);
  return row;
}

const LOCKED_USER = {
  name: 'locked_user',
  text: `SELECT ${KNOWN_USER_ROW}, ${isoText('users.next_reset_at')} AS next_reset_at FROM users WHERE users.username = $1
    FOR NO KEY UPDATE`,
};

/** A user that is about to change, with the moment of the next reset of its traffic counter. */
export type LockedUserRow = KnownUserRow & { next_reset_at: string | null };

/**
 * Locks a user until the transaction ends; undefined when there is none. Sent together with the start of the transaction,
 * so the caller takes the revision counter at the same time.
 */
export async function lockUserRow(manager: EntityManager, username: string): Promise<LockedUserRow | undefined> {
  const [row] = await preparedAtStart(manager)<LockedUserRow>(LOCKED_USER, [username]);
  return row;
}

/** Returns the user of a subscription; undefined when the user was deleted or the token revoked. */
export async function findSubscribedRow(
  manager: EntityManager,
  { userId, generation }: SubscriptionSubject,
): Promise<UserRow | undefined> {
  const [row] = await manager.query<UserRow[]>(
    `SELECT ${USER_ROW} FROM users WHERE users.id = $1 AND users.subscription_generation = $2`,
    [userId, generation],
  );
  return row;
}

const listed = (name: string, columns: string) => ({
  name,
  text: `SELECT ${columns} FROM unnest($1::integer[]) WITH ORDINALITY AS listed (id, place)
    JOIN users ON users.id = listed.id ORDER BY listed.place`,
});

const LISTED = {
  with: listed('listed_users', USER_ROW),
  without: listed('listed_users_without_credentials', userRow({ ...STORED_ROWS, proxySettings: 'NULL::jsonb' })),
};

/** Returns users in the order of the given ids; deleted users are left out. Without credentials those are empty. */
export const findUserRows = (
  database: DataSource,
  ids: readonly number[],
  credentials: 'with' | 'without',
): Promise<UserRow[]> => preparedQuery(database)<UserRow>(LISTED[credentials], [ids]);
