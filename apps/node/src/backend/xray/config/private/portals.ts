import { namesUsers, PortalRules, portalsOf } from '@rampart/core-config';
import { PRIVATE_OUTBOUND } from '../../names/reserved.js';
import { type JsonObject, textsAt } from '../json-tree.js';
import { managedInbounds } from '../managed-inbound.js';
import type { NodeConfig } from '../node-config.js';
import { tagCondition } from './inbounds.js';

/**
 * The rules with which users do not become the bridge of a portal. Where a rule is there for the bridge, other rules that lead
 * to the portal do not take its domain from inbounds of users.
 */
export function withoutOtherBridges(given: readonly JsonObject[], config: NodeConfig): readonly JsonObject[] {
  const { tree, inbounds, excluded } = config;
  const managed = managedInbounds(inbounds, excluded).flatMap(({ tag }) => textsAt(tagCondition(tag), 'inboundTag'));
  return portalsOf(tree).reduce<readonly JsonObject[]>((rules, { tag, domain }) => {
    const ways = new PortalRules(tree, { tag, domain });
    const own = rules.filter((rule) => ways.isForBridge(rule));
    if (own.length === 0) return rules;
    let isFirst = true;
    return rules.flatMap((rule) => {
      const named = textsAt(rule, 'inboundTag');
      const open = named.length === 0 ? managed : managed.filter((name) => named.includes(name));
      if (own.includes(rule) || !ways.admits(rule) || namesUsers(rule) || open.length === 0) return [rule];
      const { domain: _, domains: _also, balancerTag: _balancer, ruleTag: _name, ...others } = rule;
      const closed = {
        ...others,
        inboundTag: open,
        domain: [`full:${domain.toLowerCase()}`],
        outboundTag: PRIVATE_OUTBOUND,
      };
      // What closes this rule must not close those for the bridge that come later.
      const before = isFirst ? own.map(({ ruleTag: _own, ...copy }) => copy) : [];
      isFirst = false;
      return [...before, closed, rule];
    });
  }, given);
}
