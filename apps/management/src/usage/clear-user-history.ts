import type { EntityManager } from 'typeorm';

/** Deletes what a user has used hour by hour. */
export async function clearUserHistory(manager: EntityManager, userId: number): Promise<void> {
  await manager.query('DELETE FROM node_user_usages WHERE user_id = $1', [userId]);
}
