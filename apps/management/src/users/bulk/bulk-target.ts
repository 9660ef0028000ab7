import type { UserStatus } from '@rampart/domain';
import type { Actor } from '../../access/actor.js';
import {
  containing,
  FOUND_BY_SEARCH,
  HAS_ONE_OF_GROUPS,
  scopeOf,
  type UserWhere,
} from '../../user-store/selection/user-where.js';
import { type Moment, momentOf } from '../../validation/moment.js';

/** The members of a bulk request that select its users. */
export interface BulkTarget {
  users?: readonly number[] | null;
  admins?: readonly number[] | null;
  /** The users must be in at least one of these groups. */
  groups?: readonly number[] | null;
  status?: readonly UserStatus[] | null;
  /** Only users whose name or note contains this text. */
  search?: string | null;
  /** The range of the users' end, both limits included. A user without an end is outside of it. */
  expire_after?: Moment;
  expire_before?: Moment;
}

/**
 * Returns the condition for the users of a target. A list in `users` takes precedence over `admins`, and an empty list
 * selects nobody. Groups, states, words and moments narrow the target further. For an admin who is not sudo, only its own
 * users are selected.
 */
export function targeted(actor: Actor, target: BulkTarget): UserWhere {
  const { users, admins, groups, status, search, expire_after, expire_before } = target;
  return scopeOf(actor)
    .and('users.id = ANY (?::integer[])', users ?? undefined)
    .and('users.admin_id = ANY (?::integer[])', users ? undefined : (admins ?? undefined))
    .and(HAS_ONE_OF_GROUPS, groups?.length ? groups : undefined)
    .and('users.status = ANY (?::text[])', status?.length ? status : undefined)
    .and(FOUND_BY_SEARCH, search ? containing(search) : undefined)
    .and('users.expire >= ?::timestamptz', momentOf(expire_after ?? null) ?? undefined)
    .and('users.expire <= ?::timestamptz', momentOf(expire_before ?? null) ?? undefined);
}
