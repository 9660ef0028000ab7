import { describe, expect, it } from '@jest/globals';
import { planConfig } from './plan/engine-plan.js';

const handoverOf = (inbound: object) => {
  const inbounds = [{ tag: 'in', port: 443, protocol: 'vless', ...inbound }];
  return [...planConfig({ text: JSON.stringify({ inbounds }), excludedInbounds: [] }).handovers.values()];
};
const certificates = [{ certificateFile: 'cert.pem', keyFile: 'key.pem' }];
const tls = (network: string, alpn?: unknown) => ({
  streamSettings: { network, security: 'TLS', tlsSettings: { certificates, ...(alpn ? { alpn } : {}) } },
});
const stream = (streamSettings: object) => ({ streamSettings });

describe('handover', () => {
  it.each([
    ['shared', 'raw', {}],
    ['shared', 'raw by name', stream({ network: 'RAW' })],
    ['shared', 'raw by its old name', stream({ network: 'tcp' })],
    ['shared', 'reality', stream({ network: 'raw', security: 'reality' })],
    ['shared', 'ws', stream({ network: 'ws' })],
    ['shared', 'websocket', stream({ network: 'websocket' })],
    ['shared', 'httpupgrade', stream({ network: 'httpupgrade' })],
    ['shared', 'an HTTP/3 name where there is no QUIC', stream({ network: 'ws', tlsSettings: { alpn: ['h3'] } })],
    [
      'shared',
      'options of the socket',
      stream({ sockopt: { customSockopt: [{ level: '1', opt: '15', value: '0' }] } }),
    ],
    ['shared', 'vmess', { protocol: 'VMess' }],
    ['shared', 'trojan', { protocol: 'trojan' }],
    ['shared', 'shadowsocks', { protocol: 'shadowsocks', settings: { network: 'tcp,udp' } }],
    ['shared', 'socks', { protocol: 'socks', settings: { udp: true } }],
    ['shared', 'http', { protocol: 'http' }],
    ['shared', 'mixed', { protocol: 'mixed' }],
    ['shared', 'dokodemo-door', { protocol: 'dokodemo-door', settings: { network: 'udp' } }],
    ['shared', 'tunnel', { protocol: 'tunnel' }],
    ['gapped', 'grpc', stream({ network: 'grpc' })],
    ['gapped', 'grpc below reality', stream({ network: 'grpc', security: 'reality' })],
    ['gapped', 'xhttp', stream({ network: 'xhttp' })],
    ['gapped', 'splithttp', stream({ network: 'splithttp' })],
    ['gapped', 'xhttp of all versions', tls('xhttp', ['h3', 'h2'])],
    ['gapped', 'kcp', stream({ network: 'kcp' })],
    ['gapped', 'mkcp', stream({ network: 'mKCP' })],
    ['gapped', 'a path', { listen: '/run/in.sock,0666' }],
    ['gapped', 'an abstract path', { listen: '@in' }],
    ['restart', 'xhttp over HTTP/3', tls('xhttp', 'h3')],
    ['restart', 'hysteria', { protocol: 'hysteria', ...tls('hysteria') }],
    ['restart', 'the transport of hysteria alone', tls('hysteria')],
    ['restart', 'wireguard', { protocol: 'wireguard' }],
    ['restart', 'tun', { protocol: 'tun' }],
    ['restart', 'no tag', { tag: '' }],
    ['restart', 'a protocol of the future', { protocol: 'future' }],
    ['restart', 'a transport of the future', stream({ network: 'future' })],
  ])('handoverOf returns %s for %s', (handover, _what, inbound) => {
    expect(handoverOf(inbound)).toEqual([handover]);
  });
});
