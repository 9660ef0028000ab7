import type { EntityManager } from 'typeorm';
import { type RequestContext, requestContext } from '../access/request-context.js';
import { difference } from './difference.js';

/** A change as the code that makes it describes it. */
export interface AuditedChange {
  /** Subject and verb, such as `group.modify`. */
  action: `${string}.${string}`;
  /** Subject and identifier, such as `group/5`, or the plural for a bulk change. */
  target: string;
  /** The object before the change as the API shows it; absent for a new object. */
  before?: object | undefined;
  /** The object after the change; absent for a deleted object. */
  after?: object | undefined;
  /** Who requested the change, where that is not the current request. */
  by?: Partial<RequestContext> | undefined;
  /** The names of all users that a bulk change deleted. */
  deleted?: readonly string[];
  /** The admin, for a login, whose request is not authenticated yet. */
  actor?: { readonly id: number | null; readonly username: string };
}

/** The actor of failed logins. No admin can have this name. */
export const UNAUTHENTICATED_ACTOR = { id: null, username: '(unauthenticated)' } as const;

/** Writes an entry in the transaction of the change itself, so that either both are stored or neither. */
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
