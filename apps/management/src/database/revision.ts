import type { EntityManager } from 'typeorm';
import { requestId } from '../access/request-context.js';
import { Counter } from './counter.entity.js';
import { preparedAtStart } from './prepared.js';

/**
 * The channel that announces each new revision when its transaction commits. The payload is the number, then the id of the
 * request that made the change, if one did.
 */
export const REVISION_CHANNEL = 'rampart_revision';

/** How many revisions to skip: more than there are changes between two backups. */
const SKIPPED = 1_000_000;

const NEXT_REVISION = {
  name: 'next_revision',
  text: `WITH next AS (UPDATE counters SET value = value + 1 WHERE name = 'revision' RETURNING value)
    SELECT value, pg_notify('${REVISION_CHANNEL}', concat_ws(' ', value, $1::text)) FROM next`,
};

const LOCK_REVISION = {
  name: 'lock_revision',
  text: "SELECT FROM counters WHERE name = 'revision' FOR NO KEY UPDATE",
};

/**
 * Takes the revision of the change that this transaction makes. The counter stays locked until the commit, so revisions
 * become visible in their order: reading `revision > position` misses none. Call it first, so that no two changes can
 * deadlock.
 */
export async function nextRevision(manager: EntityManager): Promise<bigint> {
  const [row] = await preparedAtStart(manager)<{ value: string }>(NEXT_REVISION, [requestId() ?? null]);
  if (!row) throw new Error('the table counters has no row "revision"');
  return BigInt(row.value);
}

/** The id of the request that made the change which this payload announces; undefined where none did. */
export const requestOfRevision = (payload: string): string | undefined => payload.split(' ')[1];

/** Locks the revision counter for a change that may turn out to need no revision. Call it first, like `nextRevision`. */
export async function lockRevision(manager: EntityManager): Promise<void> {
  await preparedAtStart(manager)(LOCK_REVISION, []);
}

/**
 * Skips revisions when a node has seen later ones than the database has, because a backup was restored. Does nothing
 * when the counter has changed since `last` was read.
 */
export async function skipRevisions(manager: EntityManager, last: bigint): Promise<void> {
  await manager.query(`UPDATE counters SET value = value + ${SKIPPED} WHERE name = 'revision' AND value = $1`, [
    last.toString(),
  ]);
}

/**
 * The last committed revision. Read it before the users: changes that commit in between are then read twice, but never
 * missed.
 */
export async function currentRevision(manager: EntityManager): Promise<bigint> {
  const { value } = await manager.findOneByOrFail(Counter, { name: 'revision' });
  return value;
}
