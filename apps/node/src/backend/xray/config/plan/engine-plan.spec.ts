import { describe, expect, it } from '@jest/globals';
import { planConfig } from './engine-plan.js';
import { renderConfig } from './render-config.js';

const CHANNEL = { tag: '~rampart-api-1', inboundTag: '~rampart-in-1', socketPath: '/run/api.sock' };
const IN_FILES = { certificates: [{ certificateFile: 'cert.pem', keyFile: 'key.pem' }] };
const TLS = { security: 'tls', tlsSettings: IN_FILES };
const DIRECT = { tag: 'direct', protocol: 'freedom' };

const plan = (config: unknown, excludedInbounds: string[] = []) =>
  planConfig({ text: typeof config === 'string' ? config : JSON.stringify(config), excludedInbounds });
const rendered = (config: unknown, excludedInbounds: string[] = []) =>
  JSON.parse(renderConfig(plan(config, excludedInbounds), CHANNEL, ({ tag }) => [{ email: `user of ${tag}` }]));
const refused = (config: unknown) => {
  try {
    plan(config);
  } catch (error) {
    return error;
  }
  throw new Error('the configuration was taken');
};
interface JsonInbound {
  readonly port: number;
  readonly settings: { readonly users?: unknown };
}
const refusal = (message: string) => ({ code: 'CONFIG_REFUSED', message });

