import { isIPv6 } from 'node:net';
import type { Inbound } from '@rampart/core-config';
import { type Endpoint, endpointsOf } from '../endpoints.js';
import { refuse } from '../json-tree.js';

type PortEndpoint = Extract<Endpoint, { kind: 'port' }>;

/** Throws CONFIG_REFUSED for an empty address, on which the engine crashes. */
export function checkListen({ tag, tree }: Inbound): void {
  if (tree['listen'] === '') refuse(`inbound "${tag}": listen is empty; leave it out to listen on every address`);
}

/** Throws CONFIG_REFUSED when two inbounds listen at the same address and port: each would get half of the connections. */
export function checkDistinct(inbounds: readonly Inbound[]): void {
  const endpoints = inbounds.flatMap(endpointsOf);
  for (const [index, one] of endpoints.entries()) {
    for (const other of endpoints.slice(index + 1)) {
      if (one.kind === 'path' && other.kind === 'path' && one.path === other.path) {
        refuse(`inbounds "${one.tag}" and "${other.tag}" both listen on ${one.path}`);
      }
      if (one.kind === 'port' && other.kind === 'port' && overlap(one, other)) {
        const port = Math.max(one.first, other.first);
        const whose =
          one.tag === other.tag
            ? `inbound "${one.tag}" listens twice`
            : `inbounds "${one.tag}" and "${other.tag}" both listen`;
        refuse(`${whose} on ${one.transport} port ${port}`);
      }
    }
  }
}

function overlap(one: PortEndpoint, other: PortEndpoint): boolean {
  if (one.transport !== other.transport || one.last < other.first || other.last < one.first) return false;
  return one.host === other.host || covers(one.host, other.host) || covers(other.host, one.host);
}

/** Whether listening on a wildcard address includes another address. */
function covers(wildcard: string, host: string): boolean {
  return wildcard === '::' || (wildcard === '0.0.0.0' && !isIPv6(host));
}
