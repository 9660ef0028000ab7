import { isDeepStrictEqual } from 'node:util';
import { hasSecretMember, masked, maskedEntirely, reverseDomains } from './mask.js';
import { type Place, placeBelow, TOP } from './place.js';

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

/** How many changes are shown in full, and how many with shorter values. */
const MANY_CHANGES = 200;
const MOST_CHANGES = 1_000;
const MAX_VALUE_LENGTH = 2_000;
const SHORT_VALUE_LENGTH = 400;
const MAX_PATH_LENGTH = 300;

/** A member whose value has changed, or lies above such members. */
interface Change {
  readonly path: string;
  readonly place: Place;
  readonly before: unknown;
  readonly after: unknown;
  readonly isSecret: boolean;
  /** The changed members. Empty: the value is shown as a whole. */
  readonly members: readonly Change[];
  /** How many values have changed in it. */
  readonly values: number;
}

/**
 * What differs between two objects, with secrets masked, and shortened to the maximum size of an entry. No change is left out:
 * where there are too many, members with the most of them are shown as a whole, so that many small ones hide no other.
 */
export function difference(before: object | undefined, after: object | undefined): Difference {
  const [old, now] = [plain(before), plain(after)];
  const change = changeOf({ path: '', place: TOP, isSecret: false }, old, now);
  if (!change) return {};
  const domains = new Set([...reverseDomains(old), ...reverseDomains(now)]);
  const length = change.values > MANY_CHANGES ? SHORT_VALUE_LENGTH : MAX_VALUE_LENGTH;
  const found = new Map<string, Difference[string]>();
  for (const one of within(change, MOST_CHANGES)) {
    const path = beginning(one.path, MAX_PATH_LENGTH);
    // A name with dots looks like a path, and must not stand in the place of another change.
    const isOnly = path === one.path && path !== '' && !found.has(path);
    found.set(isOnly ? path : `${path}… (${found.size})`, shownChange(one, domains, length));
  }
  return Object.fromEntries(found);
}

type Where = Pick<Change, 'path' | 'place' | 'isSecret'>;

/** What has changed between two values; undefined when nothing has. */
function changeOf(where: Where, before: unknown, after: unknown): Change | undefined {
  const whole = { ...where, before, after, members: [], values: 1 };
  const [old, now] = [comparable(before, after), comparable(after, before)];
  if (where.isSecret || !old || !now || Array.isArray(old) !== Array.isArray(now))
    return isDeepStrictEqual(before, after) ? undefined : whole;
  const members: Change[] = [];
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const isSecret = hasSecretMember(where.place, old, name) || hasSecretMember(where.place, now, name);
    const path = where.path === '' ? name : `${where.path}.${name}`;
    const inner = { path, place: placeBelow(where.place, name), isSecret };
    const change = changeOf(inner, member(old, name), member(now, name));
    if (change) members.push(change);
  }
  if (members.length === 0) return undefined;
  return { ...whole, members, values: members.reduce((sum, { values }) => sum + values, 0) };
}

/** The value as it is compared member by member: what is new or gone is, where it is too long to be shown as a whole. */
function comparable(value: unknown, other: unknown): object | undefined {
  if (value === undefined && hasMembers(other) && JSON.stringify(other).length > MAX_VALUE_LENGTH)
    return Array.isArray(other) ? [] : {};
  if (other === undefined && hasMembers(value) && JSON.stringify(value).length <= MAX_VALUE_LENGTH) return undefined;
  return hasMembers(value) ? value : undefined;
}

/** Whether a value is compared member by member. A list of names is more readable as a whole. */
function hasMembers(value: unknown): value is object {
  return Array.isArray(value) ? value.some(hasMembers) : typeof value === 'object' && value !== null;
}

/** The changes in one, at most as many as given, of which each member has at least one: those with few are shown first. */
function* within(change: Change, most: number): Generator<Change> {
  const { members } = change;
  if (members.length === 0 || members.length > most) {
    yield change;
    return;
  }
  const shares = new Map<Change, number>();
  let [left, others] = [most, members.length];
  for (const one of [...members].sort((a, b) => a.values - b.values)) {
    const share = Math.min(one.values, Math.floor(left / others));
    shares.set(one, share);
    left -= share;
    others -= 1;
  }
  for (const one of members) yield* within(one, shares.get(one) ?? 1);
}

function shownChange(change: Change, domains: ReadonlySet<string>, length: number): Difference[string] {
  const { place, isSecret, values } = change;
  const [before, after] = withoutCommon(change);
  const side = (name: 'before' | 'after', value: unknown): Difference[string] => {
    // An absent value is omitted; it is not the same as null.
    if (value === undefined) return {};
    const shown = isSecret ? maskedEntirely(value) : masked(value, place, domains);
    return { [name]: short(shown, length, values) };
  };
  return { ...side('before', before), ...side('after', after) };
}

/** Of two long lists of names, those that only one of them has, so that the one in thousands is seen. */
function withoutCommon({ before, after }: Change): [unknown, unknown] {
  if (!isLongList(before) || !isLongList(after)) return [before, after];
  const [old, now] = [new Set(before), new Set(after)];
  const [gone, come] = [before.filter((name) => !now.has(name)), after.filter((name) => !old.has(name))];
  return gone.length + come.length === 0 ? [before, after] : [gone, come];
}

const isLongList = (value: unknown): value is unknown[] =>
  Array.isArray(value) && !hasMembers(value) && JSON.stringify(value).length > MAX_VALUE_LENGTH;

/** The first characters of a long value, and how long it is. */
function short(value: unknown, most: number, values: number): unknown {
  const text = JSON.stringify(value);
  if (text.length <= most) return value;
  const changes = values > 1 ? `, ${values} changes` : '';
  return `${beginning(text, SHORT_VALUE_LENGTH)}… (${text.length} characters${changes})`;
}

/** The database takes no half of a surrogate pair. */
const beginning = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

const member = (of: object, name: string): unknown => (Object.hasOwn(of, name) ? Reflect.get(of, name) : undefined);

/** The value as JSON represents it: dates are strings and undefined members are omitted. */
const plain = (value: object | undefined): unknown => JSON.parse(JSON.stringify(value ?? {}));
