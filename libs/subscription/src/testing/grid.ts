/** Any part of an engine configuration. */
export type Json = Readonly<Record<string, unknown>>;

/** One combination of protocol, transport and security: an inbound without tag, port and users. */
export interface Cell {
  readonly name: string;
  readonly inbound: Json;
}

/** What the cells need that exists only while the tests run. */
export interface GridMaterial {
  /** Certificate and key, as lists of lines. */
  readonly certificate: Json;
  /** A port of this machine where a server speaks TLS 1.3. */
  readonly realityTarget: number;
  /** A VLESS encryption pair. */
  readonly encryption: Json;
}

const PROTOCOLS: Readonly<Record<string, Json>> = {
  vmess: { protocol: 'vmess', settings: {} },
  vless: { protocol: 'vless', settings: { decryption: 'none' } },
  trojan: { protocol: 'trojan', settings: {} },
  shadowsocks: { protocol: 'shadowsocks', settings: {} },
  'shadowsocks-2022': {
    protocol: 'shadowsocks',
    settings: { method: '2022-blake3-aes-128-gcm', password: 'AAECAwQFBgcICQoLDA0ODw==' },
  },
};

const HTTP_HEADER = { type: 'http', request: { path: ['/h'], headers: { Host: ['h.example'] } } };

const TRANSPORTS: Readonly<Record<string, Json>> = {
  tcp: { network: 'tcp' },
  'tcp-http': { network: 'raw', rawSettings: { header: HTTP_HEADER } },
  ws: { network: 'ws', wsSettings: { path: '/w s', host: 'w.example' } },
  httpupgrade: { network: 'httpupgrade', httpupgradeSettings: { path: '/u', host: 'u.example' } },
  grpc: { network: 'gun', gunSettings: { serviceName: 'my/service' } },
  xhttp: { network: 'xhttp', xhttpSettings: { path: '/x', host: 'x.example' } },
  kcp: { network: 'kcp', kcpSettings: {} },
};

/** Variants that are tried with one protocol only. */
const VARIANTS: Readonly<Record<string, Json>> = {
  'ws with early data': { network: 'ws', wsSettings: { path: '/w?ed=2048' } },
  'grpc multi': { network: 'grpc', grpcSettings: { serviceName: 's', multiMode: true } },
  'grpc with a custom path': { network: 'grpc', grpcSettings: { serviceName: '/my/path/A|B', multiMode: true } },
  ...Object.fromEntries(
    ['packet-up', 'stream-up', 'stream-one'].map((mode) => [
      `xhttp ${mode}`,
      { network: 'splithttp', splithttpSettings: { path: '/x', mode, xPaddingBytes: '2000-3000' } },
    ]),
  ),
};

const MASKED = { network: 'kcp', finalmask: { udp: [{ type: 'mkcp-aes128gcm', settings: { password: 'mask' } }] } };

/** The certificate's. */
const ONE_NAME = { network: 'ws', wsSettings: { path: '/o', host: 't.example' } };

/** Every combination that the engine offers. */
export function grid(material: GridMaterial): Cell[] {
  const { certificate, realityTarget, encryption } = material;
  const tls = { security: 'tls', tlsSettings: { certificates: [certificate] } };
  const reality = (change: Json = {}) => ({
    security: 'reality',
    realitySettings: {
      target: realityTarget,
      serverNames: ['r.example'],
      privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
      shortIds: ['ab12'],
      spiderX: '/s',
      ...change,
    },
  });
  const securities: Readonly<Record<string, Json>> = { none: {}, tls, reality: reality() };
  const { vless, vmess, shadowsocks, 'shadowsocks-2022': shadowsocks2022 } = PROTOCOLS;
  const encrypted = { protocol: 'vless', settings: encryption };
  return [
    ...cells(PROTOCOLS, TRANSPORTS, securities),
    ...cells({ vless }, VARIANTS, securities),
    // A plugin has one name for both.
    ...cells({ shadowsocks, 'shadowsocks-2022': shadowsocks2022 }, { 'ws with one name': ONE_NAME }, { none: {}, tls }),
    ...cells({ vmess }, { 'kcp with a mask': MASKED }, securities),
    ...cells({ vless }, { tcp: TRANSPORTS['tcp'] }, { 'reality without a short id': reality({ shortIds: [''] }) }),
    ...cells({ 'vless with encryption': encrypted }, TRANSPORTS, securities),
    ...cells(
      { vless },
      { xhttp: TRANSPORTS['xhttp'] },
      { 'tls h3': { ...tls, tlsSettings: { ...tls.tlsSettings, alpn: ['h3'] } } },
    ),
  ];
}

type Part = Readonly<Record<string, Json | undefined>>;

function cells(protocols: Part, transports: Part, securities: Part): Cell[] {
  return Object.entries(protocols).flatMap(([protocolName, protocol]) =>
    Object.entries(transports).flatMap(([transportName, transport]) =>
      Object.entries(securities)
        .filter(([name]) => !name.startsWith('reality') || /^(tcp|grpc|xhttp)/.test(transportName))
        .map(([securityName, security]) => ({
          name: `${protocolName} ${transportName} ${securityName}`,
          inbound: { ...protocol, listen: '127.0.0.1', streamSettings: { ...transport, ...security } },
        })),
    ),
  );
}
