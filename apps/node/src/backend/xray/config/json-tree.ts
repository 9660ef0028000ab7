import { foldCase } from '@rampart/core-config';
import { NodeError } from '../../../errors/node-error.js';
import { isReserved, RESERVED_PREFIX } from '../reserved.js';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** Deeper than any configuration, far from the end of our own stack. */
const MAX_DEPTH = 100;

export function refuse(problem: string, cause?: unknown): never {
  throw new NodeError('CONFIG_REFUSED', problem, { cause });
}

/** Reads JSON as the engine does, with its three kinds of comments. CONFIG_REFUSED when it is not an object. */
export function parseTree(text: string): JsonObject {
  const tree = parseJson(text);
  if (!isObject(tree)) refuse('the configuration is not a JSON object');
  inspect(tree, '', 0);
  return tree;
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    // Most configurations have no comments: only the others pay for taking them out.
  }
  try {
    return JSON.parse(withoutComments(text));
  } catch (error) {
    // The parser quotes what it could not read, which may be a key: only the place is told.
    const place = /line \d+ column \d+|position \d+/.exec(error instanceof Error ? error.message : '')?.[0];
    return refuse(`the configuration is not JSON${place === undefined ? '' : ` (${place})`}`);
  }
}

/** With blanks in their place, so that an error's place is the one in the text. One pass, whatever the text is. */
function withoutComments(text: string): string {
  const token = /"|#|\/\/|\/\*/g;
  let result = '';
  let kept = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '"') {
      token.lastIndex = endOfString(text, token.lastIndex);
      continue;
    }
    const [mark, length] = found[0] === '/*' ? ['*/', 2] : ['\n', 0];
    const end = text.indexOf(mark, token.lastIndex);
    token.lastIndex = end < 0 ? text.length : end + length;
    result += text.slice(kept, found.index) + text.slice(found.index, token.lastIndex).replaceAll(/[^\n]/g, ' ');
    kept = token.lastIndex;
  }
  return result + text.slice(kept);
}

function endOfString(text: string, from: number): number {
  const token = /\\.|"/gs;
  token.lastIndex = from;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '"') return token.lastIndex;
  }
  return text.length;
}

/** Refuses what must not be in a configuration anywhere. */
function inspect(value: Json | undefined, path: string, depth: number): void {
  if (depth > MAX_DEPTH) refuse(`the configuration is nested deeper than ${MAX_DEPTH} levels`);
  // The engine takes many a text for a list with commas.
  if (typeof value === 'string' && value.split(',').some((text) => isReserved(text.trim()))) {
    refuse(`${path} begins with "${RESERVED_PREFIX}", which is reserved for the node`);
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) inspect(item, `${path}[${index}]`, depth + 1);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (key === '__proto__') refuse(`${path === '' ? 'the configuration' : path} has a key "__proto__"`);
      inspect(value[key], path === '' ? key : `${path}.${key}`, depth + 1);
    }
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Gives keys that the engine would recognise in another case the spelling that we look for. CONFIG_REFUSED when a key
 * is there twice: the engine would mix both, and one of them would escape our rules.
 */
export function spellKeys(object: JsonObject, names: readonly string[], path: string): JsonObject {
  const wanted = new Map(names.map((name) => [foldCase(name), name]));
  const spelled: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const name = wanted.get(foldCase(key)) ?? key;
    if (Object.hasOwn(spelled, name)) refuse(`${path} has "${name}" twice, in different spellings`);
    spelled[name] = value;
  }
  return spelled;
}

/** The object under a key; an empty one where there is none. CONFIG_REFUSED for anything else. */
export function objectAt(parent: JsonObject, key: string, path: string): JsonObject {
  const value = parent[key];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) refuse(`${path} must be an object`);
  return value;
}

/** The objects in the list under a key; none where there is no list. CONFIG_REFUSED for anything else. */
export function objectsAt(parent: JsonObject, key: string, path: string): JsonObject[] {
  const value = parent[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) refuse(`${path} must be a list`);
  return value.map((item, index) => (isObject(item) ? item : refuse(`${path}[${index}] must be an object`)));
}

export function textAt(parent: JsonObject, key: string): string {
  const value = parent[key];
  return typeof value === 'string' ? value : '';
}

/** The engine's string list: a list, in which null is an empty text, or one text with commas. */
export function textsAt(parent: JsonObject, key: string): string[] {
  const value = parent[key];
  if (typeof value === 'string') return value.split(',').map((text) => text.trim());
  if (!Array.isArray(value)) return [];
  return value.map((text) => text ?? '').filter((text) => typeof text === 'string');
}

export interface FoundText {
  readonly path: string;
  /** Of the object that has the text, or the list with it. */
  readonly key: string;
  readonly text: string;
}

/** Every text below, and every name of a key, with lists in one text taken apart. */
export function* textsIn(value: Json | undefined, path = '', key = ''): Generator<FoundText> {
  if (typeof value === 'string') {
    for (const text of value.split(',')) yield { path, key, text };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const itemPath = `${path}[${index}]`;
      if (typeof item === 'string') yield { path: itemPath, key, text: item };
      else yield* textsIn(item, itemPath, key);
    }
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      const itemPath = path === '' ? name : `${path}.${name}`;
      yield { path: itemPath, key: '', text: name };
      yield* textsIn(item, itemPath, name);
    }
  }
}
