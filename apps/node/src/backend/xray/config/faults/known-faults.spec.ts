import { describe, expect, it } from '@jest/globals';
import { planConfig } from '../plan/engine-plan.js';
import { faultOf, KNOWN_FAULTS } from './known-faults.js';

const KEY = 'AAAAAAAAAAAAAAAAAAAAAA==';
const plan = (config: object, leftOut: string[], allowedNetworks?: string[]) =>
  planConfig(
    { text: JSON.stringify(config), excludedInbounds: [], ...(allowedNetworks && { allowedNetworks }) },
    leftOut,
  );
const treeOf = (...args: Parameters<typeof plan>) =>
  plan(...args).tree as { inbounds: Record<string, unknown>[]; outbounds: Record<string, unknown>[] };

describe(faultOf.name, () => {
  it.each([
    [
      'github.com/xtls/xray-core/proxy/shadowsocks_2022.(*MultiUserInbound).NewPacketConnection(0xb6ecc56db40, {0x163dd78})',
      'shadowsocks-2022-udp',
    ],
    [
      'github.com/xtls/xray-core/proxy/shadowsocks_2022.(*Inbound).NewPacketConnection(0xb6ecc56db40)',
      'shadowsocks-2022-udp',
    ],
    [
      'github.com/sagernet/sing-shadowsocks/shadowaead_2022.(*MultiService[...]).newPacket(0x1658660)',
      'shadowsocks-2022-udp',
    ],
    ['github.com/sagernet/sing-shadowsocks/shadowaead_2022.(*Service).newPacket(0x1658660)', 'shadowsocks-2022-udp'],
    ['github.com/xtls/xray-core/common/protocol/quic.SniffQUIC({0x1338eaea2000, 0x6c, 0x8000})', 'quic-sniffing'],
    ['github.com/xtls/xray-core/proxy/dns.(*Handler).handleIPQuery(0x3268c438c700?)', 'dns-answer'],
    ['github.com/xtls/xray-core/proxy/shadowsocks_2022.(*MultiUserInbound).NewConnection(0x1)', undefined],
    ['github.com/sagernet/sing-shadowsocks/shadowaead_2022.(*clientPacketConn).ReadPacket(0x1)', undefined],
    ['github.com/xtls/xray-core/app/dispatcher.(*DefaultDispatcher).Dispatch(0x1)', undefined],
    ['evil/github.com/xtls/xray-core/common/protocol/quic.SniffQUIC(0)', undefined],
  ])('%s', (frame, name) => {
    expect(faultOf(['main.main()', frame])?.name).toBe(name);
  });
});

