import { readListen } from './fallback.js';
import type { Alpn, Inbound, Network, RemovedNetwork } from './inbound.js';
import type { JsonCursor } from './json.js';
import type { CoreConfigWarning } from './warnings.js';

/** What current clients will not accept of an inbound that the engine runs; measured against the pinned engine. */
export function clientWarnings(cursor: JsonCursor, inbound: Inbound): CoreConfigWarning[] {
  if (inbound.removed !== undefined) return [];
  const stream = cursor.get('streamSettings');
  return [...versionWarnings(stream, inbound), ...alpnWarnings(stream, inbound), ...gapWarnings(cursor, inbound)];
}

/** REALITY clients other than the engine name an old version of it. */
const HARMLESS_VERSION = [1, 0, 0];

function versionWarnings(stream: JsonCursor, { tag, security }: Inbound): CoreConfigWarning[] {
  const cursor = stream.get('realitySettings').get('minClientVer');
  if (security !== 'reality' || typeof cursor.value !== 'string' || !isAbove(cursor.value, HARMLESS_VERSION)) return [];
  return [
    {
      path: cursor.path,
      code: 'reality_client_version',
      message: `minClientVer ${cursor.value} of inbound ${tag} locks out clients such as sing-box and mihomo: 1.0.0 does not`,
    },
  ];
}

function isAbove(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  const at = least.findIndex((part, index) => (parts[index] ?? 0) !== part);
  return at >= 0 && (parts[at] ?? 0) > (least[at] ?? 0);
}

/** What clients speak inside TLS on these transports; a server that offers only others ends every handshake. */
const SPOKEN: Partial<Record<Network | RemovedNetwork, readonly Alpn[]>> = {
  tcp: ['h2', 'http/1.1'],
  ws: ['http/1.1'],
  httpupgrade: ['http/1.1'],
  grpc: ['h2'],
};

function alpnWarnings(stream: JsonCursor, { tag, network, alpn }: Inbound): CoreConfigWarning[] {
  const spoken = SPOKEN[network];
  if (spoken === undefined || alpn.length === 0 || alpn.some((protocol) => spoken.includes(protocol))) return [];
  return [
    {
      path: stream.get('tlsSettings').get('alpn').path,
      code: 'alpn_unusable',
      message: `alpn of inbound ${tag} has none of ${spoken.join(', ')}: no client can connect over ${network}`,
    },
  ];
}

function gapWarnings(cursor: JsonCursor, inbound: Inbound): CoreConfigWarning[] {
  // What a fallback leads to is seen through its parent, with that one's security.
  if (isLocal(readListen(cursor))) return [];
  return [
    { client: 'sing-box', lacks: lackOfSingBox(inbound) },
    { client: 'mihomo', lacks: lackOfMihomo(inbound) },
  ].flatMap(({ client, lacks }) =>
    lacks === undefined
      ? []
      : [
          {
            path: cursor.path,
            code: 'client_unsupported' as const,
            message: `inbound ${inbound.tag} is left out for ${client} clients: they have no ${lacks}`,
          },
        ],
  );
}

const isLocal = (listen: string): boolean => /^[/@]|^127\.|^localhost$|^\[?::1\]?$/.test(listen);

function lackOfSingBox(inbound: Inbound): string | undefined {
  const { protocol, network, security, headerType } = inbound;
  if (network === 'xhttp' || network === 'kcp') return network;
  if (protocol === 'vless' && inbound.encryption !== 'none') return 'vless encryption';
  if (protocol === 'shadowsocks') return lackOfShadowsocks(inbound);
  return headerType === 'http' && security !== 'none' ? `http header under ${security}` : undefined;
}

function lackOfMihomo(inbound: Inbound): string | undefined {
  const { protocol, network, security, headerType, finalmask } = inbound;
  if (protocol === 'shadowsocks') return lackOfShadowsocks(inbound);
  if (network === 'kcp') {
    return protocol === 'vmess' && Object.keys(finalmask).length > 0 ? undefined : `kcp that fits ${protocol} here`;
  }
  if (network === 'xhttp' && protocol !== 'vless') return `${protocol} over xhttp`;
  if (protocol === 'trojan' && security === 'none') return 'trojan without TLS';
  return protocol === 'trojan' && headerType === 'http' ? 'trojan with an http header' : undefined;
}

/** Neither carries shadowsocks over anything but plain tcp, or websocket as a plugin. */
function lackOfShadowsocks({ network, security, headerType }: Inbound): string | undefined {
  if (network === 'ws' || (network === 'tcp' && security === 'none' && headerType === '')) return undefined;
  return `shadowsocks over ${network}${security === 'none' ? '' : ` with ${security}`}${headerType && ' with a header'}`;
}
