import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, vless } from '../testing/core.js';

const warnings = (...inbounds: Json[]) => parseCoreConfig(core(...inbounds)).warnings;
/** The warnings for a stored configuration, whose routing section may have any shape. */
const routed = (routing: unknown) => parseCoreConfig({ ...core(vless()), routing }, { isStored: true }).warnings;
const kcp = { network: 'kcp', finalmask: { udp: [{ type: 'mkcp-original' }] } };

describe('protocol warnings', () => {
  const odd = (protocol: unknown) => ({ tag: 'odd', port: 1, protocol });

  it('a protocol that the engine does not have is warned of, with those that it has', () => {
    const message =
      'the engine has no protocol vlexx for inbounds, so nodes refuse the configuration; it has dokodemo-door, http, hysteria, ' +
      'mixed, shadowsocks, socks, trojan, tun, tunnel, vless, vmess, wireguard';
    expect(warnings(vless(), odd('vlexx'))).toEqual([
      { path: 'inbounds[1].protocol', code: 'protocol_unknown', message },
    ]);
    const outbounds = [
      { tag: 'out', protocol: 'freedom' },
      { tag: 'odd', protocol: 'tunnel' },
    ];
    expect(parseCoreConfig({ ...core(vless()), outbounds }).warnings).toMatchObject([
      { path: 'outbounds[1].protocol', code: 'protocol_unknown' },
    ]);
  });

  it.each(['tunnel', 'Mixed'])('a protocol is not warned of when it is %p', (protocol) => {
    expect(warnings(vless(), odd(protocol)).filter(({ code }) => code === 'protocol_unknown')).toEqual([]);
  });
});

describe('port warnings', () => {
  const socks = (change: Json) => ({ tag: 'local', protocol: 'socks', ...change });
  it.each<[string, Json, number | string]>([
    ['the same', { port: 443 }, 443],
    ['as text', { port: '443' }, '443'],
    ['in a list', { port: '80, 443' }, '80, 443'],
    ['in a range', { port: '400-500' }, '400-500'],
    ['everywhere beside one address', { port: 443, listen: '127.0.0.1' }, 443],
  ])('a port that another inbound uses too is warned of: %s', (_, change, port) => {
    const message = `port ${port} of inbound local is taken by inbound in: nodes refuse that`;
    expect(warnings(vless(), socks(change))).toEqual([{ path: 'inbounds[1].port', code: 'port_twice', message }]);
  });

  it.each<[string, Json, Json]>([
    ['other ports', vless(), socks({ port: '444-500' })],
    ['other addresses', vless({ listen: '127.0.0.1' }), socks({ port: 443, listen: '127.0.0.2' })],
    ['a socket', vless(), socks({ port: 443, listen: '/run/in.sock' })],
    ['ports beside one that both have elsewhere', vless({ port: '80,443' }), socks({ port: '81,442' })],
    ['what only the engine reads', vless(), socks({ port: 'env:PORT' })],
    ['what nodes do not get', vless({ streamSettings: { network: 'http' } }), vless({ tag: 'other' })],
    ['no port', vless(), socks({})],
  ])('ports are not warned of when there are %s', (_, one, other) => {
    expect(warnings(one, other).filter(({ code }) => code === 'port_twice')).toEqual([]);
  });

  it.each(['0.0.0.0', '::', '[::]'])('the address %s takes a port of every address', (listen) => {
    for (const inbounds of [
      [vless({ listen }), socks({ port: 443, listen: '10.0.0.1' })],
      [vless({ listen: '10.0.0.1' }), socks({ port: 443, listen })],
    ])
      expect(warnings(...inbounds).filter(({ code }) => code === 'port_twice')).toHaveLength(1);
  });

  it('a port is not warned of when one inbound uses it over TCP and another over UDP', () => {
    expect(warnings(vless(), vless({ tag: 'udp', streamSettings: kcp }))).toMatchObject([{ code: 'kcp_strangers' }]);
  });
});

describe('warnings of access to the machine', () => {
  it.each<[string, Json]>([
    ['geodata', { geodata: { cron: '0 4 * * *' } }],
    ['ENV', { ENV: { XRAY_LOCATION_ASSET: '/tmp' } }],
    [
      'outbounds[0].streamSettings.tlsSettings.masterKeyLog',
      {
        outbounds: [{ tag: 'direct', protocol: 'freedom', streamSettings: { tlsSettings: { masterKeyLog: 'keys' } } }],
      },
    ],
    [
      'outbounds[0].streamSettings.finalmask',
      {
        outbounds: [
          { tag: 'direct', protocol: 'freedom', streamSettings: { finalmask: { udp: [{ Type: 'xicmp' }] } } },
        ],
      },
    ],
  ])('%s is warned of, because nodes refuse it', (path, others) => {
    const { warnings: found } = parseCoreConfig({
      inbounds: [vless()],
      outbounds: [{ tag: 'direct', protocol: 'freedom' }],
      ...others,
    });
    expect(found).toEqual([
      { path, code: 'machine_access', message: expect.stringMatching(/^\S+ (would|has) .+: nodes refuse it$/) },
    ]);
  });
});

describe('routing warnings', () => {
  it.each([
    ['outbound', 'outboundTag'],
    ['balancer', 'balancerTag'],
  ])('a rule to an unknown %s is warned of', (what, key) => {
    const message = `there is no ${what} lost: the engine would drop what this rule matches, so nodes refuse it`;
    const rules = [{ outboundTag: 'direct' }, { [key]: 'lost' }];
    expect(routed({ rules })).toEqual([{ path: `routing.rules[1].${key}`, code: 'target_unknown', message }]);
  });

  it.each<[string, unknown, string]>([
    ['domain', ['a.example', 'geosite:cn'], 'geosite:cn'],
    ['ip', ['geoip:private', '10.0.0.0/8', 'geoip:ir'], 'geoip:ir'],
    ['source', 'ext:own.dat:x', 'ext:own.dat:x'],
    ['domains', ['ext-domain:own.dat:x'], 'ext-domain:own.dat:x'],
    ['sourceIP', ['ext-ip:own.dat:x'], 'ext-ip:own.dat:x'],
    ['localIP', ['geoip:private-not'], 'geoip:private-not'],
    ['domain', 'GEOSITE:cn', 'GEOSITE:cn'],
  ])('a rule that reads %s from a geo file is warned of', (key, value, list) => {
    const message = `${list} comes from a file beside the engine: nodes without that file refuse the configuration`;
    expect(routed({ rules: [{ [key]: value, outboundTag: 'direct' }] })).toEqual([
      { path: `routing.rules[0].${key}`, code: 'geo_list', message },
    ]);
  });

  it.each<[string, unknown]>([
    ['private addresses', { rules: [{ ip: ['geoip:private', 'geoip:!private'], outboundTag: 'direct' }] }],
    [
      'a domain that only looks like a list',
      { rules: [{ domain: ['a.geosite:cn', 'context:x'], outboundTag: 'direct' }] },
    ],
    ['a list where the engine reads none', { rules: [{ attrs: ['geosite:cn'], outboundTag: 'direct' }] }],
    ['an empty tag', { rules: [{ outboundTag: '', balancerTag: '' }] }],
    ['a known balancer', { rules: [{ balancerTag: 'b' }], balancers: [{ tag: 'b' }] }],
    ['another shape', { rules: [7, { outboundTag: 7 }, { domain: [7] }], balancers: [] }],
    ['no list', { rules: {} }],
    ['no object', 7],
  ])('a routing rule is not warned of with %s', (_, routing) => {
    expect(routed(routing)).toEqual([]);
  });
});
