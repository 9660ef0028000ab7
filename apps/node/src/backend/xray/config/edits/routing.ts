import { aliasOf } from '../../reserved.js';
import { type JsonObject, textsAt } from '../json-tree.js';
import type { NodeConfig } from '../node-config.js';
import { selectorTexts } from '../selectors.js';
import { writeOutPrivate } from './private-addresses.js';

const ADDRESS_KEYS = ['ip', 'source', 'sourceIP', 'localIP'];

/** Rules with addresses written out and for inbounds under either tag, balancers that cannot pick the API. */
export function editRouting({ routing, rules, balancers, exits }: NodeConfig): JsonObject {
  const tags = [...exits.outbounds, ...exits.extra];
  return {
    ...routing,
    rules: rules.map((rule) => withAliases(writeOutPrivate(rule, ADDRESS_KEYS))),
    ...(balancers.length > 0 && { balancers: balancers.map((balancer) => editSelector(balancer, 'selector', tags)) }),
  };
}

/** A rule for an inbound is one for it under its other tag too. */
function withAliases(rule: JsonObject): JsonObject {
  const tags = textsAt(rule, 'inboundTag');
  return tags.length === 0 ? rule : { ...rule, inboundTag: tags.flatMap((tag) => [tag, aliasOf(tag)]) };
}

/** The section with its selector of everything written out, so that it does not pick the API. */
export function editSelector(section: JsonObject, key: string, tags: readonly string[]): JsonObject {
  return textsAt(section, key).includes('') ? { ...section, [key]: selectorTexts(section, key, tags) } : section;
}
