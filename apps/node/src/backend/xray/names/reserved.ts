import { isReserved, RESERVED_PREFIX } from '@rampart/core-config';

export { isReserved, RESERVED_PREFIX };

/** Tags and users that the node puts into the engine begin with these, so that nothing of a configuration can reach them. */
export const API_TAG_PREFIX = `${RESERVED_PREFIX}api-`;
export const API_INBOUND_PREFIX = `${RESERVED_PREFIX}in-`;
export const GUARD_PREFIX = `${RESERVED_PREFIX}guard-`;
/** The outbound of connections of guards. */
export const GUARDS_OUTBOUND = `${RESERVED_PREFIX}guards`;
/** The outbound of what users must not reach; it shows in the engine's log of accesses. */
export const PRIVATE_OUTBOUND = `${RESERVED_PREFIX}private`;
/** Outbounds and balancers that take UDP to the outbound, or to those of the balancer, behind this prefix. */
export const UDP_PREFIX = `${RESERVED_PREFIX}udp-`;
/** The tag of connections that a loopback without one sends back into routing. */
export const LOOPBACK_TAG = `${RESERVED_PREFIX}loopback`;
/** The tag of a first outbound without one. */
export const FIRST_OUTBOUND = `${RESERVED_PREFIX}first`;
/** Host name of the API channel's requests; it shows in the engine's log. */
export const API_HOST = 'api.rampart.invalid';
const ALIAS_PREFIX = `${RESERVED_PREFIX}alias-`;

/** The alias under which the node may run an inbound. */
export function aliasOf(tag: string): string {
  return `${ALIAS_PREFIX}${tag}`;
}

/** A text of the engine with every alias replaced by the tag that it stands for. */
export function withoutAliases(text: string): string {
  return text.replaceAll(ALIAS_PREFIX, '');
}
