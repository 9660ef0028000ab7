import { sortPattern } from '../../validation/sort-keys.js';

/**
 * The keys by which a list of users can be sorted. Unlimited users sort after every limit; users who were never edited
 * or never seen sort before every moment.
 */
const ORDERS: ReadonlyMap<string, { expression: string; nulls?: 'first' }> = new Map([
  ['username', { expression: 'users.username' }],
  ['used_traffic', { expression: 'users.used_traffic' }],
  ['data_limit', { expression: 'nullif(users.data_limit, 0)' }],
  ['expire', { expression: 'users.expire' }],
  ['created_at', { expression: 'users.created_at' }],
  ['edit_at', { expression: 'users.edit_at', nulls: 'first' }],
  ['online_at', { expression: 'users.online_at', nulls: 'first' }],
]);

export const USER_SORT = sortPattern(ORDERS.keys());

/**
 * SQL: the order that `sort` asks for, such as `-expire,username`. Ids decide between equals, in the direction of the last
 * key, so that one index can give the whole order forwards or backwards; after a name, which is unique, nothing is left
 * to decide, and PostgreSQL would sort anyway.
 */
export function orderBy(sort = ''): string {
  const keys = sort ? sort.split(',') : [];
  const terms = keys.flatMap((key) => {
    const order = ORDERS.get(nameOf(key));
    return order ? [`${order.expression} ${direction(key)}${nulls(key, order.nulls)}`] : [];
  });
  const isDecided = keys.some((key) => nameOf(key) === 'username');
  return [...terms, ...(isDecided ? [] : [`users.id ${direction(keys.at(-1) ?? '')}`])].join(', ');
}

/** The sort that gives the same list from its end. */
export function reversed(sort = ''): string {
  return sort ? sort.split(',').map(opposite).join(',') : '-id';
}

const opposite = (key: string): string => (key.startsWith('-') ? key.slice(1) : `-${key}`);

const nameOf = (key: string): string => (key.startsWith('-') ? key.slice(1) : key);
const direction = (key: string): string => (key.startsWith('-') ? 'DESC' : 'ASC');

/** PostgreSQL sorts null as the largest value. */
function nulls(key: string, place: 'first' | undefined): string {
  if (place === undefined) return '';
  return key.startsWith('-') ? ' NULLS LAST' : ' NULLS FIRST';
}
