import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from './parse-core-config.js';
import { CERTIFICATE } from './testing/certificate.js';
import { core, type Json, reality, vless } from './testing/core.js';

const warnings = (inbound: Json) => parseCoreConfig(core(inbound)).warnings;
const tls = (more: Json = {}) => ({
  security: 'tls',
  tlsSettings: { certificates: [{ certificate: CERTIFICATE }], ...more },
});
const of = (protocol: string, streamSettings: Json, more: Json = {}) => ({
  tag: 'in',
  protocol,
  port: 443,
  streamSettings,
  ...more,
});
const header = { tcpSettings: { header: { type: 'http' } } };
const lacking = (inbound: Json) =>
  warnings(inbound).map(({ path, code, message }) => {
    expect([path, code]).toEqual(['inbounds[0]', 'client_unsupported']);
    return message;
  });
const lack = (client: string, what: string) => `inbound in is left out for ${client} clients: they have no ${what}`;

describe('what clients will not accept', () => {
  it.each<[string, string[], string]>([
    ['tcp', ['h3'], 'h2, http/1.1'],
    ['ws', ['h3', 'h2'], 'http/1.1'],
    ['httpupgrade', ['h2'], 'http/1.1'],
    ['grpc', ['http/1.1'], 'h2'],
  ])('tells of alpn on %s that holds only %j', (network, alpn, spoken) => {
    const path = 'inbounds[0].streamSettings.tlsSettings.alpn';
    const message = `alpn of inbound in has none of ${spoken}: no client can connect over ${network}`;
    expect(warnings(vless({ streamSettings: { network, ...tls({ alpn }) } }))).toEqual([
      { path, code: 'alpn_unusable', message },
    ]);
    const enough = [...alpn, ...spoken.split(', ')];
    expect(warnings(vless({ streamSettings: { network, ...tls({ alpn: enough }) } }))).toEqual([]);
    expect(warnings(vless({ streamSettings: { network, ...tls() } }))).toEqual([]);
  });

  it.each<[string, Json, string, string, string]>([
    [
      'a flow',
      vless({ settings: { flow: 'xtls-rprx-vision' }, streamSettings: { network: 'ws' } }),
      'settings.flow',
      'flow_unusable',
      'inbound in cannot carry xtls-rprx-vision: users are served without it',
    ],
    [
      'allowInsecure',
      vless({ streamSettings: tls({ allowInsecure: true }) }),
      'streamSettings.tlsSettings.allowInsecure',
      'allow_insecure',
      'allowInsecure of inbound in is refused by Xray clients since June 2026: they get a pin of its certificate',
    ],
  ])('tells of %s that no client can use', (_, inbound, path, code, message) => {
    expect(warnings(inbound)).toEqual([{ path: `inbounds[0].${path}`, code, message }]);
  });

  it('tells of fallbacks beside VLESS encryption', () => {
    const settings = {
      decryption: 'mlkem768x25519plus.x',
      encryption: 'mlkem768x25519plus.y',
      fallbacks: [{ dest: 80 }],
    };
    expect(warnings(vless({ settings }))[0]).toEqual({
      path: 'inbounds[0].settings.fallbacks',
      code: 'fallbacks_unusable',
      message: 'inbound in has fallbacks beside VLESS encryption: the engine refuses that',
    });
  });

  it.each<[string, Json, boolean]>([
    ['both', { maxConcurrency: '16-32', maxConnections: 4 }, true],
    ['one', { maxConcurrency: 16 }, false],
    ['one and none', { maxConcurrency: '0-0', maxConnections: 4 }, false],
    ['none', {}, false],
  ])('tells of an xmux that limits %s: %j', (_, xmux, told) => {
    const found = warnings(vless({ streamSettings: { network: 'xhttp', xhttpSettings: { extra: { xmux } } } }));
    expect(found.filter(({ code }) => code !== 'client_unsupported')).toEqual(
      told
        ? [
            {
              path: 'inbounds[0].streamSettings.xhttpSettings',
              code: 'xmux_conflict',
              message: 'xmux of inbound in limits both maxConcurrency and maxConnections: clients refuse that',
            },
          ]
        : [],
    );
  });

  it.each<[string, Json, string[]]>([
    ['vless xhttp', of('vless', { network: 'xhttp' }), [lack('sing-box', 'xhttp')]],
    ['vmess xhttp', of('vmess', { network: 'xhttp' }), [lack('sing-box', 'xhttp'), lack('mihomo', 'vmess over xhttp')]],
    [
      'vless kcp',
      of('vless', { network: 'kcp', finalmask: { udp: [{ type: 'mkcp-original' }] } }),
      [lack('sing-box', 'kcp'), lack('mihomo', 'kcp that fits vless here')],
    ],
    [
      'vmess kcp with a mask',
      of('vmess', { network: 'kcp', finalmask: { udp: [{ type: 'mkcp-original' }] } }),
      [lack('sing-box', 'kcp')],
    ],
    [
      'vless encryption',
      of('vless', {}, { settings: { decryption: 'mlkem768x25519plus.x', encryption: 'mlkem768x25519plus.y' } }),
      [lack('sing-box', 'vless encryption')],
    ],
    ['an http header under tls', of('vmess', { ...header, ...tls() }), [lack('sing-box', 'http header under tls')]],
    ['trojan without TLS', of('trojan', { network: 'ws' }), [lack('mihomo', 'trojan without TLS')]],
    [
      'trojan with an http header',
      of('trojan', { ...header, ...tls() }),
      [lack('sing-box', 'http header under tls'), lack('mihomo', 'trojan with an http header')],
    ],
    [
      'shadowsocks over grpc with tls',
      of('shadowsocks', { network: 'grpc', ...tls() }),
      ['sing-box', 'mihomo'].map((client) => lack(client, 'shadowsocks over grpc with tls')),
    ],
  ])('tells who is left out of %s', (_, inbound, messages) => {
    expect(lacking(inbound)).toEqual(messages);
  });

  it.each<[string, Json]>([
    ['vision over reality', vless({ streamSettings: reality() })],
    ['an http header without TLS', of('vmess', header)],
    ['shadowsocks over tcp', of('shadowsocks', {})],
    ['shadowsocks over ws', of('shadowsocks', { network: 'ws' })],
    ['trojan over TLS', of('trojan', { network: 'ws', ...tls() })],
    ['what a fallback leads to', of('trojan', { network: 'ws' }, { listen: '127.0.0.1', port: 8443 })],
    ['what a fallback leads to by a socket', of('trojan', { network: 'ws' }, { listen: '@ws' })],
  ])('has nothing to say of %s', (_, inbound) => {
    expect(warnings(inbound)).toEqual([]);
  });
});
