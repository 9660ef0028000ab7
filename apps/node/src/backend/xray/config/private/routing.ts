import { PRIVATE_OUTBOUND } from '../../names/reserved.js';
import { type JsonObject, objectsAt, textsAt } from '../json-tree.js';
import type { NodeConfig } from '../node-config.js';
import { wordAt } from './folded.js';
import { choosesTarget, conditionOf, tagCondition } from './inbounds.js';
import { loopbackTags } from './outbounds.js';
import { withoutOtherBridges } from './portals.js';
import type { UdpFronts } from './udp.js';

/** The names with which sing-box asks for UDP over TCP. The engine would send the packets to any address in them. */
const UDP_OVER_TCP = ['full:sp.v2.udp-over-tcp.arpa', 'full:sp.udp-over-tcp.arpa'];
const ANY_ADDRESS = ['0.0.0.0/0', '::/0'];

/** The edited routing section with rules before all others for what users must not reach, and with another way for UDP. */
export function guardedRouting(routing: JsonObject, config: NodeConfig, fronts: UdpFronts): JsonObject {
  const { inbounds, blockedNetworks, exits } = config;
  const nowhere = { type: 'field', outboundTag: PRIVATE_OUTBOUND };
  const judged = [
    ...inbounds.filter(choosesTarget).map(conditionOf),
    ...loopbackTags(fronts.outbounds).map(tagCondition),
  ];
  const guards = conditions(judged).map((condition) => ({
    ...nowhere,
    ...condition,
    ip: blockedNetworks,
  }));
  const balancers = objectsAt(routing, 'balancers', 'routing.balancers');
  const udpBalancers = fronts.balancers(balancers, [...exits.outbounds, ...exits.extra]);
  const udpTags = new Map(udpBalancers.map(({ tag, balancer }) => [tag, String(balancer['tag'])]));
  const own = withoutOtherBridges(objectsAt(routing, 'rules', 'routing.rules'), config);
  const rules = own.flatMap((rule) => fronts.rule(rule, udpTags));
  return {
    ...routing,
    rules: [{ ...nowhere, domain: UDP_OVER_TCP }, ...guards, ...rules, ...lastRules(routing, fronts)],
    ...(udpBalancers.length > 0 && { balancers: [...balancers, ...udpBalancers.map(({ balancer }) => balancer)] }),
  };
}

/** Puts the inbounds with tags into one rule. */
function conditions(given: readonly JsonObject[]): JsonObject[] {
  const tags = [...new Set(given.flatMap((condition) => textsAt(condition, 'inboundTag')))];
  const others = given.filter((condition) => condition['inboundTag'] === undefined);
  return [...(tags.length > 0 ? [{ inboundTag: tags }] : []), ...others];
}

/**
 * Where the first outbound is the one for UDP, TCP that no rule matches still leaves directly. With `IPIfNonMatch`, the rules
 * are read again with addresses, so that names must not match this one in the first reading.
 */
function lastRules(routing: JsonObject, { first }: UdpFronts): JsonObject[] {
  if (first === undefined) return [];
  const isReadAgain = wordAt(routing, 'domainStrategy').toLowerCase() === 'ipifnonmatch';
  return [{ type: 'field', network: 'tcp', ...(isReadAgain && { ip: ANY_ADDRESS }), outboundTag: first }];
}
