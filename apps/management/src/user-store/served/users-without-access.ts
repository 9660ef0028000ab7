import type { EntityManager } from 'typeorm';
import { preparedIn } from '../../database/prepared.js';
import { SERVED } from './served-users.js';

/** An inbound of a node, until when the node has it or had it; null: it still has it. */
export interface InboundSpan {
  readonly tag: string;
  readonly until: Date | null;
}

/** SQL: the tag by which nodes know an inbound, see `nodeTag` of core-config. */
const nodeTagOf = (tag: string): string => `split_part(${tag}, '<=>', 1)`;

const WITHOUT_ACCESS = {
  name: 'users_without_access',
  text: `WITH inbound AS MATERIALIZED (
      SELECT tag, coalesce(until, 'infinity') AS until FROM unnest($2::text[], $3::timestamptz[]) AS given (tag, until)
    ),
    granting AS MATERIALIZED (
      SELECT group_id, max(until) AS until FROM (
        SELECT groups.id AS group_id, inbound.until FROM groups CROSS JOIN unnest(groups.inbound_tags) AS granted (tag)
          JOIN inbound ON inbound.tag = ${nodeTagOf('granted.tag')} WHERE NOT groups.is_disabled
        UNION ALL SELECT past.group_id, least(past.until, inbound.until) FROM past_group_tags past
          JOIN inbound ON inbound.tag = ${nodeTagOf('past.tag')}
      ) known GROUP BY group_id
    )
    SELECT users.id FROM unnest($1::integer[]) AS reported (id) JOIN users ON users.id = reported.id
    CROSS JOIN LATERAL (
      SELECT CASE WHEN ${SERVED} THEN 'infinity' ELSE coalesce(users.served_until, '-infinity') END AS until OFFSET 0
    ) served
    WHERE NOT EXISTS (
      SELECT FROM user_groups held JOIN granting ON granting.group_id = held.group_id
      WHERE held.user_id = users.id AND least(granting.until, served.until) >= greatest(held.member_since, $4::timestamptz)
    ) AND NOT EXISTS (
      SELECT FROM past_user_tags past JOIN inbound ON inbound.tag = ${nodeTagOf('past.tag')}
      WHERE past.user_id = users.id AND least(past.until, inbound.until, served.until) >= $4::timestamptz
    )`,
};

/**
 * Those of the users who could not use any of the inbounds at any moment since `since`: a node with these inbounds cannot
 * have traffic of theirs. Users who do not exist any more are not among them.
 */
export async function usersWithoutAccess(
  manager: EntityManager,
  userIds: readonly number[],
  inbounds: readonly InboundSpan[],
  since: Date,
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const spans = [inbounds.map(({ tag }) => tag), inbounds.map(({ until }) => until)];
  const rows = await preparedIn(manager)<{ id: number }>(WITHOUT_ACCESS, [userIds, ...spans, since]);
  return rows.map(({ id }) => id);
}

/** Those of the ids that no user has. */
export async function unknownUsers(manager: EntityManager, userIds: readonly number[]): Promise<number[]> {
  const rows = await manager.query<{ id: number }[]>(
    `SELECT given.id FROM unnest($1::integer[]) AS given (id) LEFT JOIN users ON users.id = given.id
     WHERE users.id IS NULL`,
    [userIds],
  );
  return rows.map(({ id }) => id);
}

/** Forgets inbounds that users and groups lost before a moment. */
export async function forgetPastTags(manager: EntityManager, before: Date): Promise<void> {
  await manager.query('DELETE FROM past_user_tags WHERE until < $1', [before]);
  await manager.query('DELETE FROM past_group_tags WHERE until < $1', [before]);
}
