import { type Check, flag, json, list, number, object, oneOf, plain, portNumber, record, text } from './shape.js';

// The forms that the Xray format of subscriptions has. What a client could be told beyond them (another dialer, a socket
// option, an interface) is refused, so that a probe opens connections to the named servers only.

/** Masks that change what is sent to the server and open no connection of their own. */
const MASKS = [
  'fragment',
  'header-custom',
  'header-dns',
  'header-dtls',
  'header-srtp',
  'header-utp',
  'header-wechat',
  'header-wireguard',
  'mkcp-aes128gcm',
  'mkcp-original',
  'noise',
  'salamander',
  'sudoku',
];

const masks = list(object({ type: oneOf(...MASKS), settings: json(6) }, ['type']), 8);
const range = plain;
const headers = record(text);

const tlsSettings = object({
  serverName: text,
  fingerprint: text,
  pinnedPeerCertSha256: text,
  verifyPeerCertByName: text,
  echConfigList: text,
  alpn: list(text, 8),
});

const realitySettings = object({
  serverName: text,
  fingerprint: text,
  publicKey: text,
  shortId: text,
  spiderX: text,
  mldsa65Verify: text,
});

const httpRequest = object({ version: text, method: text, path: list(text), headers: record(list(text)) });
const tcpSettings = object({ header: object({ type: oneOf('http'), request: httpRequest, response: json(4) }) });

const pathAndHost = { path: text, host: text };

/** Settings of xhttp that both ends share: texts, numbers and flags, and objects of them. */
const sharedXhttp: Check = (value, path) => (plain(value, path) ? record(plain)(value, path) : undefined);

const xhttpExtra =
  (download: Check | undefined): Check =>
  (value, path) => {
    const { downloadSettings, sockopt, ...shared } = Object(value) as Record<string, unknown>;
    if (sockopt !== undefined) return `${path}.sockopt is not part of any subscription`;
    const problem = record(sharedXhttp)(shared, path);
    if (problem !== undefined || downloadSettings === undefined) return problem;
    const at = `${path}.downloadSettings`;
    return download ? download(downloadSettings, at) : `${at} is not part of any subscription`;
  };

/** The members of `streamSettings`, without those of the socket. */
const stream = (download: Check | undefined): Readonly<Record<string, Check>> => ({
  network: oneOf('tcp', 'ws', 'httpupgrade', 'xhttp', 'grpc', 'kcp'),
  security: oneOf('none', 'tls', 'reality'),
  tlsSettings,
  realitySettings,
  tcpSettings,
  wsSettings: object({ ...pathAndHost, headers, heartbeatPeriod: number }),
  httpupgradeSettings: object({ ...pathAndHost, headers }),
  xhttpSettings: object({ ...pathAndHost, mode: text, extra: xhttpExtra(download) }),
  grpcSettings: object({
    serviceName: text,
    authority: text,
    user_agent: text,
    multiMode: flag,
    idle_timeout: number,
    health_check_timeout: number,
    permit_without_stream: flag,
    initial_windows_size: number,
  }),
  kcpSettings: record(plain),
  finalmask: object({ tcp: masks, udp: masks, quicParams: json(3) }),
});

const server = { address: text, port: portNumber };
const downloadSettings = object({ ...server, ...stream(undefined) }, ['address', 'port', 'network']);

const streamSettings = object(
  { ...stream(downloadSettings), sockopt: object({ dialerProxy: oneOf('dialer') }, ['dialerProxy']) },
  ['network', 'security'],
);

const one = (item: Check): Check => list(item, 1);
const vnext = (user: Check) =>
  object({ vnext: one(object({ ...server, users: one(user) }, ['address', 'port', 'users'])) }, ['vnext']);
const servers = (credentials: Readonly<Record<string, Check>>) =>
  object({ servers: one(object({ ...server, ...credentials }, ['address', 'port', 'password'])) }, ['servers']);

const SETTINGS: Readonly<Record<string, Check>> = {
  vmess: vnext(object({ id: text, security: oneOf('auto') }, ['id'])),
  vless: vnext(object({ id: text, encryption: text, flow: text }, ['id', 'encryption'])),
  trojan: servers({ password: text }),
  shadowsocks: servers({ method: text, password: text }),
};

const mux = object({ enabled: flag, concurrency: number, xudpConcurrency: number, xudpProxyUDP443: text });

/** The outbound `proxy` of a subscription. */
export const proxyOutbound: Check = (value, path) => {
  const { protocol } = Object(value) as Record<string, unknown>;
  const settings = typeof protocol === 'string' && Object.hasOwn(SETTINGS, protocol) ? SETTINGS[protocol] : undefined;
  if (settings === undefined) return `${path}.protocol should be one of ${Object.keys(SETTINGS).join(', ')}`;
  const members = { tag: oneOf('proxy'), protocol: text, settings, streamSettings, mux };
  return object(members, ['tag', 'settings', 'streamSettings'])(value, path);
};

const fragment = object({ packets: text, length: range, interval: range });
const noise = object({ type: text, packet: text, delay: range, applyTo: text });

/** The outbound that fragments what the proxy sends. It dials what the proxy names. */
export const dialerOutbound: Check = object(
  { tag: oneOf('dialer'), protocol: oneOf('freedom'), settings: object({ fragment, noises: list(noise, 100) }) },
  ['tag', 'protocol', 'settings'],
);
