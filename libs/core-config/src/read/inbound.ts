import { visionWorks } from '@rampart/domain';
import { type Handover, handoverOf } from './handover.js';
import type { JsonCursor, JsonObject } from './json-cursor.js';
import { type Listen, readListen } from './listen.js';
import { type EngineNetwork, NETWORK_FACTS, networkOf, networkSettings } from './networks.js';
import { type PortRange, readPorts } from './ports.js';

export type Security = 'none' | 'tls' | 'reality';
export type Transport = 'tcp' | 'udp';

/** An inbound as the engine reads it: typed fields for what the apps need, and its whole tree. */
export interface Inbound {
  /** The path of the inbound in the configuration, such as `inbounds[0]`. */
  readonly path: string;
  /** The inbound as JSON. Known keys have the engine's spelling; unknown keys are unchanged. */
  readonly tree: JsonObject;
  /** The tag; empty for an inbound without one. */
  readonly tag: string;
  /** The protocol in lower case; empty when none is given. */
  readonly protocol: string;
  readonly listen: Listen;
  /** The ports as ranges; empty when no port is given, on a unix socket, and for a TUN. */
  readonly ports: readonly PortRange[];
  /** The transport; undefined for one that the engine does not know. */
  readonly network: EngineNetwork | undefined;
  /** The security; undefined for one that the engine does not know. */
  readonly security: Security | undefined;
  /** The transport protocols on which the inbound listens; `udp` is among them when it needs UDP. */
  readonly transports: readonly Transport[];
  readonly handover: Handover;
  /** Whether a live connection can still open streams for users of a closed listener, as HTTP/2 connections of xhttp can. */
  readonly keepsStreaming: boolean;
  /**
   * Whether clients spread the requests of one session over several connections: xhttp over HTTP/1.1, and over what a proxy
   * in front makes of it. While two engine processes each hold some of the connections, the halves of a session do not meet.
   */
  readonly spreadsSessions: boolean;
  /** Whether VLESS users can have the flow `xtls-rprx-vision` here. */
  readonly vision: boolean;
}

/**
 * Reads what both apps must know of an inbound, and checks its form: the types of its members, its port and its listen
 * address. Whether the values make sense together is not checked here.
 *
 * @param cursor a cursor at the inbound, whose keys `spellKeys` has given the engine's spelling
 * @throws CoreConfigError for what the engine could not read either, or would fail on when it starts
 */
export function readInbound(cursor: JsonCursor): Inbound {
  const settings = cursor.get('settings');
  const stream = cursor.get('streamSettings');
  const network = networkOf(stream.get('network').text());
  const security = securityOf(stream.get('security').text());
  const listen = readListen(cursor);
  const protocol = cursor.get('protocol').text().toLowerCase();
  const usesPorts = !listen.isSocket && protocol !== 'tun';
  settings.object();
  checkStream(stream);
  const alpn = stream.get('tlsSettings').get('alpn').textList();
  const listener = { protocol, listen, network, isHttp3: isHttp3(network, security, alpn) };
  const tag = cursor.get('tag').text();
  return {
    ...{ path: cursor.path, tree: cursor.object(), tag, protocol, listen, network, security },
    ports: (usesPorts ? readPorts(cursor.get('port'), 'skip')?.ranges : undefined) ?? [],
    transports: transportsOf(listener, settings),
    handover: handoverOf({ tag, ...listener }),
    keepsStreaming: network === 'xhttp',
    spreadsSessions: network === 'xhttp' && isHttp1(security, alpn),
    vision: protocol === 'vless' && carriesVision(network, security, settings, stream),
  };
}

function securityOf(name: string): Security | undefined {
  const security = name.toLowerCase() || 'none';
  return security === 'none' || security === 'tls' || security === 'reality' ? security : undefined;
}

/** Checks the stream settings that the engine reads with any security. */
function checkStream(stream: JsonCursor): void {
  stream.get('finalmask').object();
  stream.get('tlsSettings').get('certificates').objects();
  stream.get('sockopt').get('trustedXForwardedFor').texts();
}

/** Whether the engine serves this inbound over QUIC only. */
function isHttp3(network: EngineNetwork | undefined, security: Security | undefined, alpn: readonly string[]): boolean {
  return network === 'xhttp' && security === 'tls' && alpn.length === 1 && alpn[0] === 'h3';
}

/** Whether clients of xhttp use HTTP/1.1: always without TLS, else where `alpn` has `http/1.1` and not `h2`. */
function isHttp1(security: Security | undefined, alpn: readonly string[]): boolean {
  if (security !== 'tls') return security === 'none';
  const names = alpn.map((name) => name.toLowerCase());
  return names.includes('http/1.1') && !names.includes('h2');
}

interface Listener {
  readonly protocol: string;
  readonly network: EngineNetwork | undefined;
  readonly isHttp3: boolean;
}

function transportsOf({ protocol, network, isHttp3: isQuic }: Listener, settings: JsonCursor): readonly Transport[] {
  const isUdp = network !== undefined && NETWORK_FACTS[network].listensOn === 'udp';
  if (isUdp || isQuic || ['hysteria', 'wireguard', 'tun'].includes(protocol)) return ['udp'];
  if (['socks', 'mixed'].includes(protocol)) return settings.get('udp').flag() ? ['tcp', 'udp'] : ['tcp'];
  if (!['shadowsocks', 'dokodemo-door', 'tunnel'].includes(protocol)) return ['tcp'];
  const networks = settings.get('network').textList();
  const named = networks.map((name) => name.toLowerCase());
  return named.length === 0 ? ['tcp'] : (['tcp', 'udp'] as const).filter((transport) => named.includes(transport));
}

/** Whether vision works, judged by the server's `decryption`: the `encryption` beside it is only meant for clients. */
function carriesVision(
  network: EngineNetwork | undefined,
  security: Security | undefined,
  settings: JsonCursor,
  stream: JsonCursor,
): boolean {
  return visionWorks({
    encryption: settings.get('decryption').text() || 'none',
    network: network ?? '',
    headerType: networkSettings(stream, 'tcp').get('header').get('type').text().toLowerCase(),
    security: security ?? 'none',
  });
}
