import type { EditableObject } from './editable-json.js';

export const SECRETS = {
  realityKey: 'kHa6WzpE7yI0Vx5s3bN1mQc8dLr2tUf4gZj9oXeYwP0',
  serverKey: Buffer.alloc(16, 7).toString('base64'),
  password: 'outbound-secret-password',
  uuid: '5e1f2d3c-4b5a-4697-8877-665544332211',
} as const;

const inbound = (tag: string, port: number, protocol: string, others: object = {}): EditableObject => ({
  ...{ tag, listen: '127.0.0.1', port, protocol, settings: protocol === 'vless' ? { decryption: 'none' } : {} },
  sniffing: { enabled: true, destOverride: ['http', 'tls'], domainsExcluded: ['regexp:^ads\\.'] },
  ...others,
});
const DIRECT = { tag: 'direct', protocol: 'freedom', settings: { domainStrategy: 'UseIP' } };
const BLOCK = { tag: 'block', protocol: 'blackhole' };
const PRIVATE = { type: 'field', ip: ['geoip:private'], outboundTag: 'block' };
const reality = (network: string) => ({
  ...{ network, security: 'reality' },
  realitySettings: {
    ...{ dest: '127.0.0.1:8443', serverNames: ['example.com'], privateKey: SECRETS.realityKey, shortIds: ['', 'ab'] },
  },
});

/** Typical configurations of operators, one of each kind; no two inbounds share a port. */
export const REALISTIC_CONFIGS: readonly EditableObject[] = [
  {
    log: { loglevel: 'warning', access: '/var/log/xray/access.log' },
    inbounds: [
      inbound('vless-reality', 41_001, 'vless', { streamSettings: reality('raw') }),
      inbound('vless-xhttp', 41_002, 'vless', {
        streamSettings: { ...reality('xhttp'), xhttpSettings: { path: '/x' } },
      }),
    ],
    outbounds: [DIRECT, BLOCK],
    routing: { domainStrategy: 'IPIfNonMatch', rules: [PRIVATE, { protocol: ['bittorrent'], outboundTag: 'block' }] },
  },
  {
    inbounds: [
      inbound('parent', 41_003, 'vless', {
        settings: { decryption: 'none', fallbacks: [{ path: '/ws', dest: '@ws', xver: 1 }, { dest: 8080 }] },
      }),
      inbound('child', 0, 'vmess', { listen: '@ws', streamSettings: { network: 'ws', wsSettings: { path: '/ws' } } }),
    ],
    outbounds: [DIRECT],
  },
  {
    inbounds: [
      inbound('grpc', 41_004, 'trojan', { streamSettings: { network: 'grpc', grpcSettings: { serviceName: 'g' } } }),
      inbound('upgrade', 41_005, 'vmess', { streamSettings: { network: 'httpupgrade' } }),
      inbound('kcp', 41_006, 'vmess', { streamSettings: { network: 'mkcp', kcpSettings: { mtu: 1350 } } }),
    ],
    outbounds: [DIRECT, BLOCK],
    policy: { levels: { 0: { handshake: 4, connIdle: 300 } }, system: { statsOutboundUplink: false } },
  },
  {
    inbounds: [
      inbound('ss', 41_007, 'shadowsocks', { settings: { network: 'tcp,udp' } }),
      inbound('ss-2022', 41_008, 'shadowsocks', {
        settings: { method: '2022-blake3-aes-128-gcm', password: SECRETS.serverKey, network: 'tcp,udp' },
      }),
    ],
    outbounds: [DIRECT],
    dns: {
      hosts: { 'domain:example.com': '127.0.0.1', 'regexp:^a+$': ['1.1.1.1', '::1'] },
      servers: ['1.1.1.1', { address: '8.8.8.8', domains: ['full:x.org', 'regexp:y$'], expectIPs: ['geoip:private'] }],
    },
  },
  {
    api: { tag: 'api', services: ['HandlerService', 'StatsService'] },
    stats: {},
    inbounds: [
      inbound('door', 41_009, 'dokodemo-door', { settings: { address: '127.0.0.1' } }),
      inbound('socks', 41_010, 'socks', { settings: { auth: 'noauth', udp: true } }),
    ],
    outbounds: [
      DIRECT,
      { tag: 'chain-a', protocol: 'socks', settings: { servers: [{ address: '127.0.0.1', port: 1080 }] } },
      {
        ...{ tag: 'chain-b', protocol: 'trojan' },
        settings: { servers: [{ address: '127.0.0.1', port: 443, password: SECRETS.password }] },
        streamSettings: { sockopt: { dialerProxy: 'direct' } },
      },
    ],
    routing: {
      balancers: [{ tag: 'b', selector: ['chain'], strategy: { type: 'leastPing' }, fallbackTag: 'direct' }],
      rules: [
        { inboundTag: ['door'], outboundTag: 'api' },
        { domain: ['regexp:\\.example$', 'full:example.org'], balancerTag: 'b', attrs: { ':method': 'GET' } },
      ],
    },
    observatory: { subjectSelector: ['chain'], probeURL: 'http://127.0.0.1/', probeInterval: '1h' },
  },
  {
    inbounds: [
      inbound('own', 41_011, 'vless', {
        settings: { decryption: 'none', clients: [{ id: SECRETS.uuid, email: 'own', reverse: { tag: 'back' } }] },
      }),
      inbound('managed', 41_012, 'trojan'),
    ],
    outbounds: [DIRECT, { tag: 'loop', protocol: 'loopback', settings: { inboundTag: 'managed' } }],
    routing: {
      rules: [
        { port: '443', network: 'tcp', outboundTag: 'loop' },
        { user: ['own'], outboundTag: 'back' },
      ],
    },
    burstObservatory: { subjectSelector: ['direct'], pingConfig: { destination: 'http://127.0.0.1/', interval: '1h' } },
  },
];
