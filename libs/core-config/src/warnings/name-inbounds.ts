import type { Inbound } from '../read/inbound.js';

const MAX_NAMED = 5;

/** Names up to five inbounds by their tags in a sentence. */
export function nameInbounds(inbounds: readonly Inbound[]): string {
  const tags = inbounds.slice(0, MAX_NAMED).map(({ tag }) => tag);
  const more = inbounds.length - tags.length;
  return `${inbounds.length === 1 ? 'inbound' : 'inbounds'} ${tags.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
