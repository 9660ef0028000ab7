import type { EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { lockRevision } from '../database/revision.js';
import { firstUsers, lastUserId } from '../user-store/selection/user-batches.js';
import type { BulkOperation } from './bulk-operation.entity.js';
import type { BulkWork } from './bulk-work.js';
import { LEASE } from './unfinished-work.js';

/** Maximum number of users in one transaction, for which other changes wait: some 100 ms. */
export const MAX_BATCH_USERS = 2_000;

/**
 * SQL: a digest of actor and terms. Terms that lost a selector in the database would cover more users, so the digest is
 * compared before each batch.
 */
const digestOf = (actor: string, terms: string): string =>
  `encode(sha256(convert_to(${actor}::jsonb::text || ${terms}::jsonb::text, 'UTF8')), 'hex')`;
const IS_SOUND = `digest = ${digestOf('actor', 'terms')}`;

/** An operation that is not stored yet has no id. */
export type Progress = Omit<BulkOperation, 'id' | 'digest' | 'leasedUntil' | 'finishedAt'> & { id?: number };

export interface Advanced {
  readonly progress: Progress;
  readonly isDone: boolean;
  readonly names: readonly string[];
}

/** Does the first batch. Only work that needs a second one is stored. */
export async function beginBulk(
  manager: EntityManager,
  work: BulkWork,
  request: Pick<Progress, 'actor' | 'address' | 'terms'>,
): Promise<Advanced> {
  await lockRevision(manager);
  const lastId = await lastUserId(manager);
  const start = { ...request, action: work.action, position: 0, lastId, affectedUsers: 0 };
  const advanced = await advance(manager, work, start);
  if (advanced.isDone) return advanced;
  const { progress } = advanced;
  const [stored] = await manager.query<{ id: number }[]>(
    `INSERT INTO bulk_operations (action, actor, address, terms, position, last_id, affected_users, digest, leased_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, ${digestOf('$2', '$4')}, now() + ${LEASE}) RETURNING id`,
    [
      ...[progress.action, JSON.stringify(progress.actor), progress.address, JSON.stringify(progress.terms)],
      ...[progress.position, progress.lastId, progress.affectedUsers],
    ],
  );
  return { ...advanced, progress: { ...progress, ...(stored && { id: stored.id }) } };
}

/**
 * Does the next batch from the stored position. Another replica may have done some batches meanwhile, or all.
 *
 * @throws Error when the stored actor or terms are not those of the request
 */
export async function continueBulk(manager: EntityManager, work: BulkWork, id: number): Promise<Advanced | undefined> {
  await lockRevision(manager);
  const [row] = await manager.query<(Progress & { isFinished: boolean; isSound: boolean })[]>(
    `SELECT id, action, actor, address, terms, position, last_id AS "lastId", affected_users AS "affectedUsers",
       finished_at IS NOT NULL AS "isFinished", ${IS_SOUND} AS "isSound"
     FROM bulk_operations WHERE id = $1 FOR UPDATE`,
    [id],
  );
  if (!row) return undefined;
  const { isFinished, isSound, ...known } = row;
  if (isFinished) return { progress: known, isDone: true, names: [] };
  if (!isSound) throw new Error('its row in the table bulk_operations was changed');
  const advanced = await advance(manager, work, known);
  const { position, affectedUsers } = advanced.progress;
  await manager.query(
    `UPDATE bulk_operations SET position = $2, affected_users = $3, leased_until = now() + ${LEASE},
       finished_at = CASE WHEN $4 THEN now() END WHERE id = $1`,
    [id, position, affectedUsers, advanced.isDone],
  );
  return advanced;
}

/** Ends work that cannot continue. The batches that were done stay, and the audit log counts them. */
export async function endBulk(manager: EntityManager, work: BulkWork, id: number): Promise<void> {
  const [[row]] = await manager.query<[(Progress & { isSound: boolean })[], number]>(
    `UPDATE bulk_operations SET finished_at = now() WHERE id = $1 AND finished_at IS NULL
     RETURNING actor, address, terms, affected_users AS "affectedUsers", ${IS_SOUND} AS "isSound"`,
    [id],
  );
  if (!row) return;
  // Work that has something to do at its end has not done what its entry would say.
  if (row.isSound && !work.finish) await audit(manager, work, row);
  else {
    const stopped = row.isSound ? 'it failed: the log of management says why' : 'the stored order was changed';
    const after = { affected_users: row.affectedUsers, stopped };
    await recordAudit(manager, { action: work.action, target: 'users', after });
  }
}

async function advance(manager: EntityManager, work: BulkWork, known: Progress): Promise<Advanced> {
  const { actor, terms, position, lastId } = known;
  const request = { actor, terms };
  const ahead = () => work.target(request).and('users.id > ?::integer', position).and('users.id <= ?::integer', lastId);
  const found = await firstUsers(manager, ahead(), MAX_BATCH_USERS);
  const isDone = found.count < MAX_BATCH_USERS;
  const until = isDone ? lastId : (found.lastId ?? lastId);
  const { count, names = [] } = await work.apply(manager, request, ahead().and('users.id <= ?::integer', until));
  const progress = { ...known, position: until, affectedUsers: known.affectedUsers + count };
  if (isDone) {
    await work.finish?.(manager, request);
    await audit(manager, work, progress);
  }
  return { progress, isDone, names };
}

async function audit(
  manager: EntityManager,
  work: BulkWork,
  { actor, address, terms, affectedUsers }: Pick<Progress, 'actor' | 'address' | 'terms' | 'affectedUsers'>,
): Promise<void> {
  if (!work.audited) return;
  await recordAudit(manager, {
    action: work.action,
    ...work.audited({ actor, terms }, affectedUsers),
    by: { actor, ...(address && { address }) },
  });
}
