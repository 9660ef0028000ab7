import type { EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { type RequestContext, requestContext } from '../access/request-context.js';
import { EVENTS_CHANNEL, type NewEvent, SILENT } from '../change-events/change-event.js';
import { runWithCommit } from '../database/prepared.js';
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
  /** The admin who logs in, because the request of a login is not authenticated yet. */
  actor?: Pick<Actor, 'id' | 'username' | 'sessionId'>;
}

/** The actor of failed logins. No admin can have this name. */
export const UNAUTHENTICATED_ACTOR = { id: null, username: '(unauthenticated)' } as const;

const INSERT_ENTRY = {
  name: 'insert_audit_entry',
  text: `WITH entry AS (
      INSERT INTO audit_entries (actor, actor_id, token_id, token_name, session_id, address, action, target, difference)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id)
    SELECT pg_notify('${EVENTS_CHANNEL}', ($10::jsonb || jsonb_build_object('id', id))::text) FROM entry`,
};

type AuditActor = Pick<Actor, 'id' | 'username' | 'apiTokenId' | 'apiTokenName' | 'sessionId'>;

/** Writes an entry in the transaction of the change itself, so that either both are stored or neither. */
export async function recordAudit(
  manager: EntityManager,
  { action, target, before, after, deleted, by = requestContext(), ...change }: AuditedChange,
): Promise<void> {
  const actor: AuditActor | undefined = change.actor ?? by?.actor;
  const address = by?.address;
  await runWithCommit(manager, INSERT_ENTRY, [
    actor?.username ?? 'system',
    actor?.id ?? null,
    actor?.apiTokenId ?? null,
    actor?.apiTokenName ?? null,
    actor?.sessionId ?? null,
    address ?? null,
    action,
    target,
    JSON.stringify({
      ...difference(withoutVersion(before), withoutVersion(after)),
      ...(deleted && { usernames: { before: deleted } }),
    }),
    eventOf({ action, target, before, after }, actor),
  ]);
}

/** Logins and reads change nothing that is shown, nor do probes before they have a result. */
const NO_CHANGES = ['login', 'login_failed', 'step_up', 'probe', 'read_secrets', 'refused'];

/** What the entry announces, as JSON. */
function eventOf(
  { action, target, before, after }: Pick<AuditedChange, 'action' | 'target' | 'before' | 'after'>,
  by: Pick<Actor, 'username'> | undefined,
): string {
  const [type = '', ...verbs] = action.split('.');
  if (NO_CHANGES.includes(verbs.join('.'))) return JSON.stringify(SILENT);
  const key = target.includes('/') ? target.slice(target.indexOf('/') + 1) : null;
  // Calls of other features on many users are heard as what they are.
  const touchesUsers = type === 'user' || target === 'users';
  const event: NewEvent = {
    type: touchesUsers ? 'user' : type,
    action: verbs.join('.'),
    key,
    owners: touchesUsers && key !== null ? [ownerOf(before), ownerOf(after)] : null,
    by: by?.username ?? null,
  };
  return JSON.stringify(event);
}

/** The id of the admin to whom a user belongs, as the API shows it. */
const ownerOf = (user: { admin?: { id?: number } | null } | undefined): number | null => user?.admin?.id ?? null;

/** The version of an object follows from the rest of it. */
function withoutVersion(view: object | undefined): object | undefined {
  if (view === undefined) return undefined;
  const { version, ...rest }: { version?: unknown } = view;
  return rest;
}
