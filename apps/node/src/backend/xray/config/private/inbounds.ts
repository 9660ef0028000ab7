import type { Inbound } from '@rampart/core-config';
import { aliasOf } from '../../names/reserved.js';
import { type JsonObject, refuse } from '../json-tree.js';
import { innerAt, valueAt, withMembers, wordAt } from './folded.js';

const TUNNELS = ['dokodemo-door', 'tunnel'];

/** Whether who connects to an inbound chooses the target; a tunnel leads to the one that the configuration names. */
export function choosesTarget({ protocol, tree }: Inbound): boolean {
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

/** With `IPOnDemand`, a name that was sniffed for routing alone is judged, and the address is dialled: the name is dialled then. */
export function withDialledNames(tree: JsonObject, routing: JsonObject): JsonObject {
  const sniffing = innerAt(tree, 'sniffing');
  const isJudged = wordAt(routing, 'domainStrategy').toLowerCase() === 'ipondemand';
  if (!isJudged || valueAt(sniffing, 'routeOnly') !== true) return tree;
  return withMembers(tree, { sniffing: withMembers(sniffing, { routeOnly: false }) });
}
