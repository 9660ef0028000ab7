import type { EntityManager } from 'typeorm';
import type { BulkWork } from './bulk-work.js';

/** A replica that has written no batch for this long counts as gone. */
export const LEASE = "interval '30 seconds'";

/** What is known of work whose replica has gone. */
interface AbandonedWork {
  readonly id: number;
  readonly action: string;
  readonly affectedUsers: number;
}

/** Takes over the oldest work of these actions whose replica has gone, and forgets work that ended long ago. */
export async function takeAbandonedWork(
  manager: EntityManager,
  actions: readonly string[],
): Promise<AbandonedWork | undefined> {
  await manager.query("DELETE FROM bulk_operations WHERE finished_at < now() - interval '1 hour'");
  const [taken] = await manager.query<AbandonedWork[][]>(
    `UPDATE bulk_operations SET leased_until = now() + ${LEASE} WHERE id = (
       SELECT id FROM bulk_operations WHERE finished_at IS NULL AND leased_until < now() AND action = ANY ($1::text[])
       ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, action, affected_users AS "affectedUsers"`,
    [actions],
  );
  return taken?.[0];
}

/** Returns those of the ids that a term of unfinished work names, such as `group_id`. */
export async function namedByUnfinishedWork(
  manager: EntityManager,
  actions: readonly BulkWork['action'][],
  term: string,
  ids: readonly number[],
): Promise<number[]> {
  const rows = await manager.query<{ id: number }[]>(
    `SELECT DISTINCT (terms ->> $2)::integer AS id FROM bulk_operations
     WHERE finished_at IS NULL AND action = ANY ($1::text[]) AND (terms ->> $2)::integer = ANY ($3::integer[])`,
    [actions, term, ids],
  );
  return rows.map(({ id }) => id);
}
