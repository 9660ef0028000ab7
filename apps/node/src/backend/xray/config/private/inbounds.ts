import type { Inbound } from '@rampart/core-config';
import { aliasOf } from '../../names/reserved.js';
import { type JsonObject, refuse } from '../json-tree.js';
import { innerAt, valueAt, withMembers, wordAt } from './folded.js';

const TUNNELS = ['dokodemo-door', 'tunnel'];

/** Whether who connects to an inbound chooses the target; a tunnel leads to the one that the configuration names. */
export function choosesTarget({ protocol, tree }: Pick<Inbound, 'protocol' | 'tree'>): boolean {
  if (!TUNNELS.includes(protocol) || valueAt(innerAt(tree, 'settings'), 'followRedirect') === true) return true;
  const sniffing = innerAt(tree, 'sniffing');
  return valueAt(sniffing, 'enabled') === true && valueAt(sniffing, 'routeOnly') !== true;
}

/** The condition of a rule for what comes through an inbound. CONFIG_REFUSED where the engine has none. */
export function conditionOf({ path, tag, tree, ports }: Inbound): JsonObject {
  if (tag !== '') return tagCondition(tag);
  if (ports.length > 0) return { localPort: String(tree['port']) };
  return refuse(`${path} needs a tag, so that its users can be kept out of private networks`);
}

/** The condition of a rule for what comes with a tag, or with its alias. */
export const tagCondition = (tag: string): JsonObject => ({ inboundTag: [tag, aliasOf(tag)] });

/**
 * Where a name is sniffed for routing alone, rules judge it in place of the target that is dialled. The name is dialled then; the
 * target of a tunnel stays the one that the configuration names.
 */
export function withDialledNames(tree: JsonObject): JsonObject {
  const sniffing = innerAt(tree, 'sniffing');
  const protocol = wordAt(tree, 'protocol').toLowerCase();
  if (valueAt(sniffing, 'routeOnly') !== true || !choosesTarget({ protocol, tree })) return tree;
  return withMembers(tree, { sniffing: withMembers(sniffing, { routeOnly: false }) });
}
