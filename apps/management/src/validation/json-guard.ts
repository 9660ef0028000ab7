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
export const jsonProblem = (value: unknown): JsonProblem | undefined =>
  problemIn(value, {
    ofText: (text) => (UNSTORABLE.test(text) ? 'contains a NUL character or half a surrogate pair' : undefined),
    ofName: (name) => {
      if (FORBIDDEN.has(name)) return 'is not allowed as a name';
      return UNSTORABLE.test(name) ? 'has a name with a NUL character or half a surrogate pair' : undefined;
    },
  });

/** A number that is not the one that was sent, because JavaScript rounds it. */
export const inexactNumber = (value: unknown): JsonProblem | undefined =>
  problemIn(value, {
    ofNumber: (number) =>
      Math.abs(number) > Number.MAX_SAFE_INTEGER ? 'has more digits than a number keeps' : undefined,
  });

/** Each answers what is wrong with one, nothing where all is well. */
interface Checks {
  ofText?(text: string): string | undefined;
  ofNumber?(number: number): string | undefined;
  ofName?(name: string): string | undefined;
}

/** A problem, and by which names one comes to it. */
interface Found {
  names: (string | number)[];
  problem: string;
}

function problemIn(value: unknown, checks: Checks): JsonProblem | undefined {
  const found = find(value, checks);
  return found && { path: found.names.slice(0, 10).join('.') || 'body', problem: found.problem };
}

function find(value: unknown, checks: Checks): Found | undefined {
  if (typeof value === 'string') return here(checks.ofText?.(value));
  if (typeof value === 'number') return here(checks.ofNumber?.(value));
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? findInList(value, checks) : findInObject(value, checks);
}

function findInList(list: readonly unknown[], checks: Checks): Found | undefined {
  for (let index = 0; index < list.length; index++) {
    const found = find(list[index], checks);
    if (found) return under(index, found);
  }
  return undefined;
}

function findInObject(object: object, checks: Checks): Found | undefined {
  for (const name of Object.keys(object)) {
    const found = here(checks.ofName?.(name)) ?? find(Reflect.get(object, name), checks);
    if (found) return under(name, found);
  }
  return undefined;
}

const here = (problem: string | undefined): Found | undefined =>
  problem === undefined ? undefined : { names: [], problem };
const under = (name: string | number, { names, problem }: Found): Found => ({ names: [name, ...names], problem });
