import { PRIVATE_OUTBOUND } from '../../names/reserved.js';
import { type JsonObject, objectAt, objectsAt } from '../json-tree.js';
import type { NodeConfig } from '../node-config.js';
import { filteredDns } from './dns.js';
import { withDialledNames } from './inbounds.js';
import { withJudgedNames, withLoopbackTag } from './outbounds.js';
import { guardedRouting } from './routing.js';
import { UdpFronts } from './udp.js';

/** Returns the edited tree with which users do not reach the blocked networks, by address, name or packet. See the README. */
export function keepOutOfPrivate(tree: JsonObject, config: NodeConfig): JsonObject {
  const { blockedNetworks, allowedNetworks } = config;
  if (blockedNetworks.length === 0) return tree;
  const routing = objectAt(tree, 'routing', 'routing');
  const judged = objectsAt(tree, 'outbounds', 'outbounds').map((outbound) =>
    withJudgedNames(withLoopbackTag(outbound), allowedNetworks),
  );
  const fronts = new UdpFronts(judged);
  return {
    ...tree,
    dns: filteredDns(tree, blockedNetworks),
    inbounds: objectsAt(tree, 'inbounds', 'inbounds').map(withDialledNames),
    outbounds: [...fronts.outbounds, { tag: PRIVATE_OUTBOUND, protocol: 'blackhole' }],
    routing: guardedRouting(routing, config, fronts),
  };
}
