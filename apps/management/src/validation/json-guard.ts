/** Names that would change the prototype of an object into which they are merged. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
/** NUL and unpaired surrogates, which text columns do not accept. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

export interface JsonProblem {
  /** The dotted path. */
  path: string;
  problem: string;
}

/**
 * Finds what makes a parsed JSON value dangerous to store; undefined for nearly all values. The depth was checked in
 * its text.
 *
 * @param ofText a further check of texts
 */
export const jsonProblem = (value: unknown, ofText?: Checks['ofText']): JsonProblem | undefined =>
  problemIn(value, {
    ofText: (text) => (UNSTORABLE.test(text) ? 'contains a NUL character or half a surrogate pair' : ofText?.(text)),
    ofName: (name) => {
      if (FORBIDDEN.has(name)) return 'is not allowed as a name';
      return UNSTORABLE.test(name) ? 'has a name with a NUL character or half a surrogate pair' : undefined;
    },
  });

/** Finds a number that differs from the sent one, because JavaScript rounded it. */
export const inexactNumber = (value: unknown): JsonProblem | undefined =>
  problemIn(value, {
    ofNumber: (number) =>
      Math.abs(number) > Number.MAX_SAFE_INTEGER ? 'has more digits than a number keeps' : undefined,
  });

/** Checks of names and values; each returns what is wrong, or undefined. */
interface Checks {
  ofText?(text: string): string | undefined;
  ofNumber?(number: number): string | undefined;
  ofName?(name: string): string | undefined;
}

/** A problem with the names that lead to it. */
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
