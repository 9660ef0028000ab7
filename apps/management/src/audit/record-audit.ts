import type { EntityManager } from 'typeorm';
import { type RequestContext, requestContext } from '../access/request-context.js';
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
  /** Whom a change of many has deleted: all of them, however many that are. */
  deleted?: readonly string[];
  /** Where the request does not say who acts: a login. */
  actor?: { readonly id: number | null; readonly username: string };
}

/** Who acts when nobody is authenticated; no admin can have this name. */
export const UNAUTHENTICATED_ACTOR = { id: null, username: '(unauthenticated)' } as const;

/** Writes the change into the log, in the transaction that makes it: neither is there without the other. */
export async function recordAudit(
  manager: EntityManager,
  { action, target, before, after, deleted, by = requestContext(), ...change }: AuditedChange,
): Promise<void> {
  const actor = change.actor ?? by?.actor;
  const address = by?.address;
  await manager.query(
    `INSERT INTO audit_entries (actor, actor_id, address, action, target, difference)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      actor?.username ?? 'system',
      actor?.id ?? null,
      address ?? null,
      action,
      target,
      JSON.stringify({ ...difference(before, after), ...(deleted && { usernames: { before: deleted } }) }),
    ],
  );
}
