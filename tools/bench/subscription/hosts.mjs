// A core with the usual inbounds, and 20 typical hosts for them.

const ws = (path) => ({ network: 'ws', wsSettings: { path } });
const grpc = (serviceName) => ({ network: 'grpc', grpcSettings: { serviceName } });
const reality = {
  security: 'reality',
  realitySettings: {
    target: 'www.example.com:443',
    serverNames: ['www.example.com', 'cdn.example.com'],
    privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
    shortIds: ['ab12', '0123456789abcdef'],
  },
};
const httpHeader = { type: 'http', request: { path: ['/'], headers: { Host: ['www.example.com'] } } };
const vless = { protocol: 'vless', settings: { clients: [], decryption: 'none' } };
const vmess = { protocol: 'vmess', settings: { clients: [] } };
const trojan = { protocol: 'trojan', settings: { clients: [] } };

const INBOUNDS = {
  'VLESS REALITY': { ...vless, streamSettings: { network: 'tcp', ...reality } },
  'VLESS XHTTP REALITY': {
    ...vless,
    streamSettings: { network: 'xhttp', xhttpSettings: { path: '/x', mode: 'auto' }, ...reality },
  },
  'VLESS gRPC REALITY': { ...vless, streamSettings: { ...grpc('video'), ...reality } },
  'VLESS WS': { ...vless, streamSettings: ws('/chat?ed=2048') },
  'VLESS gRPC': { ...vless, streamSettings: grpc('files') },
  'VLESS HTTPUpgrade': {
    ...vless,
    streamSettings: { network: 'httpupgrade', httpupgradeSettings: { path: '/up' } },
  },
  'VMess WS': { ...vmess, streamSettings: ws('/news') },
  'VMess TCP': { ...vmess, streamSettings: { network: 'raw', rawSettings: { header: httpHeader } } },
  'Trojan WS': { ...trojan, streamSettings: ws('/mail') },
  'Trojan gRPC': { ...trojan, streamSettings: grpc('music') },
  'Shadowsocks TCP': { protocol: 'shadowsocks', settings: { clients: [], network: 'tcp,udp' } },
  'Shadowsocks 2022': {
    protocol: 'shadowsocks',
    settings: { clients: [], method: '2022-blake3-aes-128-gcm', password: 'AAECAwQFBgcICQoLDA0ODw==' },
  },
};

export const TAGS = Object.keys(INBOUNDS);

export const CORE = {
  name: 'benchmark',
  config: {
    inbounds: Object.entries(INBOUNDS).map(([tag, inbound], index) => ({ tag, port: 10_000 + index, ...inbound })),
    outbounds: [{ tag: 'DIRECT', protocol: 'freedom' }],
  },
};

/** Settings of hosts behind a CDN, which has the certificate. */
const CDN = {
  address: ['104.16.0.1', '104.16.0.2', 'cdn.example.net'],
  port: 443,
  security: 'tls',
  sni: ['*.example.net'],
  host: ['*.example.net'],
  fingerprint: 'chrome',
};
const MUX = {
  xray: { enabled: true, concurrency: 8 },
  sing_box: { enable: true, protocol: 'h2mux', max_streams: 8 },
  clash: { enable: true, protocol: 'h2mux', max_streams: 8 },
};
const FRAGMENT = { xray: { packets: 'tlshello', length: '100-200', interval: '10-20' }, sing_box: { fragment: true } };
const DIRECT = { address: ['de1.example.org'] };

export const HOSTS = [
  ['VLESS REALITY', '🇩🇪 Germany 1 · {USERNAME}', DIRECT],
  ['VLESS REALITY', '🇳🇱 Netherlands 1 · {DATA_LEFT}', { address: ['nl1.example.org', '2001:db8::1'], port: 8443 }],
  ['VLESS REALITY', '🇫🇮 Finland · {DAYS_LEFT} days', { address: ['fi1.example.org'], fingerprint: 'firefox' }],
  ['VLESS XHTTP REALITY', '🇩🇪 Germany 2 · XHTTP', DIRECT],
  ['VLESS XHTTP REALITY', '🇫🇷 France · XHTTP', { address: ['fr1.example.org'] }],
  ['VLESS gRPC REALITY', '🇸🇪 Sweden · gRPC', { address: ['se1.example.org'] }],
  ['VLESS WS', 'CDN 1 · {STATUS_EMOJI} {USERNAME}', CDN],
  ['VLESS WS', 'CDN 2 · random browser', { ...CDN, random_user_agent: true }],
  ['VLESS WS', 'CDN 3 · fragments', { ...CDN, fragment_settings: FRAGMENT, alpn: ['http/1.1'] }],
  ['VLESS gRPC', 'CDN 4 · gRPC', { ...CDN, alpn: ['h2'] }],
  ['VLESS HTTPUpgrade', 'CDN 5 · HTTPUpgrade', CDN],
  ['VMess WS', 'CDN 6 · VMess', { ...CDN, mux_settings: MUX }],
  ['VMess WS', 'سرور ویژه {EXPIRE_DATE}', { address: ['ir.example.org'], host: ['www.example.ir'] }],
  ['VMess TCP', 'Free of charge', { address: ['tr1.example.org'], http_headers: { 'X-Client': 'app' } }],
  ['Trojan WS', 'CDN 7 · Trojan', CDN],
  ['Trojan WS', 'CDN 8 · Trojan {JALALI_EXPIRE_DATE}', { ...CDN, path: '/mail/{USERNAME}' }],
  ['Trojan gRPC', 'CDN 9 · Trojan gRPC', CDN],
  ['Shadowsocks TCP', '🇺🇸 United States · {TIME_LEFT}', { address: ['us1.example.org'] }],
  ['Shadowsocks TCP', '🇬🇧 Britain', { address: ['gb1.example.org', 'gb2.example.org'] }],
  ['Shadowsocks 2022', '🇯🇵 Japan', { address: ['jp1.example.org'] }],
].map(([inbound_tag, remark, settings], index) => ({ inbound_tag, remark, priority: index, ...settings }));
