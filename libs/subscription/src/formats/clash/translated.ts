import type { JsonObject } from '@rampart/core-config';

/** Ranges are texts for mihomo; a number is taken for one where it belongs. */
export function translated(
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
