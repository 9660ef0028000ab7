import type { Actor } from '../auth/actor.js';
import type { UserFilter } from './user-filter.dto.js';

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
const SEARCHED = '(lower(users.username) LIKE lower(?) OR lower(users.note) LIKE lower(?))';
const WITH_CREDENTIAL = `(users.proxy_settings @> jsonb_build_object('vmess', jsonb_build_object('id', ?::text))
  OR users.proxy_settings @> jsonb_build_object('vless', jsonb_build_object('id', ?::text))
  OR users.proxy_settings @> jsonb_build_object('trojan', jsonb_build_object('password', ?::text))
  OR users.proxy_settings @> jsonb_build_object('shadowsocks', jsonb_build_object('password', ?::text)))`;

export function whereOf(actor: Actor, filter: UserFilter): UserCondition {
  return scopeOf(actor)
    .and('users.username = ANY (?::text[])', filter.username)
    .and(OF_ADMINS, filter.admin)
    .and(IN_GROUPS, filter.group)
    .and('users.status = ANY (?::text[])', filter.status)
    .and(SEARCHED, filter.search ? containing(filter.search) : undefined)
    .and(WITH_CREDENTIAL, filter.proxy_id || undefined);
}

/** A pattern for LIKE that takes the text as it is. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
