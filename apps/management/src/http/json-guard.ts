const MAX_DEPTH = 100;
/** Some of what handles objects takes time by the square of their members. */
const MAX_MEMBERS = 10_000;
/** Merged into another object by anybody, these would change its prototype. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
/** NUL and halves of surrogate pairs: no text column takes them. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

interface Place {
  value: unknown;
  name: string;
  parent: Place | undefined;
  depth: number;
}

/**
 * What makes a parsed JSON value dangerous to keep, as the dotted path of the place and a sentence; nothing for nearly
 * all. Without recursion, because the nesting is what it guards against.
 */
export function jsonProblem(value: unknown): { path: string; problem: string } | undefined {
  const places: Place[] = [{ value, name: '', parent: undefined, depth: 0 }];
  for (let place = places.pop(); place; place = places.pop()) {
    const problem = problemOf(place);
    if (problem) return { path: pathOf(place), problem };
    if (typeof place.value !== 'object' || place.value === null) continue;
    const members = Object.entries(place.value);
    if (members.length > MAX_MEMBERS && !Array.isArray(place.value)) {
      return { path: pathOf(place), problem: `has more than ${MAX_MEMBERS} members` };
    }
    for (const [name, member] of members) {
      // Only what can hold a problem is visited: a number under a plain name cannot.
      if (typeof member === 'string' || typeof member === 'object' || UNSTORABLE.test(name) || FORBIDDEN.has(name)) {
        places.push({ value: member, name, parent: place, depth: place.depth + 1 });
      }
    }
  }
  return undefined;
}

function problemOf({ value, name, depth }: Place): string | undefined {
  if (FORBIDDEN.has(name)) return 'is not allowed as a name';
  if (UNSTORABLE.test(name)) return 'has a name with a NUL character or half a surrogate pair';
  if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
  if (typeof value === 'string' && UNSTORABLE.test(value)) return 'contains a NUL character or half a surrogate pair';
  return undefined;
}

/** The first steps are enough to find the place, and nobody reads a hundred. */
function pathOf(place: Place): string {
  const names: string[] = [];
  for (let at: Place | undefined = place; at?.parent; at = at.parent) names.unshift(at.name);
  return names.length === 0 ? 'body' : names.slice(0, 10).join('.');
}
