import type { EntityManager } from 'typeorm';
import type { UserCondition } from './user-where.js';

/** The highest id of a user; 0 where there is none. */
export async function lastUserId(manager: EntityManager): Promise<number> {
  const [row] = await manager.query<{ last: number }[]>('SELECT coalesce(max(id), 0) AS last FROM users');
  return row?.last ?? 0;
}

/** The first `limit` users of a condition by id: their number, and the id of the last one, or null if there is none. */
export async function firstUsers(
  manager: EntityManager,
  { sql, parameters }: UserCondition,
  limit: number,
): Promise<{ count: number; lastId: number | null }> {
  const [found] = await manager.query<{ count: number; lastId: number | null }[]>(
    `SELECT max(id) AS "lastId", count(*)::integer AS count
     FROM (SELECT users.id FROM users WHERE ${sql} ORDER BY users.id LIMIT ${limit}) batch`,
    [...parameters],
  );
  return found ?? { count: 0, lastId: null };
}

/** Locks the users of a condition in the order of their ids, and returns the ids. */
export async function lockUsers(manager: EntityManager, { sql, parameters }: UserCondition): Promise<number[]> {
  const users = await manager.query<{ id: number }[]>(
    `SELECT id FROM users WHERE ${sql} ORDER BY id FOR NO KEY UPDATE`,
    [...parameters],
  );
  return users.map(({ id }) => id);
}

/** The names of the users of a condition, in the order of their ids. */
export async function usernamesOf(manager: EntityManager, { sql, parameters }: UserCondition): Promise<string[]> {
  const rows = await manager.query<{ username: string }[]>(`SELECT username FROM users WHERE ${sql} ORDER BY id`, [
    ...parameters,
  ]);
  return rows.map(({ username }) => username);
}
