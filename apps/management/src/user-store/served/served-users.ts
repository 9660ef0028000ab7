import { MAX_INT32, nodeEmail, type ProxySettings } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { storedProxySettings } from '../credentials/stored-proxy-settings.js';
import { WITH_PROXY_SETTINGS } from '../credentials/user-proxy-settings.js';

/** What a node needs to know of one user. */
export interface ServedUser {
  id: number;
  /** The user's name towards nodes. */
  email: string;
  /** null: the user is deleted. */
  proxySettings: ProxySettings | null;
  /** Tags of all enabled groups; empty for a user who is not served. */
  inboundTags: string[];
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

export const SERVED = `users.status IN ('active', 'on_hold')`;

/** SQL: the inbound tags of all enabled groups of the row of `users`, each once. */
const ENABLED_TAGS = `coalesce((
  SELECT array_agg(DISTINCT tag ORDER BY tag)
  FROM user_groups JOIN groups ON groups.id = user_groups.group_id CROSS JOIN unnest(groups.inbound_tags) tag
  WHERE user_groups.user_id = users.id AND NOT groups.is_disabled
), '{}')`;

/** Users who were changed or deleted after a position, in the order in which nodes must hear of them. */
export async function changedUsersAfter(
  manager: EntityManager,
  position: ChangePosition,
  limit: number,
): Promise<ServedUser[]> {
  const rows = await manager.query<Row[]>(
    `WITH changed AS (
       (SELECT user_id AS id, revision, NULL AS email FROM user_revisions
         WHERE (revision, user_id) > ($1, $2) ORDER BY revision, user_id LIMIT $3)
       UNION ALL
       (SELECT user_id, revision, email FROM user_tombstones
         WHERE (revision, user_id) > ($1, $2) ORDER BY revision, user_id LIMIT $3)
       ORDER BY revision, id LIMIT $3
     )
     SELECT changed.id, changed.revision, changed.email, users.username, settings.proxy_settings,
       CASE WHEN ${SERVED} THEN ${ENABLED_TAGS} ELSE '{}' END AS tags
     FROM changed LEFT JOIN users ON users.id = changed.id AND changed.email IS NULL ${WITH_PROXY_SETTINGS}
     ORDER BY changed.revision, changed.id`,
    [position.revision.toString(), position.userId, limit],
  );
  return rows.map(served);
}

/**
 * Users who are served now, in the order of their ids: the full set for a node that starts. `OFFSET 0` stops PostgreSQL from
 * evaluating the tags twice.
 */
export async function servedUsers(manager: EntityManager, afterId: number, limit: number): Promise<ServedUser[]> {
  const rows = await manager.query<Row[]>(
    `SELECT users.id, coalesce(user_revisions.revision, 0) AS revision, users.username, settings.proxy_settings, granted.tags
     FROM users LEFT JOIN user_revisions ON user_revisions.user_id = users.id ${WITH_PROXY_SETTINGS}
     CROSS JOIN LATERAL (SELECT ${ENABLED_TAGS} AS tags OFFSET 0) granted
     WHERE users.id > $1 AND ${SERVED} AND granted.tags <> '{}'
     ORDER BY users.id LIMIT $2`,
    [afterId, limit],
  );
  return rows.map(served);
}

/** What nodes know of one user, as a text to be compared. Credentials are part of it only when the user is served. */
export async function knownToNodes(manager: EntityManager, userId: number): Promise<string | undefined> {
  const [row] = await manager.query<{ known: string }[]>(
    `SELECT jsonb_build_array(granted.tags, CASE WHEN granted.tags <> '{}' THEN settings.proxy_settings END)::text AS known
     FROM users ${WITH_PROXY_SETTINGS}
     CROSS JOIN LATERAL (SELECT CASE WHEN ${SERVED} THEN ${ENABLED_TAGS} ELSE '{}' END AS tags) granted
     WHERE users.id = $1`,
    [userId],
  );
  return row?.known;
}

interface Row {
  id: number;
  revision: string;
  /** Set only for a deleted user. */
  email?: string | null;
  username: string | null;
  proxy_settings: unknown;
  tags: string[];
}

const served = (row: Row): ServedUser => ({
  id: row.id,
  email: row.email ?? nodeEmail(row.id, row.username ?? ''),
  proxySettings: row.username === null ? null : storedProxySettings(row.proxy_settings),
  inboundTags: row.tags,
  revision: BigInt(row.revision),
});
