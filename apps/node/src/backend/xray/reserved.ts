/**
 * What the node itself puts into the engine (tags, users) begins with this, and nothing of the user's may: so neither
 * can reach the other by accident, and the engine's counters can be told apart.
 */
export const RESERVED_PREFIX = '~rampart-';
export const API_TAG_PREFIX = `${RESERVED_PREFIX}api-`;
export const API_INBOUND_PREFIX = `${RESERVED_PREFIX}in-`;
export const GUARD_PREFIX = `${RESERVED_PREFIX}guard-`;

export function isReserved(name: string): boolean {
  return name.startsWith(RESERVED_PREFIX);
}
