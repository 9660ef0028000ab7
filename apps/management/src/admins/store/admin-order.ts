import { sortPattern } from '../../validation/sort-keys.js';

/** The keys by which a list of admins can be sorted. */
const ORDERS: ReadonlyMap<string, string> = new Map([
  ['username', 'admins.username'],
  ['created_at', 'admins.created_at'],
  ['used_traffic', 'admins.used_traffic'],
]);

export const ADMIN_SORT = sortPattern(ORDERS.keys());

/** SQL: the order that `sort` asks for, such as `-used_traffic,username`; ids decide between equals. */
export function adminOrderBy(sort = ''): string {
  const terms = sort.split(',').flatMap((key) => {
    const column = ORDERS.get(key.replace(/^-/, ''));
    return column ? [`${column} ${key.startsWith('-') ? 'DESC' : 'ASC'}`] : [];
  });
  return [...terms, 'admins.id'].join(', ');
}
