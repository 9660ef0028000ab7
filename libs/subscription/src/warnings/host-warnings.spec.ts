import { describe, expect, it } from '@jest/globals';
import { type OfferedInbound, parseCoreConfig } from '@rampart/core-config';
import type { Host } from '../model/host.js';
import { host } from '../testing/host.js';
import { hostWarnings } from './host-warnings.js';

const REALITY = {
  security: 'reality',
  realitySettings: {
    privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
    shortIds: ['ab12'],
    serverNames: ['r.example'],
    target: 443,
  },
};
const MASKS = { udp: [{ type: 'mkcp-original' }] };
const INBOUNDS: readonly { tag: string; protocol?: string; streamSettings?: object; settings?: object }[] = [
  { tag: 'in' },
  { tag: 'tls', streamSettings: { security: 'tls' } },
  { tag: 'vision', settings: { decryption: 'none', flow: 'xtls-rprx-vision' }, streamSettings: REALITY },
  {
    tag: 'encrypted',
    settings: { decryption: 'mlkem768x25519plus.native.600s.k', encryption: 'mlkem768x25519plus.native.0rtt.k' },
  },
  { tag: 'xhttp', streamSettings: { network: 'xhttp', ...REALITY } },
  { tag: 'h3', streamSettings: { network: 'xhttp', security: 'tls', tlsSettings: { alpn: ['h3'] } } },
  { tag: 'kcp', protocol: 'vmess', streamSettings: { network: 'kcp' } },
  { tag: 'masked', protocol: 'vmess', streamSettings: { network: 'kcp', finalmask: MASKS } },
  { tag: 'grpc', streamSettings: { network: 'grpc', grpcSettings: { serviceName: '/a/b' } } },
  { tag: 'ordinary grpc', streamSettings: { network: 'grpc' } },
  { tag: 'ws', streamSettings: { network: 'ws' } },
  { tag: 'renamed', streamSettings: { security: 'tls', tlsSettings: { verifyPeerCertByName: 'a.example' } } },
  { tag: 'bare trojan', protocol: 'trojan' },
  {
    tag: 'header',
    protocol: 'trojan',
    streamSettings: { security: 'tls', tcpSettings: { header: { type: 'http' } } },
  },
];

const core = parseCoreConfig({
  inbounds: INBOUNDS.map((inbound) => ({ protocol: 'vless', port: 443, settings: { decryption: 'none' }, ...inbound })),
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
});
const inbounds: ReadonlyMap<string, OfferedInbound> = new Map(core.inbounds.map((inbound) => [inbound.tag, inbound]));

const warnings = (change: Partial<Host>, others: readonly Host[] = []) =>
  hostWarnings(host(change), inbounds, new Map(others.map((other) => [other.id, other])));
const settings = (change: Partial<Host>, others?: readonly Host[]) =>
  warnings(change, others).filter(({ path }) => path !== '');

