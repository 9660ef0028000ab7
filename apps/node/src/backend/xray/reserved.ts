import { isReserved, RESERVED_PREFIX } from '@rampart/core-config';

export { isReserved, RESERVED_PREFIX };

/** Tags and users that the node puts into the engine begin with these, so that nothing of a configuration can reach them. */
export const API_TAG_PREFIX = `${RESERVED_PREFIX}api-`;
export const API_INBOUND_PREFIX = `${RESERVED_PREFIX}in-`;
export const GUARD_PREFIX = `${RESERVED_PREFIX}guard-`;
/** What the node asks the engine for when it wants its API; the engine's log names it. */
export const API_HOST = 'api.rampart.invalid';
const ALIAS_PREFIX = `${RESERVED_PREFIX}alias-`;

/** The other tag under which the node may run an inbound. */
export function aliasOf(tag: string): string {
  return `${ALIAS_PREFIX}${tag}`;
}

/** A text of the engine with every alias in it replaced by the tag that it stands for. */
export function withoutAliases(text: string): string {
  return text.replaceAll(ALIAS_PREFIX, '');
}
