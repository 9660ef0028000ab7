import { foldCase } from '@rampart/core-config';
import { isObject, type JsonObject } from '../json-tree.js';

/** The value of a key in any case, as the engine reads it: the last one counts. */
export function valueAt(object: JsonObject, key: string): unknown {
  const wanted = foldCase(key);
  return Object.entries(object).findLast(([name]) => foldCase(name) === wanted)?.[1];
}

/** The object at a key in any case; an empty one where there is none. */
export function innerAt(object: JsonObject, key: string): JsonObject {
  const value = valueAt(object, key);
  return isObject(value) ? value : {};
}

/** The text at a key in any case; an empty one for anything else. */
export function wordAt(object: JsonObject, key: string): string {
  const value = valueAt(object, key);
  return typeof value === 'string' ? value : '';
}

/** The object with these members in place of those whose keys differ in case alone. */
export function withMembers(object: JsonObject, members: JsonObject): JsonObject {
  const folded = new Set(Object.keys(members).map(foldCase));
  const kept = Object.entries(object).filter(([name]) => !folded.has(foldCase(name)));
  return { ...Object.fromEntries(kept), ...members };
}
