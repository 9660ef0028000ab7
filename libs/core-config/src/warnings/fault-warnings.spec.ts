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

describe('warnings of mKCP', () => {
  const kcp = (tag: string, stream: Json = {}) =>
    vless({ tag, port: 100 + Number(tag.slice(2)), streamSettings: { network: 'kcp', ...stream } });
  const sealed = (tag: string, type: string, settings: Json) => kcp(tag, { finalmask: { udp: [{ type, settings }] } });
  const warnings = (...inbounds: readonly Json[]) =>
    parseCoreConfig(core(vless(), ...inbounds), { excludeTags: ['in9'] }).warnings.filter(
      ({ code }) => code === 'kcp_strangers',
    );
  const warning = (path: string, who: string, also = '') => ({
    ...{ path, code: 'kcp_strangers' },
    message: `${who} can have nodes send 70 times as many bytes to any address, and fill their memory, without a credential of a user: use another transport${also}, or limit in the firewall what one address gets`,
  });
  const MASK = ', add the mask mkcp-aes128gcm with a password to finalmask.udp';

  it.each<[string, Json]>([
    ['kcp', kcp('in1')],
    ['its other name', kcp('in1', { network: 'mKCP' })],
    ['TLS', kcp('in1', { security: 'tls' })],
    ['a mask without a password', sealed('in1', 'mkcp-original', {})],
    ['a mask with an empty password', sealed('in1', 'mkcp-aes128gcm', { password: '' })],
    ['a mask whose password proves nothing', sealed('in1', 'salamander', { password: 'secret' })],
    ['masks that are none', kcp('in1', { finalmask: { udp: 7 } })],
  ])('security row 127: an inbound over mKCP is warned of: %s', (_, inbound) => {
    expect(warnings(inbound)).toEqual([warning('inbounds[1].streamSettings', 'whoever reaches inbound in1', MASK)]);
  });

  it('one behind a mask with a password is warned of for those who know it, and one warning names up to five', () => {
    const many = Array.from({ length: 7 }, (_, index) => kcp(`in${index + 3}`));
    const password = 'secret';
    expect(
      warnings(sealed('in1', 'mkcp-aes128gcm', { password }), ...many, sealed('in2', 'MKCP-aes128gcm', { password })),
    ).toEqual([
      warning('inbounds[2].streamSettings', 'whoever reaches inbounds in3, in4, in5, in6, in7 and 2 more', MASK),
      warning('inbounds[1].streamSettings', 'whoever knows the password of the mask of inbounds in1, in2'),
    ]);
  });

  it('other transports are not warned of, nor is kcp that nodes do not get', () => {
    expect(warnings(kcp('in1', { network: 'ws' }), kcp('in2', { kcpSettings: { seed: 'a' } }))).toEqual([]);
  });
});
