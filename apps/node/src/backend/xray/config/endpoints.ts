import { isIPv6 } from 'node:net';
import { type JsonObject, objectAt, refuse, textAt, textsAt } from './json-tree.js';

export type Transport = 'tcp' | 'udp';

/** Where an inbound listens. */
export type Endpoint = { readonly tag: string } & (
  | {
      readonly kind: 'port';
      readonly host: string;
      readonly first: number;
      readonly last: number;
      readonly transport: Transport;
    }
  /** As the kernel shows it: abstract ones, which are no files, begin with "@". */
  | { readonly kind: 'path'; readonly path: string }
);

type PortEndpoint = Extract<Endpoint, { kind: 'port' }>;

/** The longest path of a unix socket. */
const MAX_PATH_BYTES = 107;

export function endpointsOf(inbound: JsonObject): Endpoint[] {
  const tag = textAt(inbound, 'tag');
  // The engine crashes on it.
  if (inbound['listen'] === '') refuse(`inbound "${tag}": listen is empty; leave it out to listen on every address`);
  const listen = textAt(inbound, 'listen') || '0.0.0.0';
  if (listen.startsWith('/')) return [{ tag, kind: 'path', path: pathOf(tag, listen) }];
  if (listen.startsWith('@')) return [{ tag, kind: 'path', path: abstractPath(listen) }];
  if (textAt(inbound, 'protocol').toLowerCase() === 'tun') return [];
  const host = listen === 'localhost' ? '127.0.0.1' : listen.replace(/^\[(.*)\]$/, '$1');
  return portRanges(tag, inbound['port']).flatMap(([first, last]) =>
    transportsOf(inbound).map((transport) => ({ tag, kind: 'port' as const, host, first, last, transport })),
  );
}

/** `path`, or `path,mode` with the mode in octal digits. */
function pathOf(tag: string, listen: string): string {
  const [path = '', mode, ...others] = listen.split(',');
  if (others.length > 0 || (mode !== undefined && !/^0?[0-7]{3}$/.test(mode))) {
    refuse(`inbound "${tag}": listen "${listen}" must be a path, or a path, a comma and a mode like 0666`);
  }
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    refuse(`inbound "${tag}": the path ${path} is longer than the ${MAX_PATH_BYTES} bytes that a socket may have`);
  }
  return path;
}

/** After two of the marks the engine fills the name up with zeros, which the kernel shows as such marks. */
function abstractPath(listen: string): string {
  return listen.startsWith('@@') ? listen.slice(1).padEnd(MAX_PATH_BYTES + 1, '@') : listen;
}

/** Reads `443`, `"443"`, `"80,443"` and `"1000-1010"`; none at all is left to the engine. */
function portRanges(tag: string, port: unknown): [number, number][] {
  if (typeof port !== 'number' && typeof port !== 'string') return [];
  return `${port}`.split(',').flatMap((part) => {
    if (part.trim() === '') return [];
    const [, first, last = first] = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(part) ?? [];
    if (first === undefined) {
      return refuse(`inbound "${tag}": port "${part}" must be a number, or two of them with a dash between`);
    }
    if (Number(last) > 65_535) refuse(`inbound "${tag}": ${last} is not a port; the highest is 65535`);
    // The engine would listen nowhere, or on a port that nobody knows.
    if (Number(first) === 0) refuse(`inbound "${tag}": 0 is not a port; the lowest is 1`);
    return [[Number(first), Number(last)] as [number, number]];
  });
}

function transportsOf(inbound: JsonObject): Transport[] {
  const stream = objectAt(inbound, 'streamSettings', 'streamSettings');
  const settings = objectAt(inbound, 'settings', 'settings');
  const network = textAt(stream, 'network').toLowerCase();
  const protocol = textAt(inbound, 'protocol').toLowerCase();
  if (['kcp', 'mkcp', 'hysteria'].includes(network) || ['hysteria', 'wireguard', 'tun'].includes(protocol))
    return ['udp'];
  if (isHttp3(stream)) return ['udp'];
  if (['socks', 'mixed'].includes(protocol)) return settings['udp'] === true ? ['tcp', 'udp'] : ['tcp'];
  if (['shadowsocks', 'dokodemo-door', 'tunnel'].includes(protocol)) {
    const networks = textsAt(settings, 'network').map((name) => name.toLowerCase());
    return networks.length === 0
      ? ['tcp']
      : (['tcp', 'udp'] as const).filter((transport) => networks.includes(transport));
  }
  return ['tcp'];
}

/** Whether the engine listens with QUIC here, and with nothing else. */
export function isHttp3(stream: JsonObject): boolean {
  if (!['xhttp', 'splithttp'].includes(textAt(stream, 'network').toLowerCase())) return false;
  if (textAt(stream, 'security').toLowerCase() !== 'tls') return false;
  const alpn = textsAt(objectAt(stream, 'tlsSettings', 'tlsSettings'), 'alpn');
  return alpn.length === 1 && alpn[0] === 'h3';
}

/** CONFIG_REFUSED when two inbounds want the same place: the engine would start and give each half of the connections. */
export function checkDistinct(endpoints: readonly Endpoint[]): void {
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
