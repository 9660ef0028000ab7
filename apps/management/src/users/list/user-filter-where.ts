import { type Actor, seesNoSecrets } from '../../access/actor.js';
import { ADMIN_IDS_OF_NAMES } from '../../admins/store/admin-ids.js';
import { ManagementError } from '../../errors/management-error.js';
import {
  containing,
  credentialTexts,
  FOUND_BY_SEARCH,
  FOUND_BY_SEARCH_SHOWN,
  IN_GROUPS,
  SEARCHED,
  SEARCHED_SHOWN,
  scopeOf,
  type UserCondition,
  UserWhere,
  WITH_CREDENTIAL,
} from '../../user-store/selection/user-where.js';
import type { UserFilter } from './user-filter.dto.js';

/**
 * All conditions of a filter except its search.
 *
 * @throws ManagementError for a credential from an API token that must not see any, because it could try out which there are
 */
export function filtered(actor: Actor, filter: UserFilter): UserWhere {
  if (filter.proxy_id && seesNoSecrets(actor)) throw new ManagementError('API_TOKEN_SECRETS');
  return scopeOf(actor)
    .and('users.username = ANY (?::text[])', filter.username)
    .and(`users.admin_id IN (${ADMIN_IDS_OF_NAMES})`, filter.admin)
    .and(IN_GROUPS, filter.group)
    .and('users.status = ANY (?::text[])', filter.status)
    .and(WITH_CREDENTIAL, filter.proxy_id ? credentialTexts(filter.proxy_id) : undefined);
}

/** The search of a filter, as a condition on the rows of `user_searches`. */
export const searched = (actor: Actor, { search }: UserFilter): UserWhere =>
  new UserWhere().and(seesNoSecrets(actor) ? SEARCHED_SHOWN : SEARCHED, search ? containing(search) : undefined);

/** All conditions of a filter. */
export function whereOf(actor: Actor, filter: UserFilter): UserCondition {
  const found = seesNoSecrets(actor) ? FOUND_BY_SEARCH_SHOWN : FOUND_BY_SEARCH;
  return filtered(actor, filter).and(found, filter.search ? containing(filter.search) : undefined);
}
