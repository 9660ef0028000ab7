import type { UserStatus } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import type { UserCondition } from './user-where.js';

/** How many users have a status, and how many of them used a node within the last two minutes. */
export interface StatusCount {
  status: UserStatus;
  users: number;
  online: number;
}

/** Counts the users that meet a condition, by status; a status without users has no row. */
export const countUsersByStatus = (
  manager: EntityManager,
  { sql, parameters }: UserCondition,
): Promise<StatusCount[]> =>
  manager.query(
    `SELECT status, count(*)::integer AS users,
       count(*) FILTER (WHERE online_at > now() - interval '2 minutes')::integer AS online
     FROM users WHERE ${sql} GROUP BY status`,
    [...parameters],
  );

/** Counts the users that meet a condition. */
export async function countUsers(manager: EntityManager, { sql, parameters }: UserCondition): Promise<number> {
  const [row] = await manager.query<{ count: number }[]>(`SELECT count(*)::integer AS count FROM users WHERE ${sql}`, [
    ...parameters,
  ]);
  return row?.count ?? 0;
}