describe('what is left out for a known fault', () => {
  it('nothing changes where a configuration does not have the feature', () => {
    const config = { inbounds: [{ tag: 'in', port: 1, protocol: 'vless', settings: { decryption: 'none' } }] };
    const names = KNOWN_FAULTS.map(({ name }) => name);
    expect(plan(config, names).tree).toEqual(plan(config, []).tree);
    expect(plan(config, [...names, 'unknown']).leftOut).toEqual(names);
  });

  it('of Shadowsocks, inbounds with a method of 2022 lose UDP alone', () => {
    const inbounds = [
      { tag: 'a', port: 1, protocol: 'shadowsocks', settings: { method: '2022-blake3-aes-128-gcm', password: KEY } },
      {
        ...{ tag: 'b', port: 2, protocol: 'Shadowsocks' },
        settings: { Method: '2022-blake3-aes-128-gcm', password: KEY, Network: 'tcp,udp' },
      },
      { tag: 'c', port: 3, protocol: 'shadowsocks', settings: { network: 'tcp,udp' } },
    ];
    const { tree, endpoints, inbounds: managed } = plan({ inbounds }, ['shadowsocks-2022-udp']);
    expect(tree['inbounds']).toEqual([
      { ...inbounds[0], settings: { ...inbounds[0]!.settings, network: 'tcp' } },
      { ...inbounds[1], settings: { method: '2022-blake3-aes-128-gcm', password: KEY, network: 'tcp' } },
      inbounds[2],
    ]);
    expect(endpoints.filter(({ tag }) => tag !== 'c')).toHaveLength(2);
    expect([...managed]).toEqual([...plan({ inbounds }, []).inbounds]);
  });

  it('sniffing reads metadata alone, also in a reverse bridge', () => {
    const on = { enabled: true, destOverride: ['fakedns'] };
    const inbound = { port: 1, protocol: 'vless', settings: { decryption: 'none' } };
    const bridge = { tag: 'bridge', protocol: 'vless', settings: { reverse: { tag: 'r', sniffing: on } } };
    const config = {
      inbounds: [
        { ...inbound, tag: 'a', sniffing: on },
        { ...inbound, tag: 'b', port: 2, Sniffing: { Enabled: true, MetadataOnly: false } },
        { ...inbound, tag: 'c', port: 3, sniffing: { enabled: false } },
      ],
      outbounds: [{ protocol: 'freedom' }, bridge],
    };
    const { inbounds, outbounds } = treeOf(config, ['quic-sniffing']);
    expect(inbounds.map((edited) => edited['sniffing'])).toEqual([
      { ...on, metadataOnly: true },
      { enabled: true, metadataOnly: true },
      { enabled: false },
    ]);
    expect(outbounds[1]?.['settings']).toEqual({ reverse: { tag: 'r', sniffing: { ...on, metadataOnly: true } } });
  });

  const dnsOf = (settings: object, servers?: unknown[]) => {
    const outbounds = [{ protocol: 'freedom' }, { tag: 'd', protocol: 'DNS', settings, mux: {} }];
    return treeOf({ outbounds, ...(servers && { dns: { servers } }) }, ['dns-answer']).outbounds[1];
  };
  const freedom = (redirect: string) => ({ tag: 'd', protocol: 'freedom', settings: { redirect }, mux: {} });
  const blackhole = { tag: 'd', protocol: 'blackhole', settings: {}, mux: {} };

  it.each([
    [{ address: '192.0.2.1' }, '192.0.2.1:53'],
    [{ address: '2001:db8::1', port: 5353, nonIPQuery: 'skip', network: 'tcp' }, '[2001:db8::1]:5353'],
    [{ Address: '[2001:db8::1]', port: 0 }, '[2001:db8::1]:53'],
    [{ address: 'a.example' }, 'a.example:53'],
  ])('a "dns" with %j leads to its own server, whatever the user has asked', (settings, redirect) => {
    expect(dnsOf(settings, ['192.0.2.9'])).toEqual(freedom(redirect));
  });

  it.each<[unknown[], string]>([
    [['localhost', 'https://192.0.2.7/dns-query', 'fakedns', '192.0.2.9', '192.0.2.8'], '192.0.2.9:53'],
    [[{ Address: '2001:db8::9', PORT: 5353, domains: [] }], '[2001:db8::9]:5353'],
    [[{ address: '10.0.0.1', domains: ['corp.example'] }, { address: '192.0.2.9' }], '192.0.2.9:53'],
    [[{ address: '10.0.0.1', skipFallback: true }, '192.0.2.9'], '192.0.2.9:53'],
  ])('a "dns" without an address leads to the first plain one for all names of %j', (servers, redirect) => {
    for (const settings of [{}, { port: 5353 }, { address: '' }])
      expect(dnsOf(settings, servers)).toEqual(freedom(redirect));
  });

  it.each<[object, unknown[] | undefined]>([
    [{}, undefined],
    [{ port: 5353 }, ['localhost', 'https://192.0.2.7/dns-query', 'tcp://192.0.2.7', 'dns.example', 'fakedns']],
    [{}, [{ address: '10.0.0.1', domains: ['corp.example'] }]],
    [{}, ['0.0.0.0', '192.0.2.9']],
    [{ address: '0.0.0.0' }, ['192.0.2.9']],
    [{ address: '::ffff:0.0.0.0', port: 53 }, ['192.0.2.9']],
    [{ address: '[0:0::0]' }, ['192.0.2.9']],
  ])('security row 129: a "dns" with %j and the servers %j leads nowhere', (settings, servers) => {
    expect(dnsOf(settings, servers)).toEqual(blackhole);
  });

  it('what a "dns" becomes is kept out of private networks as every "freedom"', () => {
    const dns = { servers: ['192.0.2.9'] };
    const config = { dns, outbounds: [{ protocol: 'freedom' }, { tag: 'd', protocol: 'dns' }] };
    const settings = { redirect: '192.0.2.9:53' };
    const written = { dns, outbounds: [{ protocol: 'freedom' }, { tag: 'd', protocol: 'freedom', settings }] };
    expect(plan(config, ['dns-answer'], []).tree).toEqual(plan(written, [], []).tree);
  });
});
