import { DEFAULT_SHADOWSOCKS_METHOD } from '@rampart/domain';
import type { Actor } from '../../access/actor.js';
import { KEY_COLUMNS, keyColumns } from '../credentials/credential-columns.js';

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
/**
 * SQL: users who have a credential, given by `credentialTexts`. The keys find it by their indexes, except in the few rows
 * without them.
 */
export const WITH_CREDENTIAL = `users.id IN (
  SELECT settings.user_id FROM user_proxy_settings settings
  WHERE (settings.user_id IN (
      SELECT user_id FROM user_credential_keys
      WHERE ${KEY_COLUMNS.map((column, index) => `${column} = (?::text[])[${index + 2}]::uuid`).join(' OR ')}
      UNION ALL SELECT user_id FROM user_proxy_settings WHERE clashes IS DISTINCT FROM '{}'
    ))
    AND (?::text[])[1] = ANY (user_credentials(settings.proxy_settings)))`;

/** A UUID or a password, followed by the keys that it has as a credential of each kind. */
export const credentialTexts = (text: string): (string | null)[] => {
  const keys = keyColumns({
    vless: { id: text, flow: '' },
    vmess: { id: text },
    trojan: { password: text },
    shadowsocks: { password: text, method: DEFAULT_SHADOWSOCKS_METHOD },
  });
  return [text, ...KEY_COLUMNS.map((column) => keys[column])];
};

/**
 * SQL: rows of `user_searches` that match a pattern. LIKE is used because ILIKE and trigrams differ on which letters
 * are the same letter in another case.
 */
export const SEARCHED = 'user_searches.words LIKE lower(?)';
/** Every form of a text of which `masked` hides a part, and more; `u003f` is a question mark. Notes are in lower case here. */
const MASKED_IN_PART = String.raw`//.*@|:.+@|[\u003f&;].*=|(vmess|ss|ssr)://`;
/** SQL: the condition of SEARCHED without notes of which a part is masked, which a search would find letter by letter. */
export const SEARCHED_SHOWN = `${SEARCHED} AND (split_part(user_searches.words, chr(10), 1) LIKE lower(?)
  OR user_searches.words !~ '${MASKED_IN_PART}')`;
const found = (searched: string): string => `users.id IN (SELECT user_id FROM user_searches WHERE ${searched})`;
/** SQL: users whom a search finds. */
export const FOUND_BY_SEARCH = found(SEARCHED);
/** SQL: the users of FOUND_BY_SEARCH for SEARCHED_SHOWN. */
export const FOUND_BY_SEARCH_SHOWN = found(SEARCHED_SHOWN);

/** A pattern for SEARCHED that matches the text itself anywhere. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
