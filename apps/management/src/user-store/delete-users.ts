import { nodeEmail } from '@rampart/domain';
import type { EntityManager } from 'typeorm';
import { runWithCommit } from '../database/prepared.js';
import { lockRevision, nextRevision } from '../database/revision.js';
import type { UserCondition } from './selection/user-where.js';

const INSERT_TOMBSTONES = {
  name: 'insert_user_tombstones',
  text: 'INSERT INTO user_tombstones (user_id, email, revision) SELECT *, $3 FROM unnest($1::integer[], $2::text[])',
};

export interface DeletedUser {
  id: number;
  username: string;
}

/**
 * Deletes all users that match a condition, and leaves tombstones that tell nodes of the deletion. Rows are locked in
 * the order of their ids, as when traffic is recorded, so that the two cannot block each other.
 */
export async function deleteUsers(manager: EntityManager, { sql, parameters }: UserCondition): Promise<DeletedUser[]> {
  await lockRevision(manager);
  const gone = await manager.query<DeletedUser[]>(
    `WITH locked AS (SELECT id FROM users WHERE ${sql} ORDER BY id FOR UPDATE),
     gone AS (DELETE FROM users USING locked WHERE users.id = locked.id RETURNING users.id, users.username)
     SELECT id, username FROM gone ORDER BY id`,
    [...parameters],
  );
  if (gone.length === 0) return gone;
  await runWithCommit(manager, INSERT_TOMBSTONES, [
    gone.map(({ id }) => id),
    gone.map(({ id, username }) => nodeEmail(id, username)),
    `${await nextRevision(manager)}`,
  ]);
  return gone;
}
