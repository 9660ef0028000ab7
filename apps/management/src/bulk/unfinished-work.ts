import type { EntityManager } from 'typeorm';
import type { BulkWork } from './bulk-work.js';

/** Those of the ids that a term of unfinished work names, such as `group_id`. */
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
