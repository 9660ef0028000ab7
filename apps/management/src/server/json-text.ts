import type { JsonProblem } from '../validation/json-guard.js';

const MAX_DEPTH = 100;
/** Some of what handles objects takes time by the square of their members. */
const MAX_MEMBERS = 10_000;
/** Of objects and lists, empty ones too: JSON.parse takes a second for each million. */
const MAX_VALUES = 500_000;

/** An object or list that is open while the text is read; only objects have names. */
interface Level {
  isObject: boolean;
  /** The name that was read last; in a list, the place. */
  at: string | number | undefined;
  /** Only of an object with more than one. */
  names?: Set<string>;
  nameIsNext: boolean;
}

/**
 * What can be seen before anything is made of a text: nesting and numbers that would hold the process, and a name that an
 * object has twice, where one reader takes the first and another the last, and `JSON.parse` is silent.
 *
 * @throws SyntaxError for some texts that are no JSON; others pass.
 */
export function jsonTextProblem(text: string): JsonProblem | undefined {
  const levels: Level[] = [];
  let level: Level | undefined;
  let values = 0;
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
        if (++values > MAX_VALUES) return { path: 'body', problem: `has more than ${MAX_VALUES} objects and lists` };
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
        if (level?.isObject) level.nameIsNext = true;
        else if (typeof level?.at === 'number') level.at += 1;
        break;
    }
  }
  return undefined;
}

/** Takes a name into its object, or says why not. */
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

/** Where the string that begins at `start` ends: at a quotation mark with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** As it is meant: `"\u0061"` is `a`. */
function nameOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? String(JSON.parse(text.slice(start, end + 1))) : raw;
}

/** The first steps are enough to find the place, and nobody reads a hundred. */
const pathOf = (levels: readonly Level[]): string =>
  levels.length === 0
    ? 'body'
    : levels
        .slice(0, 10)
        .map(({ at }) => at)
        .join('.');
