import type { Actor } from '../../access/actor.js';
import { scopeOf, type UserCondition, UserWhere } from '../../user-store/user-where.js';
import type { UserFilter } from './user-filter.dto.js';

const OF_ADMINS = 'users.admin_id IN (SELECT id FROM admins WHERE username = ANY (?::text[]))';
const IN_GROUPS = 'users.id IN (SELECT user_id FROM user_groups WHERE group_id = ANY (?::integer[]))';
/** Not ILIKE: it and trigrams do not always agree on what the same letter is. */
const SEARCHED = 'user_searches.words LIKE lower(?)';
const WITH_CREDENTIAL = `users.id IN (
  SELECT user_id FROM user_proxy_settings WHERE user_credentials(proxy_settings) @> ARRAY[?::text])`;

/** All conditions of a filter but its search. */
export function filtered(actor: Actor, filter: UserFilter): UserWhere {
  return scopeOf(actor)
    .and('users.username = ANY (?::text[])', filter.username)
    .and(OF_ADMINS, filter.admin)
    .and(IN_GROUPS, filter.group)
    .and('users.status = ANY (?::text[])', filter.status)
    .and(WITH_CREDENTIAL, filter.proxy_id || undefined);
}

/** A condition on the rows of `user_searches`. */
export const searched = ({ search }: UserFilter): UserWhere =>
  new UserWhere().and(SEARCHED, search ? containing(search) : undefined);

export function whereOf(actor: Actor, filter: UserFilter): UserCondition {
  const found = `users.id IN (SELECT user_id FROM user_searches WHERE ${SEARCHED})`;
  return filtered(actor, filter).and(found, filter.search ? containing(filter.search) : undefined);
}

/** A pattern for LIKE that takes the text as it is. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
