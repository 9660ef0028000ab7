import type { Inbound } from '@rampart/core-config';
import { type JsonObject, objectAt } from '../json-tree.js';

/** Returns the log section without files: logs go to the standard output, which the node reads, or nowhere. */
export function logSection(tree: JsonObject): JsonObject {
  if (tree['log'] === undefined || tree['log'] === null) return { access: 'none', loglevel: 'warning' };
  const { access, error, ...others } = objectAt(tree, 'log', 'log');
  return { ...others, ...(access === 'none' ? { access } : {}), ...(error === 'none' ? { error } : {}) };
}

/**
 * Returns the policy section with all statistics switched on; `statsUserOnline` stays as the configuration has it. Those of
 * inbounds are off beside Hysteria: the engine counts them by a wrapper, behind which it does not see who connects over it.
 */
export function policySection(tree: JsonObject, inbounds: readonly Inbound[]): JsonObject {
  const isCounted = !inbounds.some(({ protocol }) => protocol === 'hysteria');
  const policy = objectAt(tree, 'policy', 'policy');
  const levels = objectAt(policy, 'levels', 'policy.levels');
  const level = objectAt(levels, '0', 'policy.levels.0');
  const online = level['statsUserOnline'] ?? true;
  return {
    ...policy,
    levels: { ...levels, '0': { ...level, statsUserUplink: true, statsUserDownlink: true, statsUserOnline: online } },
    system: {
      ...objectAt(policy, 'system', 'policy.system'),
      ...{ statsInboundUplink: isCounted, statsInboundDownlink: isCounted },
      ...{ statsOutboundUplink: true, statsOutboundDownlink: true },
    },
  };
}