describe(hostWarnings, () => {
  it.each(['in', 'tls', 'vision'])('hostWarnings is empty for a host that every client supports: %s', (inboundTag) => {
    expect(warnings({ inboundTag, isDisabled: true, status: ['expired'] })).toEqual([]);
  });

  it('hostWarnings returns only the reason when no client gets the host', () => {
    const message = 'left out of subscriptions: the host has no address';
    const muxSettings = { clash: { enable: true } };
    expect(warnings({ address: [], muxSettings })).toEqual([{ path: '', code: 'left_out', message }]);
  });

  it.each([
    ['xhttp', ['sing-box'], 'vless over xhttp with reality'],
    ['encrypted', ['sing-box'], 'vless encryption over tcp without tls'],
    ['grpc', ['sing-box'], 'vless over grpc under a stream name of its own without tls'],
    ['kcp', ['sing-box', 'mihomo'], 'vmess over kcp without tls'],
    ['masked', ['sing-box'], 'vmess over kcp without tls behind masks'],
    ['bare trojan', ['mihomo'], 'trojan over tcp without tls'],
    ['header', ['sing-box', 'mihomo'], 'trojan over tcp with an http header with tls'],
    ['renamed', ['sing-box'], 'vless over tcp with tls whose certificate is for another name'],
  ])('hostWarnings names the clients that do not get a host for %s', (inboundTag, clients, kind) => {
    expect(warnings({ inboundTag })).toEqual(
      clients.map((client) => ({
        path: '',
        code: 'left_out_for_client',
        message: `left out for ${client} clients: they do not carry ${kind}`,
      })),
    );
  });

  it('hostWarnings names the clients that do not support a query in a path', () => {
    const told = (inboundTag: string, path: string) => warnings({ inboundTag, path }).map(({ message }) => message);
    expect(told('ws', '/w?ed=2048')).toEqual([]);
    expect(told('ws', '/w?ed=2048&a=b')).toEqual([
      'left out for sing-box clients: they do not carry vless over ws with a query in the path without tls',
    ]);
  });

  it.each<[string, Partial<Host>, string, string, string]>([
    [
      'a fingerprint that is drawn',
      { inboundTag: 'tls', fingerprint: 'randomized' },
      'fingerprint',
      'does_not_work',
      'clients draw it at each start, and with about one in five cannot connect',
    ],
    [
      'multiplex for sing-box',
      { muxSettings: { sing_box: { enable: true } } },
      'mux_settings.sing_box',
      'does_not_work',
      'the engine does not speak the multiplex of sing-box: such clients will not connect',
    ],
    [
      'smux for mihomo',
      { muxSettings: { clash: { enable: true } } },
      'mux_settings.clash',
      'does_not_work',
      'the engine does not speak the smux of mihomo: such clients will not connect',
    ],
    ['alpn without tls', { alpn: ['h2'] }, 'alpn', 'no_effect', 'only tls has an alpn, and this host has none'],
    [
      'alpn beside reality',
      { inboundTag: 'vision', alpn: ['h2'] },
      'alpn',
      'no_effect',
      'only tls has an alpn, and this host has reality',
    ],
    [
      'alpn that websockets do not speak',
      { inboundTag: 'ws', security: 'tls', alpn: ['h2', 'http/1.1'] },
      'alpn',
      'no_effect',
      'ws does not speak h2: clients get http/1.1 instead',
    ],
    [
      'alpn that gRPC does not speak',
      { inboundTag: 'ordinary grpc', security: 'tls', alpn: ['h3', 'http/1.1'] },
      'alpn',
      'no_effect',
      'grpc does not speak h3, http/1.1: clients get their own',
    ],
    [
      'alpn that TCP does not speak',
      { inboundTag: 'tls', alpn: ['h3'] },
      'alpn',
      'no_effect',
      'tcp does not speak h3: clients get their own',
    ],
    [
      'mux over xhttp',
      { inboundTag: 'xhttp', muxSettings: { xray: { enabled: true } } },
      'mux_settings.xray',
      'no_effect',
      'xhttp multiplexes itself: Xray clients get no mux for it',
    ],
    [
      'mux beside vision',
      { inboundTag: 'vision', muxSettings: { xray: { enabled: true } } },
      'mux_settings.xray',
      'no_effect',
      'users with xtls-rprx-vision multiplex UDP alone',
    ],
    [
      'fragments of UDP',
      { inboundTag: 'kcp', fragmentSettings: { xray: { packets: '1-3' } } },
      'fragment_settings.xray',
      'no_effect',
      'there is no TCP to be fragmented',
    ],
    [
      'fragments of QUIC',
      { inboundTag: 'h3', fragmentSettings: { xray: {} } },
      'fragment_settings.xray',
      'no_effect',
      'there is no TCP to be fragmented',
    ],
    [
      'fragments of a hello that is not there',
      { fragmentSettings: { xray: {} } },
      'fragment_settings.xray',
      'no_effect',
      'without tls there is no tlshello to be fragmented: set packets to a range such as 1-3',
    ],
    [
      'records of no tls',
      { fragmentSettings: { sing_box: { record_fragment: true } } },
      'fragment_settings.sing_box',
      'no_effect',
      'sing-box fragments tls alone',
    ],
    [
      'noise before TCP',
      { noiseSettings: { xray: [{ type: 'rand', packet: '1' }] } },
      'noise_settings.xray',
      'no_effect',
      'noise goes before UDP: over kcp, or over xhttp with the alpn h3',
    ],
    [
      'a kcp header',
      { inboundTag: 'kcp', transportSettings: { kcp_settings: { header: 'srtp' } } },
      'transport_settings.kcp_settings.header',
      'no_effect',
      'engines have no such header any more: put a finalmask into the inbound',
    ],
    [
      'trust in what is not known',
      { inboundTag: 'tls', allowInsecure: true },
      'allowinsecure',
      'no_effect',
      'the certificate is not known here: Xray clients verify theirs as ever',
    ],
  ])('hostWarnings warns of %s', (_, change, path, code, message) => {
    expect(settings(change)).toEqual([{ path, code, message }]);
  });

  it.each<[string, Partial<Host>]>([
    ['what is switched off', { muxSettings: { xray: { enabled: false }, sing_box: { enable: false }, clash: {} } }],
    ['mux over tcp', { muxSettings: { xray: { enabled: true } } }],
    ['a fingerprint that is a real one', { inboundTag: 'tls', fingerprint: 'random' }],
    ['a fingerprint without tls', { fingerprint: 'randomized' }],
    ['alpn that tcp speaks', { inboundTag: 'tls', alpn: ['h2', 'http/1.1'] }],
    ['alpn that xhttp speaks', { inboundTag: 'h3', alpn: ['h3'] }],
    ['alpn that gRPC speaks', { inboundTag: 'ordinary grpc', security: 'tls', alpn: ['h2'] }],
    ['fragments of tls', { inboundTag: 'tls', fragmentSettings: { xray: {}, sing_box: { fragment: true } } }],
    ['fragments of tcp', { fragmentSettings: { xray: { packets: '1-3' }, sing_box: {} } }],
    ['noise before kcp', { inboundTag: 'kcp', noiseSettings: { xray: [{ type: 'rand', packet: '1' }] } }],
    ['noise before QUIC', { inboundTag: 'h3', noiseSettings: { xray: [{ type: 'rand', packet: '1' }] } }],
    ['a kcp without header', { inboundTag: 'kcp', transportSettings: { kcp_settings: { header: 'none' } } }],
  ])('hostWarnings does not warn of %s', (_, change) => {
    expect(settings(change)).toEqual([]);
  });

  describe('of a download host', () => {
    const ways = (change: Partial<Host>, other: Partial<Host>) => {
      const transportSettings = {
        xhttp_settings: { download_settings: 2, ...change.transportSettings?.xhttp_settings },
      };
      return settings({ inboundTag: 'xhttp', ...change, transportSettings }, [host({ id: 2, ...other })]);
    };
    const path = 'transport_settings.xhttp_settings.download_settings';
    const unused = {
      path,
      code: 'no_effect',
      message: 'the other host is disabled, left out of subscriptions or not xhttp',
    };

    it('hostWarnings does not warn of a download host that works', () => {
      expect(ways({}, { inboundTag: 'h3' })).toEqual([]);
    });

    it.each<[string, Partial<Host>]>([
      ['of another transport', { inboundTag: 'tls' }],
      ['that is disabled', { inboundTag: 'h3', isDisabled: true }],
      ['without an address', { inboundTag: 'h3', address: [] }],
    ])('hostWarnings warns of a download host %s', (_, other) => {
      expect(ways({}, other)).toEqual([unused]);
    });

    it('hostWarnings warns when the host cannot use its download host', () => {
      expect(ways({ inboundTag: 'tls' }, { inboundTag: 'h3' })).toEqual([
        { path, code: 'no_effect', message: 'the inbound of this host is not xhttp' },
      ]);
      const streamOne = { transportSettings: { xhttp_settings: { mode: 'stream-one' } } };
      expect(ways(streamOne, { inboundTag: 'h3' })).toEqual([
        {
          path,
          code: 'does_not_work',
          message: 'no download passes beside a stream-one: such clients will not connect',
        },
      ]);
    });
  });
});
