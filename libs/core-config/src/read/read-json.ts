import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { UnreadableCoreConfigError } from './core-config-error.js';
import { isJsonObject, type JsonObject } from './json-cursor.js';

/** Levels of objects and lists; bodies of requests have the same limit. */
const MAX_DEPTH = 100;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads a configuration from an object, or from JSON text that may have the engine's comments (`//`, `#`, block comments).
 * When an object has a key twice in the same spelling, the last one counts, as it does for the engine.
 *
 * @returns an object that is safe to walk: at most 100 levels deep, without keys that reach into prototypes
 * @throws UnreadableCoreConfigError with the line and column of the mistake, without quoting the text
 */
export function readJson(config: unknown): JsonObject {
  const value = typeof config === 'string' ? parseText(config) : config;
  if (!isJsonObject(value)) throw new UnreadableCoreConfigError('config must be a JSON object', '');
  checkTree(value);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Most texts have no comments, so comments are removed only from a text that is not plain JSON.
  }
  const json = blankComments(text);
  try {
    return JSON.parse(json);
  } catch {
    throw new UnreadableCoreConfigError(`config is not valid JSON: ${firstSyntaxError(json)}`, '');
  }
}

/**
 * Replaces comments by spaces, so that positions in the text stay the same. jsonc-parser is recursive and would overflow
 * the stack on a deep text, and a regular expression would on a long one.
 */
function blankComments(text: string): string {
  const start = /"|#|\/[/*]/g;
  let json = '';
  let kept = 0;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const [token] = match;
    start.lastIndex = token === '"' ? stringEnd(text, start.lastIndex) : commentEnd(text, token, start.lastIndex);
    if (token === '"') continue;
    json += text.slice(kept, match.index) + blank(text.slice(match.index, start.lastIndex));
    kept = start.lastIndex;
  }
  return json + text.slice(kept);
}

function blank(comment: string): string {
  // A regular expression would need a stack as deep as a line is long.
  return comment
    .split('\n')
    .map((line) => ' '.repeat(line.length))
    .join('\n');
}

/** Returns the position behind the closing quote; an unclosed string runs to the end of the text. */
function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function commentEnd(text: string, token: string, from: number): number {
  const mark = token === '/*' ? '*/' : '\n';
  const end = text.indexOf(mark, from);
  if (end < 0) return text.length;
  return token === '/*' ? end + mark.length : end;
}

function firstSyntaxError(json: string): string {
  const errors: ParseError[] = [];
  try {
    parse(json, errors, { disallowComments: true });
  } catch {
    // The parser that finds the mistake is recursive: a very deep text exhausts its stack.
    return 'it is nested too deeply';
  }
  const [first] = errors;
  if (first === undefined) return 'it cannot be read';
  const before = json.slice(0, first.offset).split('\n');
  const words = printParseErrorCode(first.error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${words}`;
}

/** A value to check, with the parts of its path, which are only joined for an error. */
interface Visit {
  readonly value: unknown;
  readonly key: string;
  readonly parent: Visit | undefined;
  readonly depth: number;
}

function checkTree(root: JsonObject): void {
  const open: Visit[] = [{ value: root, key: '', parent: undefined, depth: 1 }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { value, depth } = visit;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) throw new UnreadableCoreConfigError(`config is nested deeper than ${MAX_DEPTH} levels`, '');
    const isList = Array.isArray(value);
    for (const [key, child] of Object.entries(value)) {
      if (!isList && FORBIDDEN_KEYS.has(key)) {
        throw new UnreadableCoreConfigError(`key "${key}" is not allowed`, pathOf(visit));
      }
      if (typeof child === 'object') open.push({ value: child, key, parent: visit, depth: depth + 1 });
    }
  }
}

function pathOf({ key, parent }: Visit): string {
  if (parent === undefined) return '';
  const path = pathOf(parent);
  if (Array.isArray(parent.value)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
