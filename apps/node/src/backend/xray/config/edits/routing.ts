import { aliasOf } from '../../names/reserved.js';
import { type JsonObject, textsAt } from '../json-tree.js';
import type { NodeConfig } from '../node-config.js';
import { selectorTexts } from '../selectors.js';
import { writeOutPrivate } from './private-addresses.js';

const ADDRESS_KEYS = ['ip', 'source', 'sourceIP', 'localIP'];

/** Returns the routing section: rules name private addresses and both tags of inbounds; balancers never select the API. */
export function editRouting({ routing, rules, balancers, exits }: NodeConfig): JsonObject {
  const tags = [...exits.outbounds, ...exits.extra];
  return {
    ...routing,
    rules: rules.map((rule) => withAliases(writeOutPrivate(rule, ADDRESS_KEYS))),
    ...(balancers.length > 0 && { balancers: balancers.map((balancer) => editSelector(balancer, 'selector', tags)) }),
  };
}

/** Adds the alias of each inbound to a rule, because the node may run the inbound under either tag. */
function withAliases(rule: JsonObject): JsonObject {
  const tags = textsAt(rule, 'inboundTag');
  return tags.length === 0 ? rule : { ...rule, inboundTag: tags.flatMap((tag) => [tag, aliasOf(tag)]) };
}

/** Returns the section with an empty selector replaced by tags, so that it does not pick the engine's API. */
export function editSelector(section: JsonObject, key: string, tags: readonly string[]): JsonObject {
  return textsAt(section, key).includes('') ? { ...section, [key]: selectorTexts(section, key, tags) } : section;
}
