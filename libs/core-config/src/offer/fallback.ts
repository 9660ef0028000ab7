import type { JsonCursor } from '../read/json-cursor.js';
import type { Ports } from '../read/ports.js';

/** What decides whether a fallback leads to an inbound. */
export interface FallbackTarget {
  /** A host, `/path` or `@name`, without the mode that the engine lets one append to a path. */
  readonly listen: string;
  readonly port: Ports | undefined;
}

/** Where an inbound listens. */
export function readListen(inbound: JsonCursor): string {
  return inbound.get('listen').text().split(',', 1)[0] ?? '';
}

/** Whether an inbound listens on a unix socket, where a port has no meaning. */
export function isUnixSocket(listen: string): boolean {
  return listen.startsWith('/') || listen.startsWith('@');
}

/** Whether what listens there is reached from its own machine alone. */
export function isLocal(listen: string): boolean {
  return isUnixSocket(listen) || /^(127\.|localhost$|\[?::1\]?$)/.test(listen);
}

/** Where an inbound's fallbacks lead. */
export interface FallbackDestinations {
  readonly sockets: ReadonlySet<string>;
  readonly ports: readonly number[];
}

/** The destinations of an inbound's `settings.fallbacks`: a port, `host:port`, or a socket. */
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
    // Each port once: a hostile list may be longer than there are ports.
    ports: [...new Set(ports.filter((port) => port >= 1 && port <= 65_535))],
  };
}

/** Whether one of the destinations is where the inbound listens. */
export function leadsTo({ sockets, ports }: FallbackDestinations, { listen, port }: FallbackTarget): boolean {
  if (isUnixSocket(listen)) return sockets.has(listen);
  return port?.ranges.some(({ from, to }) => ports.some((number) => from <= number && number <= to)) ?? false;
}
