import type { UserStatus } from '@rampart/domain';
import type { Actor } from '../../access/actor.js';
import { HAS_ONE_OF_GROUPS, scopeOf, type UserWhere } from '../../user-store/user-where.js';
import { type Moment, momentOf } from '../../validation/moment.js';

/** Whom a bulk call means. */
export interface BulkTarget {
  users?: readonly number[] | null;
  admins?: readonly number[] | null;
  /** Users of any of these groups. */
  groups?: readonly number[] | null;
  status?: readonly UserStatus[] | null;
  /** Of the end, both included; whoever has none is outside of both. */
  expire_after?: Moment;
  expire_before?: Moment;
}

/**
 * Of `users` and `admins` the first that is given counts; given and empty, it means nobody. Groups, states and
 * moments then narrow that, where there are any. A plain admin reaches its own users.
 */
export function targeted(actor: Actor, target: BulkTarget): UserWhere {
  const { users, admins, groups, status, expire_after, expire_before } = target;
  return scopeOf(actor)
    .and('users.id = ANY (?::integer[])', users ?? undefined)
    .and('users.admin_id = ANY (?::integer[])', users ? undefined : (admins ?? undefined))
    .and(HAS_ONE_OF_GROUPS, groups?.length ? groups : undefined)
    .and('users.status = ANY (?::text[])', status?.length ? status : undefined)
    .and('users.expire >= ?::timestamptz', momentOf(expire_after ?? null) ?? undefined)
    .and('users.expire <= ?::timestamptz', momentOf(expire_before ?? null) ?? undefined);
}
