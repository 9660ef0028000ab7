import { describe, expect, it } from '@jest/globals';
import { readOutbounds } from './read-outbounds.js';

const STREAM = { network: 'tcp', security: 'none' };
const proxy = (streamSettings: object = STREAM, more: object = {}) => ({
  ...{ tag: 'proxy', protocol: 'vless', streamSettings },
  settings: { vnext: [{ address: 'a.example', port: 443, users: [{ id: 'a-secret-id', encryption: 'none' }] }] },
  ...more,
});
const DIALER = { tag: 'dialer', protocol: 'freedom', settings: { fragment: { packets: 'tlshello' } } };
const read = (...outbounds: unknown[]) => readOutbounds(JSON.stringify(outbounds));
const xhttp = (extra: object) => ({ network: 'xhttp', security: 'none', xhttpSettings: { path: '/', extra } });

describe(readOutbounds, () => {
  it.each<[string, unknown[]]>([
    ['outbounds[0].protocol should be one of vmess, vless, trojan, shadowsocks', [{ protocol: 'freedom' }]],
    ['outbounds[0].proxySettings is not part of any subscription', [proxy(STREAM, { proxySettings: { tag: 'x' } })]],
    ['outbounds[0].sendThrough is not part of any subscription', [proxy(STREAM, { sendThrough: '10.0.0.1' })]],
    [
      'outbounds[0].streamSettings.sockopt.interface is not part of any subscription',
      [proxy({ ...STREAM, sockopt: { dialerProxy: 'dialer', interface: 'eth0' } }), DIALER],
    ],
    [
      'outbounds[0].streamSettings.sockopt.dialerProxy should be one of dialer',
      [proxy({ ...STREAM, sockopt: { dialerProxy: 'direct' } }), DIALER],
    ],
    [
      'outbounds[0].streamSettings.tlsSettings.masterKeyLog is not part of any subscription',
      [proxy({ network: 'tcp', security: 'tls', tlsSettings: { masterKeyLog: '/etc/passwd' } })],
    ],
    [
      'outbounds[0].streamSettings.finalmask.udp[0].type should be one of fragment, header-custom, header-dns, header-dtls, header-srtp, header-utp, header-wechat, header-wireguard, mkcp-aes128gcm, mkcp-original, noise, salamander, sudoku',
      [proxy({ ...STREAM, finalmask: { udp: [{ type: 'xicmp' }] } })],
    ],
    [
      'outbounds[0].streamSettings.xhttpSettings.extra.sockopt is not part of any subscription',
      [proxy(xhttp({ sockopt: { interface: 'eth0' } }))],
    ],
    [
      'outbounds[0].streamSettings.xhttpSettings.extra.downloadSettings.sockopt is not part of any subscription',
      [proxy(xhttp({ downloadSettings: { address: 'b', port: 1, network: 'xhttp', sockopt: {} } }))],
    ],
    [
      'outbounds[1].settings.redirect is not part of any subscription',
      [proxy({ ...STREAM, sockopt: { dialerProxy: 'dialer' } }), { ...DIALER, settings: { redirect: '127.0.0.1:22' } }],
    ],
    ['the proxy and its dialer do not name each other', [proxy(), DIALER]],
    ['the proxy and its dialer do not name each other', [proxy({ ...STREAM, sockopt: { dialerProxy: 'dialer' } })]],
    ['the outbounds should be a list of the proxy and, where it has one, its dialer', []],
    [
      'the DNS server of the ECH configuration should be an IP address',
      [proxy({ network: 'tcp', security: 'tls', tlsSettings: { echConfigList: 'https://dns.example/dns-query' } })],
    ],
  ])('readOutbounds refuses what no subscription has: %s', (message, outbounds) => {
    expect(() => read(...outbounds)).toThrow(message);
  });

  it.each(['', '{}', 'null', '"x"', '[1]', `["${'x'.repeat(70_000)}"]`])(
    'readOutbounds refuses text that is no list of outbounds',
    (text) => {
      expect(() => readOutbounds(text)).toThrow(/^the outbounds/);
    },
  );

  it('readOutbounds names every server to which the client connects, and what is secret', () => {
    const download = { address: 'b.example', port: 2, network: 'xhttp', security: 'tls' };
    const tls = { security: 'tls', tlsSettings: { echConfigList: 'ech.example+udp://1.1.1.1:53' } };
    const { addresses, secrets } = read(proxy({ ...xhttp({ downloadSettings: download }), ...tls }));
    expect(addresses).toEqual(['a.example', 'b.example', '1.1.1.1']);
    expect(secrets).toEqual(['a-secret-id', 'a-secret-id']);
  });

  it.each<[object, object]>([
    [
      { network: 'ws', security: 'tls' },
      { tlsSettings: { serverName: 'a.example' }, wsSettings: { host: 'a.example' } },
    ],
    [
      { network: 'xhttp', security: 'tls', tlsSettings: { serverName: 's' } },
      { tlsSettings: { serverName: 's' }, xhttpSettings: { host: 's' } },
    ],
    [{ network: 'httpupgrade', security: 'none' }, { httpupgradeSettings: { host: 'a.example' } }],
    [
      { network: 'grpc', security: 'reality', realitySettings: { serverName: 'r' } },
      { realitySettings: { serverName: 'r' }, grpcSettings: { authority: 'r' } },
    ],
    [{ network: 'ws', security: 'none', wsSettings: { host: 'h' } }, { wsSettings: { host: 'h' } }],
    [STREAM, {}],
  ])('a pinned address writes out the names that the client takes from it: %j', (stream, more) => {
    const [pinned] = read(proxy(stream)).pin(() => '192.0.2.1');
    expect(pinned).toEqual({
      ...proxy({ ...stream, ...more }),
      settings: { vnext: [{ address: '192.0.2.1', port: 443, users: [{ id: 'a-secret-id', encryption: 'none' }] }] },
    });
  });
});
