import { MAX_INT32, nodeEmail, type ProxySettings } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { preparedIn } from '../../database/prepared.js';
import { storedProxySettings } from '../credentials/stored-proxy-settings.js';
import { WITH_PROXY_SETTINGS } from '../credentials/user-proxy-settings.js';
import type { Grants } from './grants.js';
import { PROBE_USER } from './probe-user.js';

/** What a node needs to know of one user. */
export interface ServedUser {
  id: number;
  /** The user's name towards nodes. */
  email: string;
  /** null: the user is deleted. */
  proxySettings: ProxySettings | null;
  /** Protocols for which an older user has the same credential, so that nodes are not given it. Absent: none. */
  withheld?: readonly string[];
  /** Tags of all enabled groups; empty for a user who is not served. */
  inboundTags: readonly string[];
  revision: bigint;
}

/** The position up to which changes have been read; one revision may hold many users. */
export interface ChangePosition {
  revision: bigint;
  /** The last user of that revision that was read. */
  userId: number;
}

/** The position after all changes of a revision. */
export function after(revision: bigint): ChangePosition {
  return { revision, userId: MAX_INT32 };
}

/** SQL: the id by which nodes know the user of a row of `probe_user`. */
const PROBE_ID = `(${PROBE_USER.lastId} - probe_user.id)`;

export const SERVED = `users.status IN ('active', 'on_hold')`;

/** SQL: the inbound tags of all enabled groups of the row of `users`, each once. */
const ENABLED_TAGS = `coalesce((
  SELECT array_agg(DISTINCT tag ORDER BY tag)
  FROM user_groups JOIN groups ON groups.id = user_groups.group_id CROSS JOIN unnest(groups.inbound_tags) tag
  WHERE user_groups.user_id = users.id AND NOT groups.is_disabled
), '{}')`;

/**
 * SQL: what nodes hear of the users of a query `changed`. Each user is looked up by its id, so that one plan suits a single
 * change as well as a thousand, and PostgreSQL plans the statement once.
 */
const servedOf = (changed: string): string =>
  `WITH changed AS MATERIALIZED (${changed})
   SELECT changed.id, changed.revision, changed.email, known.username, known.proxy_settings, known.clashes,
     coalesce(known.tags, '{}') AS tags
   FROM changed LEFT JOIN LATERAL (
     SELECT users.username, settings.proxy_settings, settings.clashes, CASE WHEN ${SERVED} THEN ${ENABLED_TAGS} ELSE '{}' END AS tags
     FROM users ${WITH_PROXY_SETTINGS} WHERE users.id = changed.id AND changed.email IS NULL
     UNION ALL SELECT '${PROBE_USER.username}', proxy_settings, NULL, inbound_tags FROM probe_user
       WHERE changed.id >= ${PROBE_USER.firstId} AND changed.id = ${PROBE_ID} OFFSET 0
   ) known ON true
   ORDER BY changed.revision, changed.id`;

const AFTER_POSITION = '(revision, user_id) > ($1, $2) ORDER BY revision, user_id LIMIT $3';

const CHANGED_AFTER = {
  name: 'changed_users_after',
  text: servedOf(
    `(SELECT user_id AS id, revision, NULL AS email FROM user_revisions WHERE ${AFTER_POSITION})
     UNION ALL (SELECT user_id, revision, email FROM user_tombstones WHERE ${AFTER_POSITION})
     UNION ALL (SELECT ${PROBE_ID}, revision, NULL FROM probe_user
       WHERE revision > 0 AND (revision, ${PROBE_ID}) > ($1, $2))
     ORDER BY revision, id LIMIT $3`,
  ),
};

/** Users who were changed or deleted after a position, in the order in which nodes must hear of them. */
export async function changedUsersAfter(
  manager: EntityManager,
  position: ChangePosition,
  limit: number,
): Promise<ServedUser[]> {
  const values = [position.revision.toString(), position.userId, limit];
  return (await preparedIn(manager)<Row>(CHANGED_AFTER, values)).map(served);
}

const CHANGED_IN = {
  name: 'changed_users_in',
  text: servedOf(
    `SELECT user_id AS id, revision, NULL AS email FROM user_revisions WHERE revision = ANY ($1::bigint[])
     UNION ALL SELECT user_id, revision, email FROM user_tombstones WHERE revision = ANY ($1::bigint[])
     UNION ALL SELECT ${PROBE_ID}, revision, NULL FROM probe_user WHERE revision = ANY ($1::bigint[])`,
  ),
};

/** Users by their ids, as nodes hear of them, without a revision. */
export async function usersById(manager: EntityManager, ids: readonly number[]): Promise<ServedUser[]> {
  const sql = servedOf('SELECT id, 0 AS revision, NULL AS email FROM unnest($1::integer[]) AS id');
  return (await manager.query<Row[]>(sql, [ids])).map(served);
}

