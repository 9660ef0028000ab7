import type { Inbound } from '../read/inbound.js';
import type { JsonCursor } from '../read/json-cursor.js';
import { isUnixSocket, type Listen } from '../read/listen.js';
import type { PortRange } from '../read/ports.js';
import { fallbackTag, type OfferedInbound } from './offered-inbound.js';

/** An inbound with what is needed to find the fallbacks that lead to it. */
interface Offer {
  /** A cursor at the inbound. */
  readonly cursor: JsonCursor;
  readonly inbound: Inbound;
  readonly offered: OfferedInbound;
}

/** Adds `child<=>parent` behind each child of a fallback parent. A parent with such children is not offered itself. */
export function withFallbacks(offers: readonly Offer[], parentTags: ReadonlySet<string>): OfferedInbound[] {
  const parents = offers
    .filter(({ inbound }) => parentTags.has(inbound.tag))
    .map(({ cursor, offered }) => ({ offered, destinations: readFallbackDestinations(cursor), hasChildren: false }));
  const all: OfferedInbound[] = [];
  for (const { inbound, offered: child } of offers) {
    all.push(child);
    for (const parent of parents) {
      const isItself = parent.offered.tag === child.tag;
      if (isItself || !leadsTo(parent.destinations, inbound.listen, child.port?.ranges)) continue;
      parent.hasChildren = true;
      all.push(throughParent(child, parent.offered));
    }
  }
  const replaced = new Set(parents.filter((parent) => parent.hasChildren).map((parent) => parent.offered.tag));
  return all.filter(({ tag }) => !replaced.has(tag));
}

/** Combines the child's protocol and transport with the parent's port and security. */
function throughParent(child: OfferedInbound, parent: OfferedInbound): OfferedInbound {
  const { security, sni, alpn, fingerprint, allowInsecure, finalmask, reality } = parent;
  const { certificateSha256, publicKeySha256, verifiedNames } = parent;
  return {
    ...child,
    ...{ security, sni, alpn, fingerprint, allowInsecure, finalmask, reality },
    ...{ certificateSha256, publicKeySha256, verifiedNames },
    tag: fallbackTag(child.tag, parent.tag),
    isLocal: parent.isLocal,
    port: parent.port,
    parent: parent.tag,
  };
}

/** The places to which the fallbacks of an inbound lead. */
export interface FallbackDestinations {
  readonly sockets: ReadonlySet<string>;
  readonly ports: readonly number[];
}

/** Reads `dest` of every element of `settings.fallbacks`: a port, `host:port`, or a socket. */
export function readFallbackDestinations(inbound: JsonCursor): FallbackDestinations {
  const destinations = inbound
    .get('settings')
    .get('fallbacks')
    .items()
    .map((fallback) => fallback.get('dest'))
    .filter((dest) => dest.exists)
    .map((dest) => (typeof dest.value === 'number' ? String(dest.value) : dest.text()));
  const ports = destinations
    .filter((text) => !isUnixSocket(text))
    .map((text) => Number(text.slice(text.lastIndexOf(':') + 1)));
  return {
    sockets: new Set(destinations.filter(isUnixSocket)),
    // Duplicates are dropped: a hostile list may have more elements than there are ports.
    ports: [...new Set(ports.filter((port) => port >= 1 && port <= 65_535))],
  };
}

/** Whether an inbound listens at one of the destinations. */
export function leadsTo(
  { sockets, ports }: FallbackDestinations,
  listen: Listen,
  ranges: readonly PortRange[] = [],
): boolean {
  if (listen.isSocket) return sockets.has(listen.address);
  return ranges.some(({ from, to }) => ports.some((number) => from <= number && number <= to));
}
