import ipaddr from 'ipaddr.js';
import { dialerOutbound, proxyOutbound } from './allowed-outbounds.js';
import { isObject } from './shape.js';

const MAX_BYTES = 64 * 1024;

/** The outbounds cannot be probed; the message says where and why. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
}

type Json = Record<string, unknown>;

/** The outbounds of one proxy, in the forms that subscriptions have. */
export interface ProbeOutbounds {
  /** The addresses to which the client connects: names, and IP addresses without brackets. */
  readonly addresses: readonly string[];
  /** Texts that no message may contain. */
  readonly secrets: readonly string[];
  /** The outbounds with an IP address in place of each name; what the client would take from the name is written out. */
  pin(addressOf: (name: string) => string): readonly object[];
}

/**
 * Reads the outbounds of an Xray client configuration: the proxy, and its dialer where it has one.
 *
 * @throws OutboundError for text that is no JSON, and for members that no subscription has
 */
export function readOutbounds(text: string): ProbeOutbounds {
  const [proxy, dialer] = parse(text);
  const problem = proxyOutbound(proxy, 'outbounds[0]') ?? (dialer && dialerOutbound(dialer, 'outbounds[1]'));
  if (problem !== undefined || proxy === undefined) throw new OutboundError(problem ?? 'there is no outbound');
  const dials = at(proxy, 'streamSettings', 'sockopt') !== undefined;
  if (dials !== (dialer !== undefined)) throw new OutboundError('the proxy and its dialer do not name each other');
  const addresses = [...serversOf(proxy).map(({ address }) => String(address)), ...echServers(proxy)];
  return { addresses: [...new Set(addresses)], secrets: secretsOf(proxy), pin: (of) => pinned(proxy, dialer, of) };
}

function parse(text: string): [Json | undefined, Json | undefined] {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new OutboundError(`the outbounds are larger than ${MAX_BYTES} bytes`);
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new OutboundError('the outbounds are no JSON');
  }
  if (!Array.isArray(read) || read.length < 1 || read.length > 2 || !read.every(isObject))
    throw new OutboundError('the outbounds should be a list of the proxy and, where it has one, its dialer');
  return [read[0], read[1]];
}

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);

const objectAt = (value: unknown, ...path: readonly string[]): Json | undefined => {
  const found = at(value, ...path);
  return isObject(found) ? found : undefined;
};

const DOWNLOAD = ['streamSettings', 'xhttpSettings', 'extra', 'downloadSettings'] as const;

/** The server of the proxy, and that of its download. */
function serversOf(proxy: Json): Json[] {
  const settings = objectAt(proxy, 'settings');
  const listed = [settings?.['vnext'], settings?.['servers']].flat().filter(isObject);
  const download = objectAt(proxy, ...DOWNLOAD);
  return download ? [...listed, download] : listed;
}

/** The DNS servers at which the client looks up its ECH configuration. They must be IP addresses: a name is not pinned. */
function echServers(proxy: Json): string[] {
  return [objectAt(proxy, 'streamSettings'), objectAt(proxy, ...DOWNLOAD)].flatMap((stream) => {
    const value = at(stream, 'tlsSettings', 'echConfigList');
    if (typeof value !== 'string' || !value.includes('://')) return [];
    const host = /:\/\/(\[[^\]]+\]|[^/:?#@]+)(?::\d+)?(?:[/?#]|$)/.exec(value)?.[1]?.replace(/^\[(.*)\]$/, '$1');
    if (host !== undefined && ipaddr.isValid(host)) return [host];
    throw new OutboundError('the DNS server of the ECH configuration should be an IP address');
  });
}

function secretsOf(proxy: Json): string[] {
  const users = serversOf(proxy).flatMap((server) => [server, server['users']].flat().filter(isObject));
  const texts = users.flatMap(({ id, password }) => [id, password]).filter((value) => typeof value === 'string');
  return texts.flatMap((text) => [text, ...text.split(':')]).filter((text) => text.length > 5);
}

function pinned(proxy: Json, dialer: Json | undefined, addressOf: (name: string) => string): readonly object[] {
  const copy = structuredClone(proxy);
  for (const server of serversOf(copy)) {
    const name = String(server['address']);
    const stream = server['network'] === undefined ? objectAt(copy, 'streamSettings') : server;
    if (stream && !ipaddr.isValid(name)) writeOutName(stream, name);
    server['address'] = addressOf(name);
  }
  return dialer ? [copy, dialer] : [copy];
}

/** Writes the name of the server where the client would take it from the address. */
function writeOutName(stream: Json, name: string): void {
  const tls = stream['security'] === 'tls' ? ensure(stream, 'tlsSettings') : undefined;
  if (tls) tls['serverName'] ||= name;
  const serverName = tls?.['serverName'] ?? at(stream, 'realitySettings', 'serverName');
  const network = String(stream['network']);
  if (network === 'ws' || network === 'httpupgrade') ensure(stream, `${network}Settings`)['host'] ||= name;
  if (network === 'xhttp') ensure(stream, 'xhttpSettings')['host'] ||= serverName || name;
  if (network === 'grpc') ensure(stream, 'grpcSettings')['authority'] ||= serverName || name;
}

function ensure(object: Json, key: string): Json {
  const found = object[key];
  const member = isObject(found) ? found : {};
  object[key] = member;
  return member;
}
