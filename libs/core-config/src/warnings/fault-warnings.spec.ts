import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, vless } from '../testing/core.js';

describe('warnings of sniffing that reads QUIC', () => {
  const SNIFFING = { enabled: true, destOverride: ['http', 'tls'] };
  const warnings = (inbounds: readonly Json[], excludeTags: readonly string[] = []) =>
    parseCoreConfig(core(...inbounds), { excludeTags }).warnings.filter(({ code }) => code === 'sniffing_fault');
  const message = (which: string) =>
    `users of ${which} can end the engine, and with it all connections of the node, with one crafted packet of QUIC, which sniffing reads: set metadataOnly in sniffing, or enabled to false, wherever no rule needs names or protocols that are sniffed`;
  const other = (protocol: string, settings: Json = {}) => ({ tag: 'other', protocol, port: 80, settings });

  it.each<[string, Json]>([
    ['vless', vless({ sniffing: SNIFFING })],
    ['vless with no protocol to override', vless({ sniffing: { enabled: true } })],
    ['vless for routing alone', vless({ sniffing: { ...SNIFFING, routeOnly: true } })],
    ['vless in another spelling', vless({ Sniffing: { Enabled: true, metadataonly: false } })],
    [
      'shadowsocks without UDP, whose users have mux',
      { ...other('shadowsocks', { network: 'tcp' }), sniffing: SNIFFING },
    ],
    ['socks without UDP, whose users have mux', { ...other('socks'), sniffing: SNIFFING }],
    ['http, whose users have mux', { ...other('http'), sniffing: SNIFFING }],
    ['a tunnel for UDP', { ...other('tunnel', { network: 'tcp,udp' }), sniffing: SNIFFING }],
  ])('security row 94: %s is warned of', (_, inbound) => {
    const { tag } = inbound as { tag: string };
    expect(warnings([vless({ tag: 'first', port: 1 }), inbound])).toEqual([
      { path: 'inbounds[1].sniffing', code: 'sniffing_fault', message: message(`inbound ${tag}`) },
    ]);
  });

  it('one warning names up to five inbounds, also those that users do not get', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => vless({ tag: `in${index}`, port: 100 + index, sniffing: SNIFFING }));
    expect(warnings(many(2), ['in1']).map((warning) => warning.message)).toEqual([message('inbounds in0, in1')]);
    expect(warnings(many(7)).map((warning) => warning.message)).toEqual([
      message('inbounds in0, in1, in2, in3, in4 and 2 more'),
    ]);
  });

  it.each<[string, Json]>([
    ['without sniffing', vless()],
    ['with sniffing that is off', vless({ sniffing: { ...SNIFFING, enabled: false } })],
    ['with sniffing of metadata alone', vless({ sniffing: { ...SNIFFING, metadataOnly: true } })],
    ['that is a tunnel over TCP', { ...other('dokodemo-door'), sniffing: SNIFFING }],
    ['with a transport that nodes do not get', vless({ sniffing: SNIFFING, streamSettings: { network: 'quic' } })],
    ['with sniffing that is no object', vless({ sniffing: 7 })],
  ])('an inbound %s is not warned of', (_, inbound) => {
    expect(warnings([inbound])).toEqual([]);
  });
});

describe('warnings of outbounds for DNS', () => {
  const OUTBOUND = { tag: 'answers', protocol: 'dns' };
  const DIRECT = { tag: 'direct', protocol: 'freedom' };
  const RULES = [{ port: 53, outboundTag: 'answers' }];
  const warnings = (config: Json) =>
    parseCoreConfig(
      { ...core(vless(), vless({ tag: 'local', port: 444 })), outbounds: [DIRECT, OUTBOUND], ...config },
      { excludeTags: ['local'] },
    ).warnings;
  const message = (server: string) =>
    `users who reach outbound answers can end the engine, and with it all connections of the node, with a name that has hundreds of addresses, because ${server} has no limit for an answer: name a server by its address, or by tcp:// or tcp+local://`;

  it.each<[Json, string, string]>([
    [{ servers: ['localhost'] }, 'the resolver of the system', 'dns.servers[0]'],
    [
      { servers: ['9.9.9.9', { Address: 'HTTPS://a.example/hidden' }, 'localhost'] },
      'a server over DoH',
      'dns.servers[1]',
    ],
    [{ servers: ['https+local://1.1.1.1/dns-query'] }, 'a server over DoH', 'dns.servers[0]'],
    [{ servers: ['h2c://1.1.1.1/'] }, 'a server over DoH', 'dns.servers[0]'],
    [{ servers: [] }, 'the resolver of the system', 'dns.servers'],
    [{}, 'the resolver of the system', 'dns.servers'],
  ])('security row 95: an outbound that users reach is warned of with %j', (dns, server, path) => {
    expect(warnings({ dns, routing: { rules: RULES } })).toEqual([
      { path, code: 'dns_fault', message: message(server) },
    ]);
  });

  it.each<[string, Json]>([
    ['by a rule for their inbound', { rules: [{ inboundTag: ['local', 'in'], outboundTag: 'answers' }] }],
    ['by a balancer', { rules: [{ balancerTag: 'all' }], balancers: [{ tag: 'all', selector: ['ans'] }] }],
    ['through a loopback', { rules: [{ inboundTag: 'again', outboundTag: 'answers' }] }],
  ])('it is warned of where they reach it %s', (_, routing) => {
    const loop = { tag: 'loop', protocol: 'loopback', settings: { inboundTag: 'again' } };
    expect(warnings({ outbounds: [DIRECT, OUTBOUND, loop], routing })).toMatchObject([{ code: 'dns_fault' }]);
  });

  it('it is warned of where it is the first one', () => {
    expect(warnings({ outbounds: [OUTBOUND, DIRECT] })).toMatchObject([{ code: 'dns_fault' }]);
  });

  it.each<[string, Json]>([
    ['is reached by nobody', {}],
    [
      'is for an inbound that users do not get',
      { routing: { rules: [{ inboundTag: ['local'], outboundTag: 'answers' }] } },
    ],
    [
      'asks servers with a limit',
      { dns: { servers: ['1.1.1.1', 'tcp://1.1.1.1', 'fakedns', 7] }, routing: { rules: RULES } },
    ],
    ['is none of DNS', { outbounds: [DIRECT, { ...OUTBOUND, protocol: 'freedom' }], routing: { rules: RULES } }],
  ])('an outbound is not warned of that %s', (_, config) => {
    expect(warnings(config)).toEqual([]);
  });
});
