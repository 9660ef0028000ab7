import type { EditableObject } from './editable-json.js';

const REALITY_KEY = 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8';
const KEY_128 = Buffer.alloc(16, 1).toString('base64');
const KEY_256 = Buffer.alloc(32, 1).toString('base64');

const vless = (change: object): EditableObject => ({
  ...{ tag: 'in', protocol: 'vless', port: 443, settings: { decryption: 'none' } },
  ...change,
});
const over = (network: string, rest: object = {}) => vless({ streamSettings: { network, ...rest } });
const shadowsocks = (settings: object) => vless({ protocol: 'shadowsocks', settings });
const httpHeader = { header: { type: 'http', request: { path: ['/a', '/b'], headers: { Host: ['h.example'] } } } };
const realitySettings = {
  ...{ privateKey: REALITY_KEY, shortIds: ['', 'ab12'], serverNames: ['r.example'], target: 'r.example:443' },
  ...{ SpiderX: '/s', mldsa65Verify: 'v', mldsa65Seed: 's', minClientVer: '1.0.0' },
};
const reality = { security: 'reality', realitySettings };
const certificates = [{ certificateFile: 'cert.pem', keyFile: 'key.pem' }];
const tls = (rest: object = {}) => ({ security: 'tls', tlsSettings: { certificates, ...rest } });

const INBOUNDS: readonly EditableObject[] = [
  vless({}),
  vless({ protocol: 'VMess', settings: {} }),
  vless({ protocol: 'trojan', settings: { clients: [{ password: 'p', email: 'e' }] } }),
  vless({ settings: { decryption: 'mlkem768.native', encryption: 'mlkem768.native', flow: 'xtls-rprx-vision' } }),
  shadowsocks({}),
  shadowsocks({ method: 'aes-256-gcm', network: 'tcp,udp' }),
  shadowsocks({ method: '2022-blake3-aes-128-gcm', password: KEY_128, network: ['udp'] }),
  shadowsocks({ method: '2022-blake3-aes-256-gcm', password: KEY_256 }),
  ...['80,443', '1000-1010', '80, 1000 - 1010', '443'].map((port) => vless({ port })),
  ...['127.0.0.1', '::', 'localhost', ''].map((listen) => vless({ listen })),
  ...['/run/in.sock', '/run/in.sock,0666', '@in', '@@in'].map((listen) => vless({ listen, port: undefined })),
  over('tcp', { tcpSettings: httpHeader }),
  over('raw', { rawSettings: httpHeader, tcpSettings: { header: { type: 'none' } } }),
  over('raw', { ...reality, finalmask: { tcp: [{ type: 'fragment' }, { type: 'sudoku' }], udp: [] } }),
  over('raw', tls({ serverName: 's.example', alpn: ['h2', 'http/1.1'], fingerprint: 'chrome', allowInsecure: true })),
  over('ws', { wsSettings: { path: '/ws?ed=2048', host: 'ws.example' } }),
  over('websocket', { wsSettings: { path: '/ws', headers: { Host: 'ws.example' } }, ...tls({ alpn: 'http/1.1' }) }),
  over('httpupgrade', { httpupgradeSettings: { path: '/up', host: 'up.example' } }),
  over('grpc', { grpcSettings: { serviceName: 's', authority: 'g.example', multiMode: true }, ...reality }),
  over('gun', { gunSettings: { serviceName: 'old' } }),
  over('xhttp', {
    xhttpSettings: { path: '/x', mode: 'stream-one', xPaddingBytes: '10-20' },
    ...tls({ alpn: ['h3'] }),
  }),
  over('xhttp', { xhttpSettings: { extra: { xmux: { maxConcurrency: '16-32' }, noSSEHeader: true } }, ...reality }),
  over('splithttp', { splithttpSettings: { path: '/split', host: 'x.example', mode: 'packet-up' } }),
  over('kcp', { kcpSettings: { mtu: 1350 } }),
  over('mkcp', { kcpSettings: { seed: 'seed' } }),
  over('quic', { quicSettings: { key: 'key', security: 'none' } }),
  ...['http', 'h2', 'h3'].map((network) => over(network, { httpSettings: { path: '/', host: ['h.example'] } })),
];

const DIRECT = { tag: 'direct', protocol: 'freedom' };

/** Configurations that management accepts: every kind of inbound that it offers, and fallbacks between them. */
export const OFFERED_CONFIGS: readonly EditableObject[] = [
  ...INBOUNDS.map((inbound): EditableObject => ({ inbounds: [inbound], outbounds: [DIRECT] })),
  {
    log: { loglevel: 'warning' },
    inbounds: [
      vless({ tag: 'parent', settings: { decryption: 'none', fallbacks: [{ dest: '@child' }, { dest: 8443 }] } }),
      { ...over('ws', { wsSettings: { path: '/c' } }), tag: 'child', listen: '@child', port: undefined },
      { tag: 'ignored', protocol: 'socks', port: 1080, settings: { udp: true } },
    ],
    outbounds: [DIRECT, { tag: 'block', protocol: 'blackhole' }],
    routing: {
      rules: [
        { type: 'field', ip: ['geoip:private'], outboundTag: 'block' },
        { network: 'tcp', balancerTag: 'all' },
      ],
      balancers: [{ tag: 'all', selector: ['direct'] }],
    },
    policy: { levels: { 0: { statsUserOnline: true } } },
  },
];
