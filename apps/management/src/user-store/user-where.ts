import type { Actor } from '../access/actor.js';
import type { UserFilter } from '../users/list/user-filter.dto.js';

/** A condition on the rows of `users`, with its parameters from `$1` on. */
export interface UserCondition {
  sql: string;
  parameters: readonly unknown[];
}

/** Collects conditions that all hold; each may name its parameter once, as `?`. */
export class UserWhere implements UserCondition {
  readonly parameters: unknown[] = [];
  private readonly conditions: string[] = [];

  /** Nothing is added for a value that is not given. */
  and(condition: string, value: unknown): this {
    if (value === undefined) return this;
    this.parameters.push(value);
    this.conditions.push(condition.replaceAll('?', `$${this.parameters.length}`));
    return this;
  }

  get isEmpty(): boolean {
    return this.conditions.length === 0;
  }

  get sql(): string {
    return ['true', ...this.conditions].join(' AND ');
  }
}

/** The users that an admin may see: a plain admin its own. */
export const scopeOf = (actor: Actor): UserWhere =>
  new UserWhere().and('users.admin_id = ?', actor.isSudo ? undefined : actor.id);

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
