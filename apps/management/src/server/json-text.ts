import type { JsonProblem } from '../validation/json-guard.js';

const MAX_DEPTH = 100;
/** Maximum number of members of an object, because some libraries need quadratic time. */
const MAX_MEMBERS = 10_000;

/** Maximum numbers of what a text holds. JSON.parse takes a second per million objects, and checking them takes longer. */
export interface JsonLimits {
  /** Objects and lists, empty ones included. */
  readonly containers: number;
  /** Values of every kind. */
  readonly values: number;
}

/** An object or list that has begun but not ended; only objects have names. */
interface Level {
  isObject: boolean;
  /** The last name that was read, or the index in a list. */
  at: string | number | undefined;
  /** The names that were read; absent for objects with at most one. */
  names?: Set<string>;
  nameIsNext: boolean;
}

/**
 * Finds problems in the text of a document before it is parsed: nesting and counts that would block the process, and
 * duplicate names, of which parsers keep different ones.
 *
 * @throws SyntaxError for some texts that are not JSON; others pass
 */
export function jsonTextProblem(text: string, limits: JsonLimits): JsonProblem | undefined {
  const levels: Level[] = [];
  let level: Level | undefined;
  let containers = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        const problem = level?.nameIsNext ? enter(level, nameOf(text, at, end)) : undefined;
        if (problem === 'twice') return { path: pathOf(levels), problem: 'stands twice in its object' };
        if (problem === 'many') {
          return { path: pathOf(levels.slice(0, -1)), problem: `has more than ${MAX_MEMBERS} members` };
        }
        at = end;
        break;
      }
      case '{':
      case '[': {
        if (levels.length > MAX_DEPTH) {
          return { path: pathOf(levels), problem: `is nested deeper than ${MAX_DEPTH} levels` };
        }
        if (++containers > limits.containers)
          return { path: 'body', problem: `has more than ${limits.containers} objects and lists` };
        const isObject = text[at] === '{';
        level = { isObject, at: isObject ? undefined : 0, nameIsNext: isObject };
        levels.push(level);
        break;
      }
      case '}':
      case ']':
        levels.pop();
        level = levels.at(-1);
        break;
      case ',':
        // Each value is the first one of what it is in, or follows a comma.
        if (++commas + containers > limits.values)
          return { path: 'body', problem: `has more than ${limits.values} values` };
        if (level?.isObject) level.nameIsNext = true;
        else if (typeof level?.at === 'number') level.at += 1;
        break;
    }
  }
  return undefined;
}

/** Adds a name to its object, or returns why it is refused. */
function enter(level: Level, name: string): 'twice' | 'many' | undefined {
  const before = level.at;
  level.at = name;
  level.nameIsNext = false;
  if (before === undefined) return undefined;
  level.names ??= new Set([String(before)]);
  if (level.names.has(name)) return 'twice';
  level.names.add(name);
  return level.names.size > MAX_MEMBERS ? 'many' : undefined;
}

/** The end of the string that begins at `start`: a quotation mark after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** The name without escapes: `"\u0061"` is `a`. */
function nameOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? String(JSON.parse(text.slice(start, end + 1))) : raw;
}

/** The path of the problem, shortened to its first steps. */
const pathOf = (levels: readonly Level[]): string =>
  levels.length === 0
    ? 'body'
    : levels
        .slice(0, 10)
        .map(({ at }) => at)
        .join('.');
