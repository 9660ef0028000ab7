import { aliasOf, isReserved, RESERVED_PREFIX } from '../reserved.js';
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
import { writeOutPrivate } from './private-addresses.js';

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

/** Rules with addresses written out and for inbounds under either tag, balancers that cannot pick the API. */
export function editRouting(routing: JsonObject, outboundTags: readonly string[]): JsonObject {
  const balancers = objectsAt(routing, 'balancers', 'routing.balancers');
  return {
    ...routing,
    rules: objectsAt(routing, 'rules', 'routing.rules')
      .map((rule) => writeOutPrivate(rule, ADDRESS_KEYS))
      .map(withAliases),
    ...(balancers.length > 0
      ? { balancers: balancers.map((balancer) => editSelector(balancer, 'selector', outboundTags)) }
      : {}),
  };
}

/** A rule for an inbound is one for it under its other tag too. */
function withAliases(rule: JsonObject): JsonObject {
  const tags = textsAt(rule, 'inboundTag');
  return tags.length === 0 ? rule : { ...rule, inboundTag: tags.flatMap((tag) => [tag, aliasOf(tag)]) };
}

/**
 * A selector picks every outbound whose tag begins with it, and the API is one of them. The empty one, which means all,
 * becomes the list of all others.
 */
export function editSelector(section: JsonObject, key: string, outboundTags: readonly string[]): JsonObject {
  const selectors = textsAt(section, key);
  const picky = selectors.find(
    (selector) => selector !== '' && (RESERVED_PREFIX.startsWith(selector) || isReserved(selector)),
  );
  if (picky !== undefined) refuse(`selector "${picky}" would pick what is reserved for the node`);
  if (!selectors.includes('')) return section;
  return { ...section, [key]: [...new Set([...selectors.filter((selector) => selector !== ''), ...outboundTags])] };
}

/** Tags that become outbounds without standing in the list: reverse portals and reverse users. */
export function extraOutboundTags(tree: JsonObject, clients: readonly Json[]): string[] {
  const reverse = spellKeys(objectAt(tree, 'reverse', 'reverse'), ['portals'], 'reverse');
  return [
    ...tagsOf(objectsAt(reverse, 'portals', 'reverse.portals')),
    ...tagsOf(clients.filter(isObject).map((client) => objectAt(client, 'reverse', 'reverse'))),
  ];
}

export function tagsOf(objects: readonly JsonObject[]): string[] {
  return objects.map((object) => textAt(object, 'tag')).filter((tag) => tag !== '');
}

/** CONFIG_REFUSED for a tag that stands twice in a list. */
export function checkTags(path: string, objects: readonly JsonObject[]): void {
  const seen = new Map<string, number>();
  for (const [index, object] of objects.entries()) {
    const tag = textAt(object, 'tag');
    const first = seen.get(tag);
    if (tag !== '' && first !== undefined) refuse(`${path}[${first}] and ${path}[${index}] have the same tag "${tag}"`);
    seen.set(tag, index);
  }
}

/** CONFIG_REFUSED for an outbound whose place another part of the engine would take at its start. */
export function checkReplaced(outboundTags: readonly string[], extraTags: readonly string[]): void {
  const replaced = extraTags.find((tag) => outboundTags.includes(tag));
  if (replaced !== undefined)
    refuse(`the outbound "${replaced}" would be replaced: metrics or a reverse proxy has its tag`);
}
