import type { Json, Material } from './cell.js';

/** Parts of inbounds, by their names in the table. */

export const PROTOCOLS = {
  vmess: () => ({ protocol: 'vmess', settings: {} }),
  vless: () => ({ protocol: 'vless', settings: { decryption: 'none' } }),
  'vless mlkem': ({ encryption }: Material) => ({ protocol: 'vless', settings: encryption }),
  trojan: () => ({ protocol: 'trojan', settings: {} }),
  shadowsocks: () => ({ protocol: 'shadowsocks', settings: {} }),
  'shadowsocks 2022-blake3-aes-128-gcm': () => shadowsocks2022('128', 'AAECAwQFBgcICQoLDA0ODw=='),
  'shadowsocks 2022-blake3-aes-256-gcm': () => shadowsocks2022('256', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='),
} as const satisfies Readonly<Record<string, (material: Material) => Json>>;
export type ProtocolName = keyof typeof PROTOCOLS;

const shadowsocks2022 = (bits: string, password: string): Json => ({
  protocol: 'shadowsocks',
  settings: { method: `2022-blake3-aes-${bits}-gcm`, password },
});

export const HTTP_HEADER = { type: 'http', request: { path: ['/h'], headers: { Host: ['h.example'] } } };

const xhttp = (mode: string): Json => ({
  network: 'xhttp',
  xhttpSettings: { path: '/x', host: 'x.example', mode },
});
const masked = (...masks: readonly Json[]): Json => ({ network: 'kcp', finalmask: { udp: masks } });
/** The masks that mihomo supports: a header in front of the original mKCP encryption. */
const withHeader = (type: string): Json => masked({ type }, { type: 'mkcp-original' });

export const TRANSPORTS = {
  tcp: { network: 'tcp' },
  raw: { network: 'raw' },
  'tcp + http': { network: 'tcp', tcpSettings: { header: HTTP_HEADER } },
  ws: { network: 'ws', wsSettings: { path: '/w s', host: 'w.example' } },
  'ws ?ed=2048': { network: 'ws', wsSettings: { path: '/w?ed=2048', host: 'w.example' } },
  'ws of one name': { network: 'ws', wsSettings: { path: '/o', host: 't.example' } },
  httpupgrade: { network: 'httpupgrade', httpupgradeSettings: { path: '/u', host: 'u.example' } },
  grpc: { network: 'grpc', grpcSettings: { serviceName: 'service' } },
  'grpc multi': { network: 'grpc', grpcSettings: { serviceName: 'service', multiMode: true } },
  'xhttp auto': xhttp('auto'),
  'xhttp packet-up': xhttp('packet-up'),
  'xhttp stream-up': xhttp('stream-up'),
  'xhttp stream-one': xhttp('stream-one'),
  kcp: { network: 'kcp' },
  'kcp mkcp-original': masked({ type: 'mkcp-original' }),
  'kcp mkcp-aes128gcm': masked({ type: 'mkcp-aes128gcm', settings: { password: 'a seed' } }),
  'kcp header-wechat': withHeader('header-wechat'),
  'kcp header-srtp': withHeader('header-srtp'),
  'kcp header-utp': withHeader('header-utp'),
  'kcp header-dtls': withHeader('header-dtls'),
  'kcp header-wireguard': withHeader('header-wireguard'),
  'kcp header-dns': masked({ type: 'header-dns', settings: { domain: 'd.example' } }, { type: 'mkcp-original' }),
} as const satisfies Readonly<Record<string, Json>>;
export type TransportName = keyof typeof TRANSPORTS;

const realityWith = (target: number, change: Json = {}): Json => ({
  security: 'reality',
  realitySettings: {
    target,
    serverNames: ['r.example'],
    privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
    shortIds: ['ab12'],
    spiderX: '/s',
    ...change,
  },
});

/** TLS settings with the certificate that clients trust. */
export const tlsWith = ({ certificate }: Pick<Material, 'certificate'>, change: Json = {}): Json => ({
  security: 'tls',
  tlsSettings: { serverName: 't.example', certificates: [certificate], ...change },
});

export const SECURITIES = {
  none: () => ({}),
  tls: (material: Material) => tlsWith(material),
  'tls h3': (material: Material) => tlsWith(material, { alpn: ['h3'] }),
  reality: ({ target }: Material) => realityWith(target),
  'reality, empty short id': ({ target }: Material) => realityWith(target, { shortIds: [''] }),
  'reality, short id 2351e1': ({ target }: Material) => realityWith(target, { shortIds: ['2351e1'] }),
  'reality, open to clients of 1.0.0': ({ target }: Material) => realityWith(target, { minClientVer: '1.0.0' }),
  'reality, spiderX without /': ({ target }: Material) => realityWith(target, { spiderX: 's' }),
  'reality mldsa65': ({ largeTarget, mldsa65 }: Material) => realityWith(largeTarget, mldsa65),
} as const satisfies Readonly<Record<string, (material: Material) => Json>>;
export type SecurityName = keyof typeof SECURITIES;

export interface InboundParts {
  readonly protocol: ProtocolName;
  readonly transport: TransportName;
  readonly security: SecurityName;
}

/** Builds an inbound from its parts, on a new port. */
export function inboundOf({ protocol, transport, security }: InboundParts, material: Material): Json {
  return {
    ...PROTOCOLS[protocol](material),
    port: material.ports(1),
    streamSettings: { ...TRANSPORTS[transport], ...SECURITIES[security](material) },
  };
}
