import { readListen } from './fallback.js';
import type { Alpn, Inbound, Network, RemovedNetwork } from './inbound.js';
import type { JsonCursor } from './json.js';
import { realityWarnings } from './reality-warnings.js';
import type { CoreConfigWarning } from './warnings.js';

/** What current clients will not accept of an inbound that the engine runs; measured against the pinned engine. */
export function clientWarnings(
  cursor: JsonCursor,
  inbound: Inbound,
  engineVersions: readonly string[],
): CoreConfigWarning[] {
  if (inbound.removed !== undefined) return [];
  const stream = cursor.get('streamSettings');
  return [
    ...realityWarnings(stream, inbound, engineVersions),
    ...alpnWarnings(stream, inbound),
    ...flowWarnings(cursor.get('settings'), inbound),
    ...xmuxWarnings(stream, inbound),
    ...insecureWarnings(stream, inbound),
    ...gapWarnings(cursor, inbound),
  ];
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

/** Beside VLESS encryption the engine has no fallbacks; elsewhere than on raw TLS and REALITY vision breaks connections. */
function flowWarnings(settings: JsonCursor, inbound: Inbound): CoreConfigWarning[] {
  if (inbound.protocol !== 'vless') return [];
  const warnings: CoreConfigWarning[] = [];
  if (inbound.flow !== '' && !inbound.vision) {
    const message = `inbound ${inbound.tag} cannot carry ${inbound.flow}: users are served without it`;
    warnings.push({ path: settings.get('flow').path, code: 'flow_unusable', message });
  }
  const decryption = settings.get('decryption').text() || 'none';
  if (decryption !== 'none' && settings.get('fallbacks').items().length > 0) {
    const message = `inbound ${inbound.tag} has fallbacks beside VLESS encryption: the engine refuses that`;
    warnings.push({ path: settings.get('fallbacks').path, code: 'fallbacks_unusable', message });
  }
  return warnings;
}

/** Clients get the inbound's xmux, and refuse their whole configuration with both limits in it. */
function xmuxWarnings(stream: JsonCursor, { tag, extra }: Inbound): CoreConfigWarning[] {
  const { maxConcurrency, maxConnections } = Object(extra['xmux']);
  if (!isLimit(maxConcurrency) || !isLimit(maxConnections)) return [];
  const { path } = stream.getFirst('xhttpSettings', 'splithttpSettings');
  const message = `xmux of inbound ${tag} limits both maxConcurrency and maxConnections: clients refuse that`;
  return [{ path, code: 'xmux_conflict', message }];
}

/** `0`, `"0"` and `"0-0"` are none. */
const isLimit = (value: unknown): boolean => value !== undefined && value !== null && !/^0+(-0+)?$/.test(String(value));

function insecureWarnings(stream: JsonCursor, { tag, allowInsecure }: Inbound): CoreConfigWarning[] {
  if (!allowInsecure) return [];
  const { path } = stream.get('tlsSettings').get('allowInsecure');
  const message = `allowInsecure of inbound ${tag} is refused by Xray clients since June 2026: they get a pin of its certificate`;
  return [{ path, code: 'allow_insecure', message }];
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
