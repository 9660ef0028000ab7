import type { JsonCursor } from './json.js';
import type { Ports } from './ports.js';

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

/** The destinations of an inbound's `settings.fallbacks`: a port, `host:port`, or a socket. */
export function readFallbackDestinations(inbound: JsonCursor): string[] {
  return inbound
    .get('settings')
    .get('fallbacks')
    .items()
    .map((fallback) => fallback.get('dest'))
    .filter((dest) => dest.exists)
    .map((dest) => (typeof dest.value === 'number' ? String(dest.value) : dest.text()));
}

/** Whether one of the destinations is where the inbound listens. */
export function leadsTo(destinations: readonly string[], { listen, port }: FallbackTarget): boolean {
  return destinations.some((destination) => {
    if (isUnixSocket(destination)) return destination === listen;
    const number = Number(destination.slice(destination.lastIndexOf(':') + 1));
    return port?.ranges.some(({ from, to }) => from <= number && number <= to) ?? false;
  });
}