describe(planConfig.name, () => {
  it('adds what the node needs to an empty configuration', () => {
    expect(rendered({})).toEqual({
      log: { access: 'none', loglevel: 'warning' },
      api: { tag: '~rampart-api-1', services: ['HandlerService', 'StatsService', 'RoutingService', 'LoggerService'] },
      stats: {},
      policy: {
        levels: { '0': { statsUserUplink: true, statsUserDownlink: true, statsUserOnline: true } },
        system: {
          statsInboundUplink: true,
          statsInboundDownlink: true,
          statsOutboundUplink: true,
          statsOutboundDownlink: true,
        },
      },
      inbounds: [{ tag: '~rampart-in-1', listen: '/run/api.sock,0600', protocol: 'http', settings: {} }],
      outbounds: [DIRECT],
      routing: { rules: [{ type: 'field', inboundTag: ['~rampart-in-1'], outboundTag: '~rampart-api-1' }] },
    });
  });

  it('keeps unknown keys at every place', () => {
    const config = {
      version: { min: '26.0.0' },
      future: [1, { a: null }],
      inbounds: [
        {
          ...{ tag: 'in', port: 443, protocol: 'vless', sniffing: { enabled: true }, future: 1 },
          settings: { decryption: 'none', clients: [{ email: 'old' }], future: 2 },
          streamSettings: {
            network: 'ws',
            wsSettings: { path: '/' },
            sockopt: { trustedXForwardedFor: ['A'], future: 7 },
          },
        },
      ],
      outbounds: [{ ...DIRECT, future: 3 }],
      routing: { domainStrategy: 'AsIs', rules: [{ network: 'udp', outboundTag: 'direct', future: 4 }], future: 5 },
      policy: { levels: { '0': { connIdle: 10 }, '1': { connIdle: 20 } }, system: { future: 6 } },
      dns: { servers: ['1.1.1.1'] },
    };
    const result = rendered(config);
    expect(result).toMatchObject({ version: config.version, future: config.future, dns: config.dns });
    expect(result.inbounds[1]).toEqual({
      ...config.inbounds[0],
      settings: { decryption: 'none', clients: [{ email: 'user of in' }], future: 2 },
    });
    expect(result.outbounds).toEqual(config.outbounds);
    expect(result.routing).toEqual({
      domainStrategy: 'AsIs',
      rules: [expect.objectContaining({ outboundTag: '~rampart-api-1' }), config.routing.rules[0]],
      future: 5,
    });
    expect(result.policy.levels['0']).toMatchObject({ connIdle: 10, statsUserUplink: true });
    expect(result.policy.levels['1']).toEqual({ connIdle: 20 });
    expect(result.policy.system).toMatchObject({ future: 6, statsInboundUplink: true });
  });

  it.each<[string, object, string[] | undefined]>([
    ['nobody', { streamSettings: { network: 'ws' } }, ['(none)']],
    ['nobody over grpc', { streamSettings: { network: 'grpc', sockopt: { mark: 1 } } }, ['(none)']],
    [
      'nobody for an empty list',
      { streamSettings: { network: 'ws', sockopt: { TrustedXForwardedFor: [] } } },
      ['(none)'],
    ],
    ['the headers of the list', { streamSettings: { network: 'ws', sockopt: { trustedXForwardedFor: ['A'] } } }, ['A']],
    ['a proxy of the machine', { listen: '127.0.0.1', streamSettings: { network: 'ws' } }, ['X-Forwarded-For']],
    ['nobody through TLS', { listen: '::1', streamSettings: { network: 'ws', ...TLS } }, ['(none)']],
    ['what it likes without headers', { streamSettings: { network: 'tcp' } }, undefined],
  ])('lets the engine believe %s', (_, change, headers) => {
    const { inbounds } = rendered({ inbounds: [{ tag: 'in', port: 443, protocol: 'trojan', ...change }] });
    expect(inbounds[1].streamSettings.sockopt?.trustedXForwardedFor).toEqual(headers);
  });

  it('has no statistics of inbounds beside Hysteria, which would hide its users', () => {
    const inbounds = [{ tag: 'in', port: 443, protocol: 'hysteria', streamSettings: TLS }];
    expect(rendered({ inbounds, policy: { system: { statsInboundUplink: true } } }).policy.system).toEqual({
      statsInboundUplink: false,
      statsInboundDownlink: false,
      statsOutboundUplink: true,
      statsOutboundDownlink: true,
    });
  });

  it('reads comments as the engine does', () => {
    const text =
      '// one\n{ # two\n "log": {"loglevel": "none" /* three */}, "outbounds": [{"tag": "a//#/*b", "protocol": "freedom"}]}';
    expect(rendered(text)).toMatchObject({
      log: { loglevel: 'none' },
      outbounds: [{ tag: 'a//#/*b', protocol: 'freedom' }],
    });
  });

  it('reads any text with comments in linear time, and reports the position of an error', () => {
    const long = 'x'.repeat(20_000_000);
    expect(rendered(`{"future": "${long}\\"#" /* three */}`).future).toHaveLength(long.length + 2);
    expect(refused(`"${'\\"'.repeat(1_000_000)}`)).toMatchObject(
      refusal('config is not valid JSON: line 1, column 1: unexpected end of string'),
    );
    expect(refused('{ /* one\n two */ x')).toMatchObject(
      refusal('config is not valid JSON: line 2, column 9: invalid symbol'),
    );
  });

  it.each([
    [
      { access: '/var/log/a', error: '/var/log/e', loglevel: 'info', dnsLog: true },
      { loglevel: 'info', dnsLog: true },
    ],
    [
      { access: 'none', error: 'none' },
      { access: 'none', error: 'none' },
    ],
    [{ Access: '/etc/passwd' }, {}],
  ])('writes no log files: %j', (log, expected) => {
    expect(rendered({ log }).log).toEqual(expected);
  });

  it('keeps `statsUserOnline` as the configuration sets it', () => {
    const policy = { levels: { '0': { statsUserOnline: false, statsUserUplink: false } } };
    expect(rendered({ policy }).policy.levels['0']).toEqual({
      statsUserUplink: true,
      statsUserDownlink: true,
      statsUserOnline: false,
    });
  });

  it("merges the API services of the configuration and removes the configuration's own access to the API", () => {
    const result = rendered({
      api: { tag: 'api', listen: '127.0.0.1:1', services: ['statsservice', 'ReflectionService'] },
      inbounds: [
        { tag: 'door', port: 1, protocol: 'dokodemo-door' },
        { tag: 'vless', port: 2, protocol: 'vless' },
      ],
      routing: {
        rules: [
          { inboundTag: ['door'], outboundTag: 'api' },
          { inboundTag: ['vless'], outboundTag: 'api' },
          { network: 'tcp', outboundTag: 'direct' },
        ],
      },
      outbounds: [DIRECT],
    });
    expect(result.api).toEqual({
      tag: '~rampart-api-1',
      services: ['HandlerService', 'StatsService', 'RoutingService', 'LoggerService', 'ReflectionService'],
    });
    expect(result.inbounds.map(({ tag }: { tag: string }) => tag)).toEqual(['~rampart-in-1', 'vless']);
    expect(result.routing.rules.map(({ outboundTag }: { outboundTag: string }) => outboundTag)).toEqual([
      '~rampart-api-1',
      'direct',
    ]);
  });

  it('does not change excluded inbounds', () => {
    const inbounds = [
      { tag: 'own', port: 1, protocol: 'vless', settings: { flow: '', clients: [{ id: 'x' }] } },
      { tag: 'managed', port: 2, protocol: 'vless', settings: { flow: '', clients: [{ id: 'x' }] } },
    ];
    const [, own, managed] = rendered({ inbounds }, ['own']).inbounds;
    expect(own).toEqual(inbounds[0]);
    expect(managed.settings).toEqual({ clients: [{ email: 'user of managed' }] });
  });

  it('replaces `geoip:private` by its addresses', () => {
    const rules = [{ ip: ['geoip:private', '8.8.8.8'], source: 'geoip:PRIVATE', outboundTag: 'direct' }];
    const [, rule] = rendered({ routing: { rules }, outbounds: [DIRECT] }).routing.rules;
    expect(rule.ip).toContain('10.0.0.0/8');
    expect(rule.ip.at(-1)).toBe('8.8.8.8');
    expect(rule.source).toContain('fc00::/7');
    expect(JSON.stringify(rule)).not.toMatch(/geoip/i);
  });

  it('lets a balancer with an empty selector select all outbounds except the API', () => {
    const config = {
      outbounds: [DIRECT, { tag: 'other', protocol: 'freedom' }],
      routing: { balancers: [{ tag: 'all', selector: [''] }], rules: [{ network: 'tcp', balancerTag: 'all' }] },
      observatory: { subjectSelector: [''] },
      burstObservatory: { subjectSelector: ['dir'] },
    };
    expect(rendered(config)).toMatchObject({
      routing: { balancers: [{ tag: 'all', selector: ['direct', 'other'] }] },
      observatory: { subjectSelector: ['direct', 'other'] },
      burstObservatory: { subjectSelector: ['dir'] },
    });
  });

  it('returns the inbounds whose users the node keeps', () => {
    const reality = { network: 'raw', security: 'reality' };
    const inbounds = [
      { tag: 'a', port: 1, protocol: 'VLESS', settings: { flow: 'xtls-rprx-vision' }, streamSettings: reality },
      {
        tag: 'b',
        port: 2,
        protocol: 'vless',
        streamSettings: { network: 'ws', security: 'tls', tlsSettings: IN_FILES },
      },
      { tag: 'c', port: 3, protocol: 'shadowsocks', settings: { method: '2022-blake3-aes-256-gcm' } },
      { tag: 'd', port: 4, protocol: 'shadowsocks', settings: {} },
      { tag: 'e', port: 5, protocol: 'socks' },
      { port: 6, protocol: 'vless' },
    ];
    expect([...plan({ inbounds }).inbounds.values()]).toEqual([
      { tag: 'a', handover: 'shared', protocol: 'vless', vision: true, flow: 'xtls-rprx-vision' },
      { tag: 'b', handover: 'shared', protocol: 'vless', vision: false, flow: '' },
      { tag: 'c', handover: 'shared', protocol: 'shadowsocks-2022', method: '2022-blake3-aes-256-gcm' },
      { tag: 'd', handover: 'shared', protocol: 'shadowsocks' },
    ]);
  });

  it('leaves `users` to inbounds whose users it does not keep: an HTTP proxy without them would be open to anyone', () => {
    const users = [{ user: 'ann', pass: 'secret' }];
    const inbounds = [
      { tag: 'http', port: 1, protocol: 'http', settings: { users } },
      { tag: 'socks', port: 2, protocol: 'socks', settings: { auth: 'password', users } },
      { port: 3, protocol: 'vless', settings: { decryption: 'none', users } },
      { tag: 'kept', port: 4, protocol: 'vless', settings: { decryption: 'none', users } },
      { tag: 'excluded', port: 5, protocol: 'vless', settings: { decryption: 'none', clients: [], users } },
    ];
    const left = rendered({ inbounds }, ['excluded']).inbounds.filter(({ settings }: JsonInbound) => settings.users);
    expect(left.map(({ port }: JsonInbound) => port)).toEqual([1, 2, 3, 5]);
  });

  it.each(['tcpSettings', 'rawSettings'])('planConfig: vision does not work below an HTTP header in %s', (settings) => {
    const streamSettings = { security: 'tls', tlsSettings: IN_FILES, [settings]: { header: { type: 'http' } } };
    const inbounds = [{ tag: 'a', port: 1, protocol: 'vless', streamSettings }];
    expect(plan({ inbounds }).inbounds.get('a')).toMatchObject({ vision: false, flow: '' });
  });

  const inbound = (tag: string, port: number | string, others: object = {}) => ({
    tag,
    port,
    protocol: 'vless',
    ...others,
  });

  it.each([
    ['a list', '[]', 'config must be a JSON object'],
    ['inbounds that are no list', { inbounds: {} }, 'inbounds must be a list'],
    ['an inbound that is no object', { inbounds: [1] }, 'inbounds[0] must be an object'],
    ['a section twice', '{"api":{},"API":{}}', 'the configuration has "api" twice, in different spellings'],
    [
      'a section twice by an odd letter',
      '{"inbounds":[],"inboundſ":[]}',
      'the configuration has "inbounds" twice, in different spellings',
    ],
    ['a prototype', '{"log":{"__proto__":{}}}', 'log: key "__proto__" is not allowed'],
    ['endless nesting', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'config is nested deeper than 100 levels'],
    [
      'a reserved tag',
      { outbounds: [{ tag: '~rampart-x' }] },
      'outbounds[0].tag begins with "~rampart-", which is reserved for the node',
    ],
    [
      'a selector that picks the API',
      { outbounds: [DIRECT], routing: { balancers: [{ tag: 'b', selector: ['~'] }] } },
      'selector "~" would pick what is reserved for the node',
    ],
    [
      'a rule to nowhere',
      { outbounds: [DIRECT], routing: { rules: [{ outboundTag: 'nowhere' }] } },
      'routing.rules[0]: there is no outbound "nowhere"; there are "direct"',
    ],
    [
      'the same port twice',
      { inbounds: [inbound('a', 443), inbound('b', '440-450')] },
      'inbounds "a" and "b" both listen on tcp port 443',
    ],
    [
      'one inbound on a port twice',
      { inbounds: [inbound('a', '80,443,80')] },
      'inbound "a" listens twice on tcp port 80',
    ],
    [
      'the same path twice',
      { inbounds: [inbound('a', 0, { listen: '/x' }), inbound('b', 0, { listen: '/x,0666' })] },
      'inbounds "a" and "b" both listen on /x',
    ],
    [
      'the same abstract path twice',
      { inbounds: [inbound('a', 0, { listen: '@x' }), inbound('b', 0, { listen: '@x' })] },
      'inbounds "a" and "b" both listen on @x',
    ],
    [
      'a port too high',
      { inbounds: [inbound('a', 70_000)] },
      'inbounds[0].port must be a port (1-65535), a list "80,443" or a range "1000-1010"',
    ],
    [
      'a 2022 method without users',
      {
        inbounds: [inbound('a', 1, { protocol: 'shadowsocks', settings: { method: '2022-blake3-chacha20-poly1305' } })],
      },
      'inbound "a": with method "2022-blake3-chacha20-poly1305" the engine knows no users; use 2022-blake3-aes-128-gcm or 2022-blake3-aes-256-gcm',
    ],
  ])('refuses %s', (_what, config, message) => {
    expect(refused(config)).toMatchObject(refusal(message));
  });

  it.each([
    ['two addresses', [inbound('a', 443, { listen: '127.0.0.1' }), inbound('b', 443, { listen: '127.0.0.2' })]],
    ['two transports', [inbound('a', 443), inbound('b', 443, { streamSettings: { network: 'kcp' } })]],
    ['IPv4 and IPv6', [inbound('a', 443), inbound('b', 443, { listen: '::1' })]],
  ])('accepts one port for %s', (_what, inbounds) => {
    expect(plan({ inbounds }).endpoints).toHaveLength(2);
  });

  it('accepts rules to outbounds that are not in the list of outbounds', () => {
    const rules = ['portal', 'metrics', 'reversed'].map((outboundTag) => ({ outboundTag }));
    const config = {
      outbounds: [DIRECT],
      reverse: { portals: [{ tag: 'portal' }] },
      metrics: { tag: 'metrics' },
      inbounds: [inbound('own', 1, { settings: { clients: [{ reverse: { tag: 'reversed' } }] } })],
      routing: { rules },
    };
    expect(plan(config, ['own']).tree['routing']).toEqual({ rules });
  });
});
