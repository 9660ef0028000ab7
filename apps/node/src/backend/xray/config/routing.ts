import { RESERVED_PREFIX } from '../reserved.js';
import {
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  refuse,
  spellKeys,
  textAt,
  textsAt,
} from './json-tree.js';
import { PRIVATE_CIDRS } from './private-addresses.js';

const RULE_KEYS = ['outboundTag', 'balancerTag', 'inboundTag', 'ip', 'source', 'sourceIP', 'localIP'];
const ADDRESS_KEYS = ['ip', 'source', 'sourceIP', 'localIP'];
const BALANCER_KEYS = ['tag', 'selector', 'fallbackTag'];

/** Spells the keys of the routing section, its rules and its balancers as we look for them. */
export function spellRouting(tree: JsonObject): JsonObject {
  const routing = spellKeys(objectAt(tree, 'routing', 'routing'), ['rules', 'balancers'], 'routing');
  const rules = objectsAt(routing, 'rules', 'routing.rules').map((rule, index) =>
    spellKeys(rule, RULE_KEYS, `routing.rules[${index}]`),
  );
  const balancers = objectsAt(routing, 'balancers', 'routing.balancers').map((balancer, index) =>
    spellKeys(balancer, BALANCER_KEYS, `routing.balancers[${index}]`),
  );
  return { ...routing, rules, ...('balancers' in routing ? { balancers } : {}) };
}

/** Rules with addresses written out, balancers that cannot pick the API. */
export function editRouting(routing: JsonObject, outboundTags: readonly string[]): JsonObject {
  const balancers = objectsAt(routing, 'balancers', 'routing.balancers');
  return {
    ...routing,
    rules: objectsAt(routing, 'rules', 'routing.rules').map(writeOutPrivate),
    ...(balancers.length > 0
      ? { balancers: balancers.map((balancer) => editSelector(balancer, 'selector', outboundTags)) }
      : {}),
  };
}

function writeOutPrivate(rule: JsonObject): JsonObject {
  const edited = { ...rule };
  for (const key of ADDRESS_KEYS.filter((name) => name in rule)) {
    const addresses = textsAt(rule, key);
    if (addresses.some(isPrivateList)) {
      edited[key] = addresses.flatMap((address) => (isPrivateList(address) ? PRIVATE_CIDRS : [address]));
    }
  }
  return edited;
}

function isPrivateList(address: string): boolean {
  return address.toLowerCase() === 'geoip:private';
}

/**
 * A selector picks every outbound whose tag begins with it, and the API is one of them. The empty one, which means all,
 * becomes the list of all others.
 */
export function editSelector(section: JsonObject, key: string, outboundTags: readonly string[]): JsonObject {
  const selectors = textsAt(section, key);
  const picky = selectors.find((selector) => selector !== '' && RESERVED_PREFIX.startsWith(selector));
  if (picky !== undefined) refuse(`selector "${picky}" would pick what is reserved for the node`);
  if (!selectors.includes('')) return section;
  return { ...section, [key]: [...new Set([...selectors.filter((selector) => selector !== ''), ...outboundTags])] };
}

/** CONFIG_REFUSED for a rule to an outbound that does not exist: the engine would start and drop what it matches. */
export function checkRuleTargets(routing: JsonObject, known: ReadonlySet<string>): void {
  for (const [index, rule] of objectsAt(routing, 'rules', 'routing.rules').entries()) {
    const target = textAt(rule, 'outboundTag');
    if (target !== '' && !known.has(target)) {
      refuse(`routing.rules[${index}]: there is no outbound "${target}"; there are ${list(known)}`);
    }
  }
}

function list(names: ReadonlySet<string>): string {
  return names.size === 0 ? 'none with a tag' : [...names].map((name) => `"${name}"`).join(', ');
}

/** Tags that become outbounds without standing in the list: reverse portals, metrics, reverse users. */
export function extraOutboundTags(tree: JsonObject, clients: readonly Json[]): string[] {
  const reverse = spellKeys(objectAt(tree, 'reverse', 'reverse'), ['portals'], 'reverse');
  return [
    ...objectsAt(reverse, 'portals', 'reverse.portals').map((portal) => textAt(portal, 'tag')),
    textAt(objectAt(tree, 'metrics', 'metrics'), 'tag'),
    ...clients.filter(isObject).map((client) => textAt(objectAt(client, 'reverse', 'reverse'), 'tag')),
  ].filter((tag) => tag !== '');
}
