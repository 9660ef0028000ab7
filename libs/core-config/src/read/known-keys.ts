import { foldCase } from './fold-case.js';
import type { KnownKey, KnownKeys } from './spell-keys.js';

/** Names of known members, each with the known members inside it. A plain list names members with none inside. */
type KeyTree = readonly string[] | { readonly [name: string]: KeyTree };

function knownKeys(tree: KeyTree): KnownKeys {
  const entries: [string, KeyTree][] = isNames(tree) ? tree.map((name) => [name, []]) : Object.entries(tree);
  return new Map(entries.map(([name, inside]) => [foldCase(name), knownKey(name, inside)]));
}

function knownKey(name: string, inside: KeyTree): KnownKey {
  const isLeaf = isNames(inside) && inside.length === 0;
  return { name, ...(!isLeaf && { inside: knownKeys(inside) }), ...(name === 'spiderX' && { mayStandTwice: true }) };
}

const isNames = (tree: KeyTree): tree is readonly string[] => Array.isArray(tree);
const leaves = (...names: readonly string[]): { [name: string]: KeyTree } =>
  Object.fromEntries(names.map((name) => [name, []]));

/** Settings of xhttp on which both sides must agree, or that an operator sets for clients; all others concern the server. */
export const SHARED_XHTTP_KEYS = [
  'xPaddingBytes',
  'xPaddingObfsMode',
  'xPaddingKey',
  'xPaddingHeader',
  'xPaddingPlacement',
  'xPaddingMethod',
  'uplinkHTTPMethod',
  'sessionPlacement',
  'sessionKey',
  'sessionIDPlacement',
  'sessionIDKey',
  'sessionIDTable',
  'sessionIDLength',
  'seqPlacement',
  'seqKey',
  'uplinkDataPlacement',
  'uplinkDataKey',
  'uplinkChunkSize',
  'noGRPCHeader',
  'scMaxEachPostBytes',
  'scMinPostsIntervalMs',
  'xmux',
];

const RAW = { header: { type: [], request: ['path', 'headers'] } };
const PATH_AND_HOST = ['path', 'host', 'headers'];
const SHARED_XHTTP = { ...leaves(...SHARED_XHTTP_KEYS), xmux: ['maxConcurrency', 'maxConnections'] };
const XHTTP = { ...leaves(...PATH_AND_HOST, 'mode'), ...SHARED_XHTTP, extra: SHARED_XHTTP };
const UPGRADED = [...PATH_AND_HOST, 'acceptProxyProtocol'];
const GRPC = ['serviceName', 'authority', 'multiMode'];

const STREAM = {
  ...leaves('network', 'security'),
  tlsSettings: {
    ...leaves('alpn', 'serverName', 'fingerprint', 'allowInsecure', 'verifyPeerCertByName'),
    certificates: ['certificate', 'certificateFile', 'key', 'keyFile', 'usage'],
  },
  realitySettings: [
    ...['privateKey', 'shortIds', 'serverNames', 'target', 'dest', 'type', 'fingerprint', 'minClientVer'],
    ...['mldsa65Seed', 'mldsa65Verify', 'spiderX'],
  ],
  rawSettings: RAW,
  tcpSettings: RAW,
  wsSettings: UPGRADED,
  httpupgradeSettings: UPGRADED,
  xhttpSettings: XHTTP,
  splithttpSettings: XHTTP,
  grpcSettings: GRPC,
  gunSettings: GRPC,
  kcpSettings: ['seed', 'header'],
  quicSettings: ['key'],
  httpSettings: ['path', 'host'],
  h2Settings: ['path', 'host'],
  h3Settings: ['path', 'host'],
  finalmask: { udp: [], tcp: ['type'] },
  sockopt: ['acceptProxyProtocol', 'trustedXForwardedFor'],
};

/** The known keys of an element of `inbounds`. */
export const INBOUND_KEYS = knownKeys({
  ...leaves('tag', 'listen', 'port', 'protocol'),
  settings: {
    ...leaves('method', 'password', 'network', 'udp', 'flow', 'decryption', 'encryption', 'users'),
    clients: { ...leaves('email', 'flow'), reverse: ['tag'] },
    fallbacks: ['dest', 'type'],
  },
  sniffing: ['enabled', 'metadataOnly'],
  streamSettings: STREAM,
});

const ADDRESS_LISTS = ['ip', 'source', 'sourceIP', 'localIP'];
const USER_STATISTICS = ['statsUserUplink', 'statsUserDownlink', 'statsUserOnline'];
const SYSTEM_STATISTICS = [
  ...['statsInboundUplink', 'statsInboundDownlink'],
  ...['statsOutboundUplink', 'statsOutboundDownlink'],
];
const OBSERVATORY = ['subjectSelector', 'enableConcurrency'];

/** The known keys of a whole configuration, except for those inside its inbounds. */
export const CONFIG_KEYS = knownKeys({
  ...leaves('inbounds', 'stats'),
  log: ['access', 'error', 'loglevel'],
  api: ['tag', 'services', 'listen'],
  policy: { levels: { '0': USER_STATISTICS }, system: SYSTEM_STATISTICS },
  routing: {
    rules: ['outboundTag', 'balancerTag', 'inboundTag', 'user', 'domain', 'domains', ...ADDRESS_LISTS],
    balancers: ['tag', 'selector', 'fallbackTag'],
  },
  outbounds: {
    ...leaves('tag', 'protocol'),
    settings: { ...leaves('address', 'inboundTag'), vnext: ['address'], servers: ['address'], peers: ['endpoint'] },
  },
  reverse: { portals: ['tag', 'domain'] },
  metrics: ['tag', 'listen'],
  dns: { hosts: [], servers: ['address', 'expectedIPs', 'expectIPs', 'unexpectedIPs', 'domains'] },
  observatory: OBSERVATORY,
  burstObservatory: OBSERVATORY,
});
