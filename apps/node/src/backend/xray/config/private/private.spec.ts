import { describe, expect, it } from '@jest/globals';
import { planConfig } from '../plan/engine-plan.js';

const NETWORKS = ['10.0.0.0/8'];
const ALL_PRIVATE_BUT = expect.arrayContaining(['127.0.0.0/8', '10.0.0.0/8']);
const plan = (config: object, allowedNetworks: string[] | undefined = []) =>
  planConfig({ text: JSON.stringify(config), excludedInbounds: [], allowedNetworks }).tree as {
    inbounds: object[];
    outbounds: { tag: string; protocol: string }[];
    routing: { rules: Record<string, unknown>[]; balancers?: Record<string, unknown>[] };
    dns: { servers: Record<string, unknown>[]; hosts: object };
  };
const vless = { tag: 'in', port: 443, protocol: 'vless', settings: { decryption: 'none' } };
const NOWHERE = '~rampart-private';

describe('planConfig with private_networks', () => {
  it('security row 32: planConfig adds nothing where a Start has no private_networks, or everything is allowed', () => {
    const config = { inbounds: [vless], outbounds: [{ tag: 'direct', protocol: 'freedom' }] };
    const asWritten = planConfig({ text: JSON.stringify(config), excludedInbounds: [] }).tree;
    expect(asWritten['outbounds']).toEqual(config.outbounds);
    expect(asWritten).not.toHaveProperty('dns');
    expect(plan(config, ['0.0.0.0/0', '::/0'])).toEqual(asWritten);
  });

  it('security row 32: the first rules of planConfig judge every inbound at which somebody chooses the target', () => {
    const fixed = { port: 1, protocol: 'tunnel', settings: { address: '127.0.0.1', port: 2 } };
    const { routing } = plan({
      inbounds: [
        vless,
        { port: '8000-8001', protocol: 'http' },
        { tag: 'fixed', ...fixed },
        { tag: 'sniffed', ...fixed, port: 3, sniffing: { enabled: true, destOverride: ['tls'] } },
      ],
      outbounds: [{ tag: 'direct', protocol: 'freedom' }],
      routing: { rules: [{ ip: ['10.0.0.1'], outboundTag: 'direct' }] },
    });
    expect(routing.rules).toEqual([
      { type: 'field', outboundTag: NOWHERE, domain: ['full:sp.v2.udp-over-tcp.arpa', 'full:sp.udp-over-tcp.arpa'] },
      {
        ...{ type: 'field', outboundTag: NOWHERE, ip: ALL_PRIVATE_BUT },
        inboundTag: ['in', '~rampart-alias-in', 'sniffed', '~rampart-alias-sniffed'],
      },
      { type: 'field', outboundTag: NOWHERE, ip: ALL_PRIVATE_BUT, localPort: '8000-8001' },
      { ip: ['10.0.0.1'], network: 'tcp', outboundTag: 'direct' },
      { ip: ['10.0.0.1'], network: 'udp', outboundTag: '~rampart-udp-direct' },
      { type: 'field', network: 'tcp', outboundTag: 'direct' },
    ]);
  });

  it('security row 78: planConfig keeps the domain of a portal out of rules for users, behind those for its bridge', () => {
    const own = { inboundTag: ['link', '~rampart-alias-link'], domain: ['full:a.test'], outboundTag: 'portal' };
    const users = ['in', '~rampart-alias-in'];
    const rules = [
      { domain: ['full:b.test'], outboundTag: 'portal' },
      { domains: ['test'], ruleTag: 'name', balancerTag: 'all' },
      { inboundTag: ['link'], domain: ['full:a.test'], ruleTag: 'own', outboundTag: 'portal' },
      { inboundTag: ['in', 'link'], port: '80', outboundTag: 'portal' },
      { inboundTag: ['link'], outboundTag: 'portal' },
      { user: ['1.ann'], outboundTag: 'portal' },
    ];
    const closed = { inboundTag: users, domain: ['full:a.test'], outboundTag: NOWHERE };
    const config = {
      inbounds: [vless, { tag: 'link', port: 444, protocol: 'http' }],
      outbounds: [{ tag: 'nowhere', protocol: 'blackhole' }],
      reverse: { portals: [{ tag: 'portal', domain: 'A.test' }] },
    };
    const balancers = [{ tag: 'all', selector: ['port'] }];
    expect(plan({ ...config, routing: { rules, balancers } }).routing.rules.slice(2)).toEqual([
      rules[0],
      ...[own, closed, rules[1]],
      ...[
        { ...own, ruleTag: 'own' },
        { ...closed, port: '80' },
      ],
      { ...rules[3], inboundTag: [...users, ...own.inboundTag] },
      { ...rules[4], inboundTag: own.inboundTag },
      rules[5],
    ]);
    // Without a rule for the bridge, nobody knows who it is.
    const others = rules.filter(({ ruleTag }) => ruleTag !== 'own');
    expect(plan({ ...config, routing: { rules: others, balancers } }).routing.rules.slice(2)).toHaveLength(
      others.length,
    );
  });

  it('security row 32: the first rules of planConfig judge what a loopback sends back into routing', () => {
    const loopback = (tag: string, inboundTag?: string, key = 'inboundTag') => ({
      ...{ tag, protocol: 'Loopback' },
      ...(inboundTag !== undefined && { settings: { [key]: inboundTag } }),
    });
    const { routing, outbounds } = plan({
      inbounds: [vless],
      outbounds: [loopback('a', 'again', 'InboundTag'), loopback('b', 'in'), loopback('c', ''), loopback('d')],
    });
    const tags = ['in', 'again', '~rampart-loopback'].flatMap((tag) => [tag, `~rampart-alias-${tag}`]);
    expect(routing.rules[1]).toEqual({
      ...{ type: 'field', outboundTag: NOWHERE, ip: ALL_PRIVATE_BUT },
      inboundTag: tags,
    });
    expect(outbounds.slice(0, 4)).toEqual([
      loopback('a', 'again'),
      loopback('b', 'in'),
      loopback('c', '~rampart-loopback'),
      loopback('d', '~rampart-loopback'),
    ]);
  });

  it.each(['AsIs', 'IPIfNonMatch', 'IPOnDemand'])(
    'security row 32: planConfig dials the names that rules judge, but leaves fixed tunnels their target, with domainStrategy %s',
    (domainStrategy) => {
      const sniffing = { enabled: true, destOverride: ['tls'], routeOnly: true };
      const tunnel = { port: 1, protocol: 'Tunnel', settings: { address: '127.0.0.1', port: 2 }, sniffing };
      const transparent = { port: 3, protocol: 'tunnel', settings: { followRedirect: true }, sniffing };
      const { inbounds } = plan({
        inbounds: [{ ...vless, sniffing }, tunnel, transparent, { ...vless, tag: 'off', port: 444 }],
        routing: { domainStrategy },
      });
      expect(
        inbounds.map((inbound) => (inbound as { sniffing?: { routeOnly?: boolean } }).sniffing?.routeOnly),
      ).toEqual([false, true, false, undefined]);
    },
  );

  it('planConfig refuses an inbound on a path without a tag, for which no rule can be written', () => {
    const inbounds = [{ listen: '/run/in.sock', protocol: 'http' }];
    expect(() => plan({ inbounds })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_REFUSED',
        message: 'inbounds[0] needs a tag, so that its users can be kept out of private networks',
      }),
    );
    expect(plan({ inbounds }, ['0.0.0.0/0', '::/0']).inbounds).toHaveLength(1);
  });

  it('security row 33: outbounds of planConfig that connect by themselves dial what the DNS says, or nothing', () => {
    const server = { tag: 'chain', protocol: 'socks', settings: { servers: [{ address: '10.0.0.1', port: 1080 }] } };
    const { outbounds, dns } = plan({
      outbounds: [
        { protocol: 'freedom' },
        { tag: 'ipv4', protocol: 'freedom', streamSettings: { sockopt: { domainstrategy: 'UseIPv4', mark: 1 } } },
        { tag: 'own', protocol: 'freedom', settings: { redirect: '127.0.0.1:80' } },
        server,
      ],
      dns: { servers: ['https://dns.example/dns-query', { address: '10.0.0.53', unexpectedIPs: ['*', '1.1.1.1'] }] },
    });
    const happyEyeballs = { prioritizeIPv6: true, tryDelayMs: 250 };
    const front = (tag: string) => ({
      ...{ tag: `~rampart-udp-${tag}`, protocol: 'freedom' },
      settings: { domainStrategy: 'ForceIPv4v6', finalRules: [{ action: 'allow' }] },
      streamSettings: { sockopt: { dialerProxy: tag } },
    });
    const sockopt = { addressPortStrategy: 'none', happyEyeballs };
    expect(outbounds).toEqual([
      front('~rampart-first'),
      front('ipv4'),
      {
        ...{ tag: '~rampart-first', protocol: 'freedom' },
        streamSettings: { sockopt: { ...sockopt, domainStrategy: 'ForceIP' } },
      },
      {
        ...{ tag: 'ipv4', protocol: 'freedom' },
        streamSettings: { sockopt: { ...sockopt, mark: 1, domainStrategy: 'ForceIPv4' } },
      },
      {
        ...{ tag: 'own', protocol: 'freedom' },
        settings: { redirect: '127.0.0.1:80', finalRules: [{ action: 'allow' }] },
      },
      server,
      { tag: NOWHERE, protocol: 'blackhole' },
    ]);
    expect(dns.servers).toEqual([
      { address: 'https://dns.example/dns-query', unexpectedIPs: ALL_PRIVATE_BUT },
      { address: '10.0.0.53', unexpectedIPs: ALL_PRIVATE_BUT },
      { address: 'localhost', domains: ['full:dns.example'], skipFallback: true, unexpectedIPs: ALL_PRIVATE_BUT },
    ]);
  });

  it('security row 35: a balancer of planConfig takes UDP to the outbounds for UDP', () => {
    const balancer = { tag: 'all', selector: ['dir'], strategy: { type: 'leastPing' }, fallbackTag: 'direct' };
    const { routing } = plan({
      outbounds: ['direct', 'dir', 'directs'].map((tag, index) => ({
        tag,
        protocol: index === 1 ? 'blackhole' : 'freedom',
      })),
      routing: { balancers: [balancer], rules: [{ network: 'udp', balancerTag: 'all' }] },
    });
    const udp = { tag: '~rampart-udp-all', selector: ['~rampart-udp-direct', '~rampart-udp-directs'] };
    expect(routing.balancers).toEqual([balancer, { ...udp, fallbackTag: '~rampart-udp-direct' }]);
    expect(routing.rules[1]).toEqual({ network: 'udp', balancerTag: '~rampart-udp-all' });
  });

  it('security row 34: newer engines, whose outbounds block private addresses, allow what is allowed here', () => {
    const finalRules = [{ action: 'block', ip: ['10.0.0.1'] }];
    const { outbounds } = plan(
      { outbounds: [{ tag: 'direct', protocol: 'freedom', settings: { finalRules } }] },
      NETWORKS,
    );
    expect(outbounds[1]).toMatchObject({
      settings: { finalRules: [{ action: 'allow', ip: NETWORKS }, ...finalRules] },
    });
  });
});
