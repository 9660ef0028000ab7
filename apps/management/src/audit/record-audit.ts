import type { EntityManager } from 'typeorm';
import { type RequestContext, requestContext } from '../http/request-context.js';
import { difference } from './difference.js';

/** One change, as the code that makes it tells it. */
export interface AuditedChange {
  /** Subject and verb: `group.modify`. */
  action: `${string}.${string}`;
  /** Subject and what identifies it, `group/5`, or the plural of a bulk change. */
  target: string;
  /** As the API shows it; absent where there was nothing. */
  before?: object | undefined;
  /** The same, absent where nothing is left. */
  after?: object | undefined;
  /** Who asked for it, where that is not the request of this moment. */
  by?: Partial<RequestContext> | undefined;
}

/** Writes the change into the log, in the transaction that makes it: neither is there without the other. */
export async function recordAudit(
  manager: EntityManager,
  { action, target, before, after, by = requestContext() }: AuditedChange,
): Promise<void> {
  const { actor, address } = by ?? {};
  await manager.query(
    `INSERT INTO audit_entries (actor, actor_id, address, action, target, difference)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      actor?.username ?? 'system',
      actor?.id ?? null,
      address ?? null,
      action,
      target,
      JSON.stringify(difference(before, after)),
    ],
  );
}
