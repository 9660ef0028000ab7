import type { JsonObject } from '@rampart/core-config';

/**
 * Renames the members of an object by a table; members that are not in the table are dropped. Numbers become texts, because
 * mihomo expects ranges, but for the members in `numbers`.
 */
export function renameMembers(
  members: JsonObject,
  names: ReadonlyMap<string, string>,
  numbers: readonly string[] = [],
): object {
  const entries = Object.entries(members).flatMap(([key, value]) => {
    const name = names.get(key);
    if (name === undefined) return [];
    return [[name, typeof value === 'number' && !numbers.includes(key) ? String(value) : value]];
  });
  return Object.fromEntries(entries);
}
