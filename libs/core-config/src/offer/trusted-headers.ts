import { lenient } from '../read/attempt.js';
import type { Inbound } from '../read/inbound.js';
import { JsonCursor } from '../read/json-cursor.js';
import { isLocal } from '../read/listen.js';
import { type EngineNetwork, networkSettings } from '../read/networks.js';
import { leadsTo, readFallbackDestinations } from './fallback.js';

/** The header of the address itself: with it in the list, everybody is believed who sends one. */
export const FORWARDED = 'X-Forwarded-For';
/** The list with which nobody is believed: brackets cannot stand in the name of a header, so no request has this one. */
export const NOBODY: readonly string[] = ['(none)'];

/** The transports on which the engine takes the address of a client from a header; grpc does so from 26.6.22 on. */
const READ_HEADERS: readonly (EngineNetwork | undefined)[] = ['ws', 'httpupgrade', 'xhttp', 'grpc'];

/** Whether the engine may take the address of an inbound's client from a header. */
export function readsAddresses({ network }: Inbound): boolean {
  return READ_HEADERS.includes(network);
}

/** The list `trustedXForwardedFor` as the configuration has it; undefined where it has none. */
export function givenHeaders({ tree, path }: Inbound): readonly string[] | undefined {
  const list = new JsonCursor(tree, path).get('streamSettings').get('sockopt').get('trustedXForwardedFor');
  return list.exists ? list.texts() : undefined;
}

/**
 * The headers of which a request must have one, so that the engine believes the address in its `X-Forwarded-For`. Engine
 * 26.3.27 believes everybody without a list or with an empty one, and engines from 26.6.22 on nobody. Here an empty list means
 * nobody, and without one only a proxy on the same machine is believed.
 *
 * @param inbound an inbound with a transport that reads addresses
 * @param all the inbounds of its configuration
 */
export function trustedHeaders(inbound: Inbound, all: readonly Inbound[]): readonly string[] {
  const given = givenHeaders(inbound);
  if (given !== undefined) return given.length > 0 ? given : NOBODY;
  return isBehindProxy(inbound, all) ? [FORWARDED] : NOBODY;
}

/**
 * Whether only an HTTP proxy on the same machine can connect. With TLS, with the PROXY protocol and as a fallback, an inbound gets
 * the bytes of clients themselves.
 */
function isBehindProxy(inbound: Inbound, all: readonly Inbound[]): boolean {
  const { listen, ports, security } = inbound;
  if (!isLocal(listen) || security !== 'none' || acceptsProxyProtocol(inbound)) return false;
  return !all.some((other) => {
    const destinations = lenient(() => readFallbackDestinations(new JsonCursor(other.tree, other.path)));
    return destinations !== undefined && leadsTo(destinations, listen, ports);
  });
}

/** Whether connections tell their address themselves, before the first byte of a client. */
export function acceptsProxyProtocol({ tree, path, network }: Inbound): boolean {
  const stream = new JsonCursor(tree, path).get('streamSettings');
  const settings = [stream.get('sockopt'), ...(network === undefined ? [] : [networkSettings(stream, network)])];
  return settings.some((cursor) => lenient(() => cursor.get('acceptProxyProtocol').flag()));
}
