import type {
  ProxyProtocol,
  ProxyTransport,
  RealitySecurity,
  ResolvedProxy,
  TlsSecurity,
} from '../model/resolved-proxy.js';
import { CREDENTIALS } from './user.js';

export const VMESS = { type: 'vmess', id: CREDENTIALS.vmess.id } as const satisfies ProxyProtocol;
export const VLESS = {
  type: 'vless',
  id: CREDENTIALS.vless.id,
  flow: '',
  encryption: 'none',
} as const satisfies ProxyProtocol;
export const TROJAN = { type: 'trojan', password: CREDENTIALS.trojan.password } as const satisfies ProxyProtocol;
export const SHADOWSOCKS = {
  type: 'shadowsocks',
  method: 'aes-256-gcm',
  password: 'pä?s>s',
  udp: true,
} as const satisfies ProxyProtocol;
export const SHADOWSOCKS_2022 = {
  type: 'shadowsocks',
  method: '2022-blake3-aes-128-gcm',
  password: 'AAECAwQFBgcICQoLDA0ODw==:m3+t/xny8opupgAag8aEhA==',
  udp: true,
} as const satisfies ProxyProtocol;

/** A VLESS proxy over plain tcp with the given changes. */
export function proxy(change: Partial<ResolvedProxy> = {}): ResolvedProxy {
  return {
    name: 'name',
    address: 'a.example',
    port: 443,
    protocol: VLESS,
    transport: { type: 'tcp' },
    security: { type: 'none' },
    finalmask: {},
    mux: {},
    fragment: {},
    noises: [],
    ...change,
  };
}

type TransportOf<Type extends ProxyTransport['type']> = Extract<ProxyTransport, { type: Type }>;

const EMPTY_TARGET = { path: '', host: '', headers: {} };
const TRANSPORTS: { readonly [Type in ProxyTransport['type']]: TransportOf<Type> } = {
  tcp: { type: 'tcp' },
  'tcp-http': {
    type: 'tcp-http',
    ...EMPTY_TARGET,
    method: 'GET',
    version: '1.1',
    headerLists: {},
    response: undefined,
  },
  ws: { type: 'ws', ...EMPTY_TARGET, heartbeatPeriod: 0 },
  httpupgrade: { type: 'httpupgrade', ...EMPTY_TARGET },
  xhttp: { type: 'xhttp', ...EMPTY_TARGET, mode: 'auto', extra: {}, download: undefined },
  grpc: { type: 'grpc', serviceName: '', authority: '', multiMode: false, userAgent: '', keepAlive: {} },
  kcp: { type: 'kcp', settings: {} },
};

/** A transport with the given settings and no others. */
export function transport<Type extends ProxyTransport['type']>(
  type: Type,
  change: Partial<TransportOf<Type>> = {},
): TransportOf<Type> {
  return { ...TRANSPORTS[type], ...change };
}

export function tls(change: Partial<TlsSecurity> = {}): TlsSecurity {
  return {
    type: 'tls',
    serverName: 's.example',
    alpn: [],
    fingerprint: '',
    allowInsecure: false,
    pinnedCertificates: [],
    pinnedPublicKeys: [],
    verifiedNames: [],
    echConfigList: '',
    ...change,
  };
}

export function reality(change: Partial<RealitySecurity> = {}): RealitySecurity {
  return {
    type: 'reality',
    serverName: 's.example',
    fingerprint: 'chrome',
    publicKey: 'pbk',
    shortId: 'ab12',
    spiderX: '',
    mldsa65Verify: '',
    ...change,
  };
}
