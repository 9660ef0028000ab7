import { foldCase } from '@rampart/core-config';
import { isObject, refuse, textAt } from '../json-tree.js';
import { type Exits, type NodeConfig, OBSERVATORY } from '../node-config.js';
import { selectorTexts } from '../selectors.js';

/** A reference from an outbound to the outbound through which it connects. */
interface Link {
  readonly path: string;
  readonly tag: string;
}

/** Throws CONFIG_REFUSED for a rule to an outbound that does not exist: the engine would drop what the rule matches. */
export function checkRuleTargets({ rules, exits }: NodeConfig): void {
  for (const [index, rule] of rules.entries()) {
    checkKnown(`routing.rules[${index}]`, textAt(rule, 'outboundTag'), exits);
  }
}

/**
 * Throws CONFIG_REFUSED for a balancer whose fallback does not exist, or that selects no outbound: what its rules match
 * would leave through the first outbound of all.
 */
export function checkBalancers({ rules, balancers, exits }: NodeConfig): void {
  for (const [index, balancer] of balancers.entries()) {
    const path = `routing.balancers[${index}]`;
    const fallback = textAt(balancer, 'fallbackTag');
    checkKnown(`${path}.fallbackTag`, fallback, exits);
    const used = rules.some(
      (rule) => !textAt(rule, 'outboundTag') && textAt(rule, 'balancerTag') === textAt(balancer, 'tag'),
    );
    const selectors = selectorTexts(balancer, 'selector', [...exits.outbounds, ...exits.extra]);
    if (used && fallback === '' && !picksAny(selectors, exits)) {
      refuse(
        `${path}.selector picks no outbound: what its rules match would leave by the first one; there are ${list(exits)}`,
      );
    }
  }
}

/** Throws CONFIG_REFUSED for an observatory that selects no outbound: the engine would search for one without a pause. */
export function checkObserved({ observers, exits }: NodeConfig): void {
  const section = observers.find(({ key }) => key === OBSERVATORY)?.section;
  if (section === undefined || section['enableConcurrency'] === true) return;
  if (picksAny(selectorTexts(section, 'subjectSelector', exits.outbounds), exits)) return;
  refuse(
    `observatory.subjectSelector picks no outbound: the engine would look for one without a pause; there are ${list(exits)}`,
  );
}

/**
 * Throws CONFIG_REFUSED for an outbound that connects through a missing one, or directly or indirectly through itself: a
 * single connection would make the engine grow until it ends.
 */
export function checkChains({ outbounds, exits }: NodeConfig): void {
  const links = new Map<string, readonly Link[]>();
  for (const [index, outbound] of outbounds.entries()) {
    const found = [...linksIn(outbound, `outbounds[${index}]`)];
    for (const { path, tag } of found) checkKnown(path, tag, exits);
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
    // The loop also visits what is appended while it runs.
    open.push(...(links.get(tag) ?? []));
  }
}

/** Yields the references in a value at any depth: transports contain transports of their own. */
function* linksIn(value: unknown, path: string): Generator<Link> {
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

/** Keys of objects that refer to an outbound, each with the key inside that has the tag; both with their case folded. */
const LINKS = new Map([
  ['sockopt', 'dialerproxy'],
  ['echsockopt', 'dialerproxy'],
  ['proxysettings', 'tag'],
]);

function* linkAt(value: unknown, path: string, wanted: string | undefined): Generator<Link> {
  if (wanted === undefined || !isObject(value)) return;
  for (const key of Object.keys(value).filter((name) => foldCase(name) === wanted)) {
    const tag = textAt(value, key);
    if (tag !== '') yield { path: `${path}.${key}`, tag };
  }
}

/** Whether one of the selectors picks an outbound: a selector picks every outbound whose tag begins with it. */
function picksAny(selectors: readonly string[], exits: Exits): boolean {
  return [...exits.all].some((tag) => selectors.some((selector) => tag.startsWith(selector)));
}

function checkKnown(path: string, tag: string, exits: Exits): void {
  if (tag === '' || exits.all.has(tag)) return;
  refuse(`${path}: there is no outbound "${tag}"; there are ${list(exits)}`);
}

function list({ all }: Exits): string {
  return all.size === 0 ? 'none with a tag' : [...all].map((name) => `"${name}"`).join(', ');
}
