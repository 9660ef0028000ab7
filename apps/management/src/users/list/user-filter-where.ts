import type { Actor } from '../../access/actor.js';
import { ADMIN_IDS_OF_NAMES } from '../../admins/store/admin-ids.js';
import {
  containing,
  credentialTexts,
  FOUND_BY_SEARCH,
  IN_GROUPS,
  SEARCHED,
  scopeOf,
  type UserCondition,
  UserWhere,
  WITH_CREDENTIAL,
} from '../../user-store/selection/user-where.js';
import type { UserFilter } from './user-filter.dto.js';

/** All conditions of a filter except its search. */
export function filtered(actor: Actor, filter: UserFilter): UserWhere {
  return scopeOf(actor)
    .and('users.username = ANY (?::text[])', filter.username)
    .and(`users.admin_id IN (${ADMIN_IDS_OF_NAMES})`, filter.admin)
    .and(IN_GROUPS, filter.group)
    .and('users.status = ANY (?::text[])', filter.status)
    .and(WITH_CREDENTIAL, filter.proxy_id ? credentialTexts(filter.proxy_id) : undefined);
}

/** The search of a filter, as a condition on the rows of `user_searches`. */
export const searched = ({ search }: UserFilter): UserWhere =>
  new UserWhere().and(SEARCHED, search ? containing(search) : undefined);

/** All conditions of a filter. */
export function whereOf(actor: Actor, filter: UserFilter): UserCondition {
  return filtered(actor, filter).and(FOUND_BY_SEARCH, filter.search ? containing(filter.search) : undefined);
}
