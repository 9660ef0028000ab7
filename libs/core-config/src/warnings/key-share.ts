import type { OfferedInbound } from '../offer/offered-inbound.js';
import { compareVersions } from './version.js';

/** Engines from here on take REALITY only from clients with a key share that few of them offer. */
const DEMANDED_SINCE = '26.9.8';

/**
 * Whom an engine shuts out of REALITY inbounds, in a sentence for operators; undefined where it shuts out nobody.
 *
 * @param engine its version, such as `26.9.8`
 * @param tags of the inbounds with REALITY
 */
export function keyShareDemand(engine: string, tags: readonly string[]): string | undefined {
  if (tags.length === 0 || compareVersions(engine, DEMANDED_SINCE) < 0) return undefined;
  const inbounds = `inbound${tags.length > 1 ? 's' : ''} ${tags.join(', ')}`;
  return `engine ${engine} takes only clients with an X25519MLKEM768 key share on ${inbounds}: ${SHUT_OUT}`;
}

/** The tags under which a node listens with REALITY; what is reached through a fallback parent counts as the parent. */
export function realityTags(inbounds: readonly OfferedInbound[]): string[] {
  const found = inbounds.filter(({ security, removed }) => security === 'reality' && removed === undefined);
  return [...new Set(found.map(({ tag, parent }) => parent ?? tag))];
}

const SHUT_OUT =
  'sing-box, Karing, Shadowrocket and Exclave have none, Xray and mihomo have one with the fingerprint chrome';
