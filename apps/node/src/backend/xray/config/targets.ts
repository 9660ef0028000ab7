import { foldCase } from '@rampart/core-config';
import { isObject, type Json, type JsonObject, objectsAt, refuse, textAt, textsAt } from './json-tree.js';

/** Tags of everything that a connection can leave by. */
export type Outbounds = ReadonlySet<string>;

/** Through which other outbound an outbound connects. */
interface Link {
  readonly path: string;
  readonly tag: string;
}

/** CONFIG_REFUSED for a rule to an outbound that does not exist: the engine would start and drop what it matches. */
export function checkRuleTargets(routing: JsonObject, known: Outbounds): void {
  for (const [index, rule] of objectsAt(routing, 'rules', 'routing.rules').entries()) {
    checkKnown(`routing.rules[${index}]`, textAt(rule, 'outboundTag'), known);
  }
}

/**
 * CONFIG_REFUSED for balancers that lead astray: to an outbound that does not exist, or, because there is none to pick,
 * to the first one of all, past what their rules say.
 */
export function checkBalancers(routing: JsonObject, known: Outbounds): void {
  const rules = objectsAt(routing, 'rules', 'routing.rules');
  for (const [index, balancer] of objectsAt(routing, 'balancers', 'routing.balancers').entries()) {
    const path = `routing.balancers[${index}]`;
    const fallback = textAt(balancer, 'fallbackTag');
    checkKnown(`${path}.fallbackTag`, fallback, known);
    const used = rules.some(
      (rule) => !textAt(rule, 'outboundTag') && textAt(rule, 'balancerTag') === textAt(balancer, 'tag'),
    );
    if (used && fallback === '' && !picksAny(textsAt(balancer, 'selector'), known)) {
      refuse(
        `${path}.selector picks no outbound: what its rules match would leave by the first one; there are ${list(known)}`,
      );
    }
  }
}

/** CONFIG_REFUSED for an observatory with nothing to look at: the engine would look without a pause. */
export function checkObserved(observatory: JsonObject, known: Outbounds): void {
  if (observatory['enableConcurrency'] === true || picksAny(textsAt(observatory, 'subjectSelector'), known)) return;
  refuse(
    `observatory.subjectSelector picks no outbound: the engine would look for one without a pause; there are ${list(known)}`,
  );
}

/**
 * CONFIG_REFUSED for an outbound that connects through one that does not exist: it would reach nothing; or, by whatever
 * way, through itself: a single connection would make the engine grow until it ends.
 */
export function checkChains(outbounds: readonly JsonObject[], known: Outbounds): void {
  const links = new Map<string, readonly Link[]>();
  for (const [index, outbound] of outbounds.entries()) {
    const found = [...linksIn(outbound, `outbounds[${index}]`)];
    for (const { path, tag } of found) checkKnown(path, tag, known);
    const tag = textAt(outbound, 'tag');
    if (tag !== '') links.set(tag, found);
  }
  for (const tag of links.keys()) checkCircle(tag, links);
}

function checkCircle(start: string, links: ReadonlyMap<string, readonly Link[]>): void {
  const seen = new Set<string>();
  const open = [...(links.get(start) ?? [])];
  for (const { path, tag } of open) {
    if (tag === start) refuse(`${path}: "${tag}" would connect through itself, without end`);
    if (seen.has(tag)) continue;
    seen.add(tag);
    // A list's walk also comes to what is added on the way.
    open.push(...(links.get(tag) ?? []));
  }
}

/** Whatever connects, at any depth: transports have transports of their own. */
function* linksIn(value: Json | undefined, path: string): Generator<Link> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* linksIn(item, `${path}[${index}]`);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const itemPath = `${path}.${key}`;
      yield* linkAt(item, itemPath, LINKS.get(foldCase(key)));
      yield* linksIn(item, itemPath);
    }
  }
}

/** Names of the object and of the key in it that has the tag, as the engine compares them. */
const LINKS = new Map([
  ['sockopt', 'dialerproxy'],
  ['echsockopt', 'dialerproxy'],
  ['proxysettings', 'tag'],
]);

function* linkAt(value: Json | undefined, path: string, wanted: string | undefined): Generator<Link> {
  if (wanted === undefined || !isObject(value)) return;
  for (const key of Object.keys(value).filter((name) => foldCase(name) === wanted)) {
    const tag = textAt(value, key);
    if (tag !== '') yield { path: `${path}.${key}`, tag };
  }
}

/** A selector picks every outbound whose tag begins with it. */
function picksAny(selectors: readonly string[], known: Outbounds): boolean {
  return [...known].some((tag) => selectors.some((selector) => tag.startsWith(selector)));
}

function checkKnown(path: string, tag: string, known: Outbounds): void {
  if (tag === '' || known.has(tag)) return;
  refuse(`${path}: there is no outbound "${tag}"; there are ${list(known)}`);
}

function list(names: Outbounds): string {
  return names.size === 0 ? 'none with a tag' : [...names].map((name) => `"${name}"`).join(', ');
}
