import { type JsonObject, objectAt } from '../json-tree.js';
import { managedInbounds } from '../managed-inbound.js';
import type { NodeConfig } from '../node-config.js';
import { keepOutOfPrivate } from '../private/keep-out-of-private.js';
import { dnsSection } from './dns.js';
import { leadGuardsNowhere } from './guards.js';
import { editInbound } from './inbounds.js';
import { editRouting, editSelector } from './routing.js';
import { logSection, policySection } from './sections.js';

/** Returns the tree that the engine gets, without users and the channel to the API. Unknown keys survive everywhere. */
export function editConfig(config: NodeConfig): JsonObject {
  const { tree, inbounds, excluded, outbounds, observers, exits } = config;
  const edited = observers.map(({ key, section }) => [key, editSelector(section, 'subjectSelector', exits.outbounds)]);
  const withUsers = managedInbounds(inbounds, excluded);
  const managed = new Set(withUsers.map(({ tag }) => tag));
  const written: JsonObject = {
    ...tree,
    log: logSection(tree),
    stats: objectAt(tree, 'stats', 'stats'),
    policy: policySection(tree, inbounds),
    inbounds: inbounds.map((inbound) => editInbound(inbound, inbounds, managed.has(inbound.tag))),
    outbounds,
    routing: editRouting(config),
    ...(tree['dns'] ? { dns: dnsSection(tree) } : {}),
    ...Object.fromEntries(edited),
  };
  const kept = keepOutOfPrivate(written, config);
  return withUsers.some(({ protocol }) => protocol === 'shadowsocks-2022') ? leadGuardsNowhere(kept) : kept;
}
