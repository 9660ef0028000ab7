import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '@rampart/core-config';
import { inboundWarnings } from './host-warnings.js';

type Json = Readonly<Record<string, unknown>>;

const inbound = (protocol: string, streamSettings: Json, settings: Json = {}) => ({
  protocol,
  streamSettings,
  settings,
});
const warnings = (config: Json) => {
  const inbounds = [{ tag: 'in', port: 443, ...config }];
  const { inbounds: read } = parseCoreConfig({ inbounds, outbounds: [{ tag: 'direct', protocol: 'freedom' }] });
  return read.flatMap(inboundWarnings);
};
const header = { tcpSettings: { header: { type: 'http' } } };
const tls = { security: 'tls', tlsSettings: { allowInsecure: true } };
const reality = (change: Json = {}) => ({
  security: 'reality',
  realitySettings: {
    privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
    shortIds: [''],
    serverNames: ['r.example'],
    target: 443,
    ...change,
  },
});
const masked = { network: 'kcp', finalmask: { udp: [{ type: 'mkcp-original' }] } };
const mlkem = { decryption: 'mlkem768x25519plus.x', encryption: 'mlkem768x25519plus.y' };

describe(inboundWarnings, () => {
  it.each<[string, Json, string[], string]>([
    ['vless xhttp', inbound('vless', { network: 'xhttp' }), ['sing-box'], 'vless over xhttp without tls'],
    ['vmess xhttp', inbound('vmess', { network: 'xhttp' }), ['sing-box', 'mihomo'], 'vmess over xhttp without tls'],
    ['vless kcp', inbound('vless', masked), ['sing-box', 'mihomo'], 'vless over kcp without tls behind masks'],
    ['vmess kcp with a mask', inbound('vmess', masked), ['sing-box'], 'vmess over kcp without tls behind masks'],
    ['vless encryption', inbound('vless', {}, mlkem), ['sing-box'], 'vless encryption over tcp without tls'],
    [
      'an http header under tls',
      inbound('vmess', { ...header, ...tls }),
      ['sing-box'],
      'vmess over tcp with an http header with tls',
    ],
    ['trojan without TLS', inbound('trojan', { network: 'ws' }), ['mihomo'], 'trojan over ws without tls'],
    [
      'trojan with an http header',
      inbound('trojan', { ...header, ...tls }),
      ['sing-box', 'mihomo'],
      'trojan over tcp with an http header with tls',
    ],
    [
      'shadowsocks over grpc with tls',
      inbound('shadowsocks', { network: 'grpc', ...tls }),
      ['sing-box', 'mihomo'],
      'shadowsocks over grpc with tls',
    ],
    [
      'a socket that something else leads to',
      { ...inbound('vless', { network: 'xhttp' }), port: undefined, listen: '/run/x.sock' },
      ['sing-box'],
      'vless over xhttp without tls',
    ],
  ])('inboundWarnings names the clients that do not get %s', (_, config, clients, kind) => {
    expect(warnings(config)).toEqual(
      clients.map((client) => ({
        path: '',
        code: 'left_out_for_client',
        message: `left out for ${client} clients: they do not carry ${kind}`,
      })),
    );
  });

  it.each<[string, Json]>([
    ['vision over reality', inbound('vless', reality(), { flow: 'xtls-rprx-vision' })],
    ['an http header without TLS', inbound('vmess', header)],
    ['shadowsocks over tcp', inbound('shadowsocks', {})],
    ['shadowsocks over ws', inbound('shadowsocks', { network: 'ws' })],
    ['trojan over TLS that wants no certificate', inbound('trojan', { network: 'ws', ...tls })],
    ['what nobody gets', inbound('vless', reality({ fingerprint: 'android' }))],
    ['a transport that is gone', inbound('vless', { network: 'quic' })],
  ])('inboundWarnings is empty for %s', (_, config) => {
    expect(warnings(config)).toEqual([]);
  });
});
