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
  it.each<[string, boolean]>([
    ['0.9.9', false],
    ['1.0.0', false],
    ['1', false],
    ['1.0.1', true],
    ['26.3.27', true],
  ])('tells of minClientVer %s: %j', (minClientVer, told) => {
    const message = `minClientVer ${minClientVer} of inbound in locks out clients such as sing-box and mihomo: 1.0.0 does not`;
    const path = 'inbounds[0].streamSettings.realitySettings.minClientVer';
    expect(warnings(vless({ streamSettings: reality({ minClientVer }) }))).toEqual(
      told ? [{ path, code: 'reality_client_version', message }] : [],
    );
  });

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
