/**
 * What the node itself puts into the engine (tags, users) begins with this, and nothing of the user's may: so neither
 * can reach the other by accident, and the engine's counters can be told apart.
 */
export const RESERVED_PREFIX = '~rampart-';
export const API_TAG_PREFIX = `${RESERVED_PREFIX}api-`;
export const API_INBOUND_PREFIX = `${RESERVED_PREFIX}in-`;
export const GUARD_PREFIX = `${RESERVED_PREFIX}guard-`;
/** What the node asks the engine for when it wants its API; the engine's log names it. */
export const API_HOST = 'api.rampart.invalid';
const ALIAS_PREFIX = `${RESERVED_PREFIX}alias-`;

export function isReserved(name: string): boolean {
  return name.startsWith(RESERVED_PREFIX);
}

/** The other tag under which the node may run an inbound. */
export function aliasOf(tag: string): string {
  return `${ALIAS_PREFIX}${tag}`;
}

/** A text of the engine with every alias in it replaced by the tag that it stands for. */
export function withoutAliases(text: string): string {
  return text.replaceAll(ALIAS_PREFIX, '');
}
