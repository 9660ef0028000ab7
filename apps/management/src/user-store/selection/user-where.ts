import type { Actor } from '../../access/actor.js';

/** A condition on the rows of `users`, with its parameters from `$1` on. */
export interface UserCondition {
  sql: string;
  parameters: readonly unknown[];
}

/** Collects conditions that are joined by AND. Each has one parameter, written as `?`. */
export class UserWhere implements UserCondition {
  readonly parameters: unknown[] = [];
  private readonly conditions: string[] = [];

  /** Adds a condition, unless its value is undefined. */
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

/** The users whom an admin may see: all for a sudo admin, else its own. */
export const scopeOf = (actor: Actor): UserWhere =>
  new UserWhere().and('users.admin_id = ?', actor.isSudo ? undefined : actor.id);

/** SQL: users who belong to one of several groups, given by their ids. */
export const IN_GROUPS = 'users.id IN (SELECT user_id FROM user_groups WHERE group_id = ANY (?::integer[]))';
/** SQL: the condition of IN_GROUPS in a form that is faster after a narrow condition. */
export const HAS_ONE_OF_GROUPS = `EXISTS (SELECT FROM user_groups has
  WHERE has.user_id = users.id AND has.group_id = ANY (?::integer[]))`;
/** SQL: users who have a credential, which is a UUID or a password. */
export const WITH_CREDENTIAL = `users.id IN (
  SELECT user_id FROM user_proxy_settings WHERE user_credentials(proxy_settings) @> ARRAY[?::text])`;
/**
 * SQL: rows of `user_searches` that match a pattern. LIKE is used because ILIKE and trigrams differ on which letters
 * are the same letter in another case.
 */
export const SEARCHED = 'user_searches.words LIKE lower(?)';
/** SQL: users whom a search finds. */
export const FOUND_BY_SEARCH = `users.id IN (SELECT user_id FROM user_searches WHERE ${SEARCHED})`;

/** A pattern for SEARCHED that matches the text itself anywhere. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
