import type { EntityManager } from 'typeorm';
import { Counter } from './counter.entity.js';

/** The channel on which a new revision is announced when its transaction commits; the payload is the number. */
export const REVISION_CHANNEL = 'rampart_revision';

/** More than changes are made between two backups. */
const SKIPPED = 1_000_000;

/**
 * The number of the change that the transaction makes. The counter stays locked until commit, so numbers become visible
 * in their order: whoever reads `revision > position` misses none. Call it first, so that no two changes can deadlock.
 */
export async function nextRevision(manager: EntityManager): Promise<bigint> {
  const [row] = await manager.query<{ value: string }[]>(
    `WITH next AS (UPDATE counters SET value = value + 1 WHERE name = 'revision' RETURNING value)
     SELECT value, pg_notify('${REVISION_CHANNEL}', value::text) FROM next`,
  );
  if (!row) throw new Error('the table counters has lost its row "revision"');
  return BigInt(row.value);
}

/**
 * Keeps the next number for a change that may turn out to need none: nobody else takes one before the transaction ends.
 * Called first, as `nextRevision` would be.
 */
export async function lockRevision(manager: EntityManager): Promise<void> {
  await manager.query("SELECT FROM counters WHERE name = 'revision' FOR NO KEY UPDATE");
}

/**
 * Leaves numbers out, when a node has heard later ones than ours: the database was restored from a backup. Nothing happens
 * when a change was made since `last` was read.
 */
export async function skipRevisions(manager: EntityManager, last: bigint): Promise<void> {
  await manager.query(`UPDATE counters SET value = value + ${SKIPPED} WHERE name = 'revision' AND value = $1`, [
    last.toString(),
  ]);
}

/** The last committed revision. Read it before the users: what commits in between is then read twice, never missed. */
export async function currentRevision(manager: EntityManager): Promise<bigint> {
  const { value } = await manager.findOneByOrFail(Counter, { name: 'revision' });
  return value;
}
