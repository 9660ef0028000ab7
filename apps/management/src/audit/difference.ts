import { isDeepStrictEqual } from 'node:util';
import { hasSecretMember, masked, maskedEntirely, reverseDomains } from './mask.js';

/** Maps the path of each changed member, such as `config.inbounds.0.port`, to its value before and after the change. */
export type Difference = Record<
  string,
  {
    /** The value before the change. Absent when there was none. */
    before?: unknown;
    /** The value after the change. Absent when there is none. */
    after?: unknown;
  }
>;

const MAX_CHANGES = 200;
const MAX_VALUE_LENGTH = 2_000;

/** What differs between two objects, with secrets masked, and shortened to the maximum size of an entry. */
export function difference(before: object | undefined, after: object | undefined): Difference {
  const found: [string, { before?: unknown; after?: unknown }][] = [];
  const [old, now] = [plain(before), plain(after)];
  const domains = [...reverseDomains(old), ...reverseDomains(now)];
  for (const change of changes('', old, now, (path, value) => masked(path, value, domains))) {
    if (found.length === MAX_CHANGES) {
      found.push(['…', { after: `more than ${MAX_CHANGES} changes` }]);
      break;
    }
    found.push(change);
  }
  return Object.fromEntries(found);
}

function* changes(
  path: string,
  before: unknown,
  after: unknown,
  show: (path: string, value: unknown) => unknown,
): Generator<[string, Difference[string]]> {
  if (isDeepStrictEqual(before, after)) return;
  if (show === hide || !hasMembers(before) || !hasMembers(after) || Array.isArray(before) !== Array.isArray(after)) {
    yield [path, { ...shown('before', show(path, before)), ...shown('after', show(path, after)) }];
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const isSecret = hasSecretMember(path, before, name) || hasSecretMember(path, after, name);
    const place = path === '' ? name : `${path}.${name}`;
    yield* changes(place, member(before, name), member(after, name), isSecret ? hide : show);
  }
}

/** Whether a value is compared member by member. A list of names is more readable as a whole. */
function hasMembers(value: unknown): value is object {
  return Array.isArray(value) ? value.some(hasMembers) : typeof value === 'object' && value !== null;
}

const hide = (_path: string, value: unknown): unknown => maskedEntirely(value);

/** An absent value is omitted; it is not the same as null. */
function shown(side: 'before' | 'after', value: unknown): Difference[string] {
  return value === undefined ? {} : { [side]: short(value) };
}

function short(value: unknown): unknown {
  const { length } = JSON.stringify(value);
  return length > MAX_VALUE_LENGTH ? `… (${length} characters)` : value;
}

const member = (of: object, name: string): unknown => (Object.hasOwn(of, name) ? Reflect.get(of, name) : undefined);

/** The value as JSON represents it: dates are strings and undefined members are omitted. */
const plain = (value: object | undefined): unknown => JSON.parse(JSON.stringify(value ?? {}));