const SMALL_REVISIONS = {
  name: 'small_revisions_after',
  text: `WITH sizes AS (
      SELECT revision, count(*) AS users FROM (
        SELECT revision FROM user_revisions WHERE revision > $1
        UNION ALL SELECT revision FROM user_tombstones WHERE revision > $1
        UNION ALL SELECT revision FROM probe_user WHERE revision > $1
      ) changed GROUP BY revision
    )
    SELECT coalesce(max(revision), $1) AS newest, ARRAY (
      SELECT revision FROM sizes WHERE users <= $2 ORDER BY revision LIMIT $3
    ) AS small FROM sizes`,
};

/** Changes of few users after a revision. */
export interface SmallChanges {
  /** The users in the order of their revisions. */
  readonly users: ServedUser[];
  /** The newest revision that was looked at. */
  readonly newest: bigint;
  /** Newer changes may follow, which this read left out. */
  readonly more: boolean;
}

/**
 * Users whose revision is newer than a revision and was taken by a change of few users.
 *
 * @param maxUsers with more users, a change is not a small one
 * @param limit maximum number of changes; newer ones are left out
 */
export async function smallChangesAfter(
  manager: EntityManager,
  revision: bigint,
  maxUsers: number,
  limit: number,
): Promise<SmallChanges> {
  const query = preparedIn(manager);
  const values = [revision.toString(), maxUsers, limit];
  const [found] = await query<{ newest: string; small: string[] }>(SMALL_REVISIONS, values);
  if (!found || found.small.length === 0) return { users: [], newest: BigInt(found?.newest ?? revision), more: false };
  const users = (await query<Row>(CHANGED_IN, [found.small])).map(served);
  const more = found.small.length === limit;
  return { users, newest: BigInt((more ? found.small.at(-1) : found.newest) ?? revision), more };
}

/**
 * Users who are served now on any of the inbounds that are asked for, with their tags among these, in the order of their ids:
 * the full set for a node that starts. The groups are looked at outside of SQL, where it takes two thirds of the time. With
 * `+ 0`, the groups of a user are looked up in a hash, and not each of the wanted groups in the index.
 *
 * @param grants of the same transaction, which must be a snapshot
 */
export async function servedUsers(
  manager: EntityManager,
  grants: Grants,
  afterId: number,
  limit: number,
): Promise<ServedUser[]> {
  const rows = await manager.query<(Row & { group_ids: number[] | null })[]>(
    `(SELECT users.id, coalesce(user_revisions.revision, 0) AS revision, users.username, settings.proxy_settings,
       settings.clashes, member.group_ids, NULL AS tags
     FROM users LEFT JOIN user_revisions ON user_revisions.user_id = users.id ${WITH_PROXY_SETTINGS}
     CROSS JOIN LATERAL (SELECT ARRAY (
       SELECT group_id FROM user_groups WHERE user_id = users.id AND group_id + 0 = ANY ($3::integer[])
     ) AS group_ids OFFSET 0) member
     WHERE users.id > $1 AND ${SERVED} AND member.group_ids <> '{}'
     ORDER BY users.id LIMIT $2)
     UNION ALL
     (SELECT ${PROBE_ID}, revision, '${PROBE_USER.username}', proxy_settings,
       NULL, NULL, ARRAY (SELECT tag FROM unnest(inbound_tags) tag WHERE tag = ANY ($4::text[]))
     FROM probe_user WHERE $1 < ${PROBE_ID} AND inbound_tags && $4::text[])
     ORDER BY id LIMIT $2`,
    [afterId, limit, grants.groupIds, grants.tags],
  );
  return rows.map(({ group_ids, ...row }) => served(group_ids ? { ...row, tags: grants.tagsOf(group_ids) } : row));
}

/**
 * SQL: what nodes know of the row of `users`, as a text to be compared. Credentials are part of it only when the user is
 * served.
 */
export const KNOWN_TO_NODES = `(
  SELECT jsonb_build_array(granted.tags, CASE WHEN granted.tags <> '{}' THEN settings.proxy_settings END)::text
  FROM (SELECT CASE WHEN ${SERVED} THEN ${ENABLED_TAGS} ELSE '{}' END AS tags OFFSET 0) granted
  LEFT JOIN user_proxy_settings settings ON settings.user_id = users.id)`;

interface Row {
  id: number;
  revision: string;
  /** It is set only for a deleted user. */
  email?: string | null;
  username: string | null;
  proxy_settings: unknown;
  clashes: string[] | null;
  tags: readonly string[];
}

const served = (row: Row): ServedUser => ({
  id: row.id,
  email: row.email ?? nodeEmail(row.id, row.username ?? ''),
  proxySettings: row.username === null ? null : storedProxySettings(row.proxy_settings),
  ...(row.clashes && row.clashes.length > 0 && { withheld: row.clashes }),
  inboundTags: row.tags,
  revision: BigInt(row.revision),
});
