import { isJsonObject, type JsonObject } from '@rampart/core-config';
import { NodeError } from '../../../errors/node-error.js';

export { isJsonObject as isObject, type JsonObject };

/** Throws CONFIG_REFUSED: the configuration is wrong, and the running engine is not affected. */
export function refuse(problem: string, cause?: unknown): never {
  throw new NodeError('CONFIG_REFUSED', problem, { cause });
}

/** Returns the object under a key, an empty one where there is none. CONFIG_REFUSED for anything else. */
export function objectAt(parent: JsonObject, key: string, path: string): JsonObject {
  const value = parent[key];
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) refuse(`${path} must be an object`);
  return value;
}

/** Returns the objects in the list under a key, none where there is no list. CONFIG_REFUSED for anything else. */
export function objectsAt(parent: JsonObject, key: string, path: string): JsonObject[] {
  const value = parent[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) refuse(`${path} must be a list`);
  return value.map((item: unknown, index) =>
    isJsonObject(item) ? item : refuse(`${path}[${index}] must be an object`),
  );
}

/** Returns the text under a key, an empty one for anything else. */
export function textAt(parent: JsonObject, key: string): string {
  const value = parent[key];
  return typeof value === 'string' ? value : '';
}

/** Returns a string list as the engine reads it: a list, in which null is an empty text, or one text with commas. */
export function textsAt(parent: JsonObject, key: string): string[] {
  const value = parent[key];
  if (typeof value === 'string') return value.split(',').map((text) => text.trim());
  if (!Array.isArray(value)) return [];
  return value.map((text: unknown) => text ?? '').filter((text) => typeof text === 'string');
}

export interface FoundText {
  readonly path: string;
  /** The key of the object that has the text, or the list with it; empty for the name of a key. */
  readonly key: string;
  readonly text: string;
}

/** Yields every text in a value, with texts split at their commas, and the name of every key. */
export function* textsIn(value: unknown, path = '', key = ''): Generator<FoundText> {
  if (typeof value === 'string') {
    for (const text of value.split(',')) yield { path, key, text };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const itemPath = `${path}[${index}]`;
      if (typeof item === 'string') yield { path: itemPath, key, text: item };
      else yield* textsIn(item, itemPath, key);
    }
  } else if (isJsonObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      const itemPath = path === '' ? name : `${path}.${name}`;
      yield { path: itemPath, key: '', text: name };
      yield* textsIn(item, itemPath, name);
    }
  }
}
