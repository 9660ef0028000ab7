import type { OfferedInbound } from '../offer/offered-inbound.js';
import { compareVersions } from './version.js';

/** The first engine that accepts REALITY only from clients with an X25519MLKEM768 key share. */
const DEMANDED_SINCE = '26.9.8';

/**
 * Says in a sentence which clients an engine shuts out of REALITY inbounds; undefined where it shuts out none.
 *
 * @param engine the version of the engine, such as `26.9.8`
 * @param tags the tags of the inbounds with REALITY
 */
export function keyShareDemand(engine: string, tags: readonly string[]): string | undefined {
  if (tags.length === 0 || compareVersions(engine, DEMANDED_SINCE) < 0) return undefined;
  const inbounds = `inbound${tags.length > 1 ? 's' : ''} ${tags.join(', ')}`;
  return `engine ${engine} takes only clients with an X25519MLKEM768 key share on ${inbounds}: ${SHUT_OUT}`;
}

/** Returns the tags under which a node listens with REALITY: for an inbound behind a fallback parent, the parent's tag. */
export function realityTags(inbounds: readonly OfferedInbound[]): string[] {
  const found = inbounds.filter(({ security, removed }) => security === 'reality' && removed === undefined);
  return [...new Set(found.map(({ tag, parent }) => parent ?? tag))];
}

const SHUT_OUT =
  'sing-box, Karing, Shadowrocket and Exclave have none, Xray and mihomo have one with the fingerprint chrome';
