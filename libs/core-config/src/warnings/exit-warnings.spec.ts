import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, vless } from '../testing/core.js';

const DIRECT = { tag: 'direct', protocol: 'freedom' };

describe('warnings of chained proxies', () => {
  const warnings = (outbound: Json) =>
    parseCoreConfig({ ...core(vless()), outbounds: [DIRECT, { tag: 'warp', ...outbound }] }).warnings;
  const server = (address: unknown) => ({ servers: [{ address, port: 40000 }] });

  it.each<[string, Json, string, string]>([
    ['socks', server('127.0.0.1'), '127.0.0.1', 'servers[0].address'],
    ['Trojan', server('10.1.2.3'), '10.1.2.3', 'servers[0].address'],
    ['shadowsocks', server('localhost'), 'localhost', 'servers[0].address'],
    ['http', { Servers: [{ address: 'a.example' }, { ADDRESS: '[::1]' }] }, '[::1]', 'servers[1].address'],
    ['vless', { vnext: [{ address: '169.254.1.1', port: 1 }] }, '169.254.1.1', 'vnext[0].address'],
    ['vmess', { address: 'fe80::1', port: 1 }, 'fe80::1', 'address'],
    ['hysteria', { version: 2, address: '::ffff:192.168.0.1' }, '::ffff:192.168.0.1', 'address'],
    ['wireguard', { peers: [{ endpoint: '172.16.0.2:51820' }] }, '172.16.0.2', 'peers[0].endpoint'],
    ['wireguard', { peers: [{}, { endpoint: '[fd00::1]:51820' }] }, '[fd00::1]', 'peers[1].endpoint'],
  ])('security row 77: a chained proxy of %s with %j is warned of', (protocol, settings, host, place) => {
    const message = `outbound warp is a proxy at ${host}, a private address: users reach the machine and the networks of that proxy through it, by name and with later packets of UDP, unless it blocks private addresses itself`;
    expect(warnings({ protocol, settings })).toEqual([
      { path: `outbounds[1].settings.${place}`, code: 'private_proxy', message },
    ]);
  });

  it.each<[string, unknown]>([
    ['socks', server('192.0.1.1')],
    ['socks', server('proxy.example')],
    ['wireguard', { peers: [{ endpoint: 'engage.example:2408' }, 7] }],
    ['freedom', { redirect: '127.0.0.1:80' }],
    ['dns', { address: '127.0.0.1' }],
    ['vless', { vnext: 7, servers: [7], address: 7 }],
    ['vless', 7],
  ])('an outbound of %s with %j is not warned of', (protocol, settings) => {
    expect(warnings({ protocol, settings })).toEqual([]);
  });
});

describe('warnings of reverse portals', () => {
  const DOMAIN = 'portal.test';
  const warnings = (rules: readonly Json[], others: Json = {}) =>
    parseCoreConfig(
      {
        ...core(vless(), vless({ tag: 'link', port: 444 }), vless({ tag: 'more', port: 445 })),
        reverse: { portals: [{ tag: 'home', domain: 'Portal.test' }] },
        routing: { rules, ...others },
      },
      { excludeTags: ['link'] },
    ).warnings;
  const message = (inbounds: string) =>
    `users of ${inbounds} who know the domain of the reverse portal home become its bridge and get what others send there: let a rule lead the domain, as full:, there from the user of the bridge, or from an inbound that users do not get`;
  const to = { outboundTag: 'home' };

  it.each<[string, Json[], number, string]>([
    ['for everybody', [to], 0, 'inbounds in, more'],
    ['for an inbound of users', [{ inboundTag: ['link', 'in'], ...to }], 0, 'inbound in'],
    ['for the domain', [{ domain: [`full:${DOMAIN}`], ...to }], 0, 'inbounds in, more'],
    ['for a domain above it', [{ domain: 'a.example, domain:test', ...to }], 0, 'inbounds in, more'],
    ['for a part of it', [{ domains: ['ortal'], inboundTag: 'more', ...to }], 0, 'inbound more'],
    ['by a pattern', [{ domain: ['regexp:.*'], inboundTag: 'in', ...to }], 0, 'inbound in'],
    [
      'for the domain and an inbound of users',
      [
        { inboundTag: ['link'], domain: [`full:${DOMAIN}`], ...to },
        { inboundTag: ['in'], domain: [`domain:${DOMAIN}`], ...to },
      ],
      1,
      'inbound in',
    ],
  ])('security row 78: a rule %s that leads to a portal is warned of', (_, rules, index, inbounds) => {
    expect(warnings(rules)).toEqual([
      { path: `routing.rules[${index}]`, code: 'portal_open', message: message(inbounds) },
    ]);
  });

  it('a balancer that picks a portal is warned of', () => {
    const balancers = [{ tag: 'all', selector: ['ho'] }];
    expect(warnings([{ balancerTag: 'all' }], { balancers })).toMatchObject([{ code: 'portal_open' }]);
    expect(warnings([{ balancerTag: 'all' }], { balancers: [{ tag: 'all', selector: ['di'] }] })).toEqual([]);
  });

  it.each<[string, Json[]]>([
    ['is for an inbound that users do not get', [{ inboundTag: ['link'], ...to }]],
    ['is for one user', [{ user: ['1.bridge'], ...to }]],
    ['is for addresses', [{ ip: ['192.168.0.0/16'], ...to }]],
    ['is for other names', [{ domain: ['full:a.portal.test', 'domain:home.example', 'lan'], ...to }]],
    [
      'stands beside one for the bridge, because nodes keep the domain out of it',
      [{ inboundTag: 'link', domain: [`full:${DOMAIN}`], ...to }, to],
    ],
    ['leads elsewhere', [{ outboundTag: 'direct' }]],
  ])('a rule is not warned of when it %s', (_, rules) => {
    expect(warnings(rules)).toEqual([]);
  });
});
