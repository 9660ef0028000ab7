/** Merged into another object by anybody, these would change its prototype. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
/** NUL and halves of surrogate pairs: no text column takes them. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

export interface JsonProblem {
  /** Dotted. */
  path: string;
  problem: string;
}

/** What makes a parsed JSON value dangerous to keep; nothing for nearly all. How deep it is, its text has shown. */
export function jsonProblem(value: unknown): JsonProblem | undefined {
  const found = find(value, 0);
  return found && { path: found.names.slice(0, 10).join('.') || 'body', problem: found.problem };
}

/** A problem, and by which names one comes to it. */
interface Found {
  names: (string | number)[];
  problem: string;
}

function find(value: unknown, depth: number): Found | undefined {
  if (typeof value === 'string') {
    return UNSTORABLE.test(value) ? here('contains a NUL character or half a surrogate pair') : undefined;
  }
  if (typeof value === 'number') {
    // The members of the body itself have rules of their own, with better sentences.
    const isInexact = depth > 1 && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return isInexact ? here('has more digits than a number keeps') : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? findInList(value, depth) : findInObject(value, depth);
}

function findInList(list: readonly unknown[], depth: number): Found | undefined {
  for (let index = 0; index < list.length; index++) {
    const found = find(list[index], depth + 1);
    if (found) return under(index, found);
  }
  return undefined;
}

function findInObject(object: object, depth: number): Found | undefined {
  for (const name of Object.keys(object)) {
    const found = findInName(name) ?? find(Reflect.get(object, name), depth + 1);
    if (found) return under(name, found);
  }
  return undefined;
}

function findInName(name: string): Found | undefined {
  if (FORBIDDEN.has(name)) return here('is not allowed as a name');
  return UNSTORABLE.test(name) ? here('has a name with a NUL character or half a surrogate pair') : undefined;
}

const here = (problem: string): Found => ({ names: [], problem });
const under = (name: string | number, { names, problem }: Found): Found => ({ names: [name, ...names], problem });
