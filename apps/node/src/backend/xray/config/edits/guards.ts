import { GUARD_PREFIX, GUARDS_OUTBOUND } from '../../names/reserved.js';
import { type JsonObject, objectAt, objectsAt } from '../json-tree.js';

/**
 * Adds a rule before all others that leads guards of shadowsocks-2022 inbounds nowhere. The engine knows a user by the place
 * in the list: a connection that was begun before its user was removed, and goes on later, is one of the guard there.
 */
export function leadGuardsNowhere(tree: JsonObject): JsonObject {
  const routing = objectAt(tree, 'routing', 'routing');
  const rule = { type: 'field', user: [`regexp:^${GUARD_PREFIX}`], outboundTag: GUARDS_OUTBOUND };
  return {
    ...tree,
    outbounds: [...objectsAt(tree, 'outbounds', 'outbounds'), { tag: GUARDS_OUTBOUND, protocol: 'blackhole' }],
    routing: { ...routing, rules: [rule, ...objectsAt(routing, 'rules', 'routing.rules')] },
  };
}
