/** What the engine knows at a place of its configuration: keys with a value to begin with, or the values of a key. */
type Known = Readonly<Record<string, string>>;

const SNIFFING = { enabled: 'true', destOverride: '["http", "tls", "quic"]', metadataOnly: 'false', routeOnly: 'true' };
const STREAM = {
  network: '"tcp"',
  security: '"none"',
  tlsSettings: '{}',
  realitySettings: '{}',
  tcpSettings: '{}',
  wsSettings: '{}',
  grpcSettings: '{}',
  httpupgradeSettings: '{}',
  xhttpSettings: '{}',
  kcpSettings: '{}',
  sockopt: '{}',
};
const TLS = {
  serverName: '""',
  alpn: '["h2", "http/1.1"]',
  certificates: '[]',
  minVersion: '"1.2"',
  rejectUnknownSni: 'false',
  fingerprint: '"chrome"',
};
const REALITY = {
  show: 'false',
  target: '"example.com:443"',
  xver: '0',
  serverNames: '[]',
  privateKey: '""',
  shortIds: '[]',
  maxTimeDiff: '0',
};

/** Keys by the path of their object; `[]` stands for any element of a list. */
const KEYS: Readonly<Record<string, Known>> = {
  '': { log: '{}', dns: '{}', routing: '{}', policy: '{}', inbounds: '[]', outbounds: '[]', stats: '{}' },
  log: { loglevel: '"warning"', access: '"none"', error: '""', dnsLog: 'false' },
  dns: { servers: '[]', hosts: '{}', queryStrategy: '"UseIP"', disableCache: 'false' },
  routing: { domainStrategy: '"AsIs"', rules: '[]', balancers: '[]' },
  'routing.rules[]': {
    type: '"field"',
    inboundTag: '[]',
    outboundTag: '"DIRECT"',
    balancerTag: '""',
    domain: '[]',
    ip: '[]',
    port: '""',
    network: '"tcp"',
    protocol: '[]',
    user: '[]',
    source: '[]',
  },
  'inbounds[]': {
    tag: '""',
    listen: '"0.0.0.0"',
    port: '443',
    protocol: '"vless"',
    settings: '{}',
    streamSettings: '{}',
    sniffing: '{}',
  },
  'inbounds[].settings': {
    clients: '[]',
    decryption: '"none"',
    fallbacks: '[]',
    method: '"2022-blake3-aes-128-gcm"',
    password: '""',
    network: '"tcp"',
  },
  'inbounds[].sniffing': SNIFFING,
  'inbounds[].streamSettings': STREAM,
  'inbounds[].streamSettings.tlsSettings': TLS,
  'inbounds[].streamSettings.tlsSettings.certificates[]': { certificateFile: '""', keyFile: '""' },
  'inbounds[].streamSettings.realitySettings': REALITY,
  'inbounds[].streamSettings.wsSettings': { path: '"/"', host: '""', acceptProxyProtocol: 'false' },
  'inbounds[].streamSettings.grpcSettings': { serviceName: '""', multiMode: 'false' },
  'inbounds[].streamSettings.httpupgradeSettings': { path: '"/"', host: '""' },
  'inbounds[].streamSettings.xhttpSettings': { path: '"/"', host: '""', mode: '"auto"' },
  'inbounds[].streamSettings.tcpSettings': { acceptProxyProtocol: 'false', header: '{}' },
  'inbounds[].streamSettings.sockopt': { tcpFastOpen: 'true', mark: '0', tproxy: '"off"', tcpKeepAliveIdle: '300' },
  'outbounds[]': {
    tag: '"DIRECT"',
    protocol: '"freedom"',
    settings: '{}',
    streamSettings: '{}',
    proxySettings: '{}',
    sendThrough: '"0.0.0.0"',
    mux: '{}',
  },
  'outbounds[].streamSettings': STREAM,
};

/** What the engine speaks in both directions. */
const PROTOCOLS = ['vless', 'vmess', 'trojan', 'shadowsocks', 'socks', 'http'];
const NETWORKS = ['tcp', 'raw', 'ws', 'grpc', 'httpupgrade', 'xhttp', 'kcp'];

/** The values of a key, by its path. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  'log.loglevel': ['debug', 'info', 'warning', 'error', 'none'],
  'routing.domainStrategy': ['AsIs', 'IPIfNonMatch', 'IPOnDemand'],
  'inbounds[].protocol': [...PROTOCOLS, 'dokodemo-door'],
  'outbounds[].protocol': ['freedom', 'blackhole', 'dns', 'loopback', 'wireguard', ...PROTOCOLS],
  'inbounds[].streamSettings.network': NETWORKS,
  'outbounds[].streamSettings.network': NETWORKS,
  'inbounds[].streamSettings.security': ['none', 'tls', 'reality'],
  'outbounds[].streamSettings.security': ['none', 'tls', 'reality'],
  'inbounds[].streamSettings.xhttpSettings.mode': ['auto', 'packet-up', 'stream-up', 'stream-one'],
  'inbounds[].settings.method': [
    '2022-blake3-aes-128-gcm',
    '2022-blake3-aes-256-gcm',
    'aes-128-gcm',
    'aes-256-gcm',
    'chacha20-ietf-poly1305',
  ],
  'inbounds[].sniffing.destOverride[]': ['http', 'tls', 'quic', 'fakedns'],
  'dns.queryStrategy': ['UseIP', 'UseIPv4', 'UseIPv6'],
};

const nameOf = (path: readonly (string | number)[]): string =>
  path.map((part, at) => (typeof part === 'number' ? '[]' : `${at > 0 ? '.' : ''}${part}`)).join('');

/** The keys of the object at a path; empty where none are known. */
export const keysAt = (path: readonly (string | number)[]): Known => KEYS[nameOf(path)] ?? {};

/** The values that the engine knows for a path; empty where any value is right. */
export const valuesAt = (path: readonly (string | number)[]): readonly string[] => VALUES[nameOf(path)] ?? [];
