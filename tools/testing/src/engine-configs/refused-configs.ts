const DIRECT = { tag: 'direct', protocol: 'freedom' };
const VISION = 'xtls-rprx-vision';
const ID = '11111111-1111-4111-8111-111111111111';

export interface RefusedConfig {
  readonly what: string;
  readonly config: object;
  readonly message: string;
  /** What the engine does with the configuration on its own. */
  readonly engine: 'starts' | 'crashes';
}

const inbound = (others: object, engine: RefusedConfig['engine'] = 'starts') => ({
  config: {
    inbounds: [{ tag: 'in', listen: '127.0.0.1', port: 40_001, protocol: 'http', ...others }],
    outbounds: [DIRECT],
  },
  engine,
});
const vless = (stream: object, settings: object = {}) =>
  inbound({ protocol: 'vless', settings: { decryption: 'none', clients: [], ...settings }, streamSettings: stream });
const tls = (certificates?: object[]) =>
  vless({ security: 'tls', ...(certificates ? { tlsSettings: { certificates } } : {}) });
const routed = (rule: object, engine: RefusedConfig['engine'] = 'starts') => ({
  config: { outbounds: [DIRECT], routing: { rules: [{ outboundTag: 'direct', ...rule }] } },
  engine,
});
const top = (others: object) => ({ config: { outbounds: [DIRECT], ...others }, engine: 'starts' as const });
const outbounds = (out: object, ...others: object[]) =>
  top({
    outbounds: [DIRECT, { tag: 'out', ...out }, ...others].map((outbound) => ({ protocol: 'freedom', ...outbound })),
  });
const shadowsocks = (settings: object) => inbound({ protocol: 'shadowsocks', settings });
const KEY = Buffer.alloc(16, 1).toString('base64');
const REALITY = {
  target: '127.0.0.1:443',
  serverNames: ['example.com'],
  privateKey: Buffer.alloc(32, 2).toString('base64url'),
  shortIds: [''],
};
const PLACE = 'inbound "in": streamSettings.tlsSettings.certificates[0]';

/** Configurations that cannot be intended: the engine accepts them or crashes, and the node must refuse them. */
export const REFUSED_CONFIGS: readonly RefusedConfig[] = [
  {
    what: 'an empty address',
    ...inbound({ listen: '' }, 'crashes'),
    message: 'inbound "in": listen is empty; leave it out to listen on every address',
  },
  {
    what: 'port 0',
    ...inbound({ port: 0 }),
    message: 'inbounds[0].port must be a port (1-65535), a list "80,443" or a range "1000-1010"',
  },
  {
    what: 'a port above the highest',
    ...inbound({ port: 70_000 }),
    message: 'inbounds[0].port must be a port (1-65535), a list "80,443" or a range "1000-1010"',
  },
  {
    what: 'a bad mode of a socket',
    ...inbound({ listen: '/run/x.sock,999' }),
    message: 'inbound "in": listen "/run/x.sock,999" must be a path, or a path, a comma and a mode like 0666',
  },
  {
    what: 'a mode and more',
    ...inbound({ listen: '/run/x.sock,0666,1' }),
    message: 'inbound "in": listen "/run/x.sock,0666,1" must be a path, or a path, a comma and a mode like 0666',
  },
  {
    what: 'a path that no socket can have',
    ...inbound({ listen: `/${'x'.repeat(107)}` }),
    message: `inbound "in": the path /${'x'.repeat(107)} is longer than the 107 bytes that a socket may have`,
  },
  {
    what: 'pieces beside REALITY',
    ...vless({
      Security: 'reality',
      realitySettings: REALITY,
      FinalMask: { TCP: [{ Type: 'Fragment', settings: { packets: 'tlshello', length: '100-200', delay: '1-2' } }] },
    }),
    message:
      'inbound "in": streamSettings.finalmask.tcp: "fragment" beside REALITY ends the engine at the first connection; leave it to clients',
  },
  {
    what: 'TLS without settings',
    ...tls(),
    message: 'inbound "in": security "tls" needs a certificate and its key in streamSettings.tlsSettings.certificates',
  },
  {
    what: 'TLS without a certificate',
    ...tls([]),
    message: 'inbound "in": security "tls" needs a certificate and its key in streamSettings.tlsSettings.certificates',
  },
  { what: 'TLS without a key', ...tls([{ certificate: ['x'] }]), message: `${PLACE} has neither "key" nor "keyFile"` },
  {
    what: 'TLS with a garbage certificate',
    ...tls([{ certificate: ['x'], key: ['y'] }]),
    message: `${PLACE}: the certificate is not one in PEM form`,
  },
  {
    what: 'hysteria without TLS',
    ...inbound({
      protocol: 'hysteria',
      settings: { version: 2 },
      streamSettings: { network: 'hysteria', hysteriaSettings: { version: 2 } },
    }),
    message: 'inbound "in": hysteria needs streamSettings.security "tls"',
  },
  {
    what: 'users instead of clients',
    ...vless({}, { clients: undefined, users: [{ id: ID }] }),
    message:
      'inbound "in": the engine reads settings.clients and would start without anybody of settings.users; rename it',
  },
  {
    what: 'vision on ws',
    ...vless({ network: 'ws' }, { clients: [{ id: ID, flow: VISION }] }),
    message: `inbound "in": settings.clients[0] has the flow ${VISION}, which this transport does not carry; it takes raw with tls or reality`,
  },
  {
    what: 'vision on plain raw, for all',
    ...vless({}, { clients: [{ id: ID }], flow: VISION }),
    message: `inbound "in": settings.clients[0] has the flow ${VISION}, which this transport does not carry; it takes raw with tls or reality`,
  },
  {
    what: 'an open Shadowsocks',
    ...shadowsocks({ method: 'None', password: 'x' }),
    message: 'inbound "in": method "none" lets in everybody who finds the port; use one that asks for a key',
  },
  {
    what: 'an e-mail twice',
    ...shadowsocks({
      clients: [
        { email: 'Ann', method: 'aes-128-gcm', password: 'a' },
        { email: 'ANN', method: 'aes-128-gcm', password: 'b' },
      ],
    }),
    message: 'inbound "in": settings.clients[1] has the e-mail of settings.clients[0]',
  },
  {
    what: 'an e-mail twice in 2022',
    ...shadowsocks({
      method: '2022-blake3-aes-128-gcm',
      password: KEY,
      clients: [
        { email: 'a', password: KEY },
        { email: 'A', password: Buffer.alloc(16, 2).toString('base64') },
      ],
    }),
    message: 'inbound "in": settings.clients[1] has the e-mail of settings.clients[0]',
  },
  {
    what: 'a bad pattern of a domain',
    ...routed({ domain: ['regexp:a(b'] }),
    message: 'routing.rules[0].domain[0]: "a(b" is not a regular expression in RE2 syntax',
  },
  {
    what: 'a bad pattern among others in one text',
    ...routed({ Domains: 'full:a,regexp:(?=b)' }),
    message: 'routing.rules[0].domains: "(?=b)" is not a regular expression in RE2 syntax',
  },
  {
    what: 'a bad pattern of a user',
    ...routed({ user: ['regexp:*'] }),
    message: 'routing.rules[0].user[0]: "*" is not a regular expression in RE2 syntax',
  },
  {
    what: 'a bad pattern of an attribute',
    ...routed({ attrs: { ':path': '(' } }, 'crashes'),
    message: 'routing.rules[0].attrs.:path: "(" is not a regular expression in RE2 syntax',
  },
  {
    what: 'a bad pattern of a host',
    ...top({ dns: { hosts: { 'regexp:[': '1.1.1.1' } } }),
    message: 'dns.hosts.regexp:[: "[" is not a regular expression in RE2 syntax',
  },
  {
    what: 'a bad pattern of a name server',
    ...top({ dns: { servers: [{ address: '1.1.1.1', domains: ['regexp:('] }] } }),
    message: 'dns.servers[0].domains[0]: "(" is not a regular expression in RE2 syntax',
  },
  {
    what: 'a bad pattern of a sniffer',
    ...inbound({ sniffing: { enabled: true, domainsExcluded: ['regexp:('] } }),
    message: 'inbounds[0].sniffing.domainsExcluded[0]: "(" is not a regular expression in RE2 syntax',
  },
  {
    what: 'a rule to nowhere',
    ...routed({ outboundTag: 'nowhere', network: 'tcp' }),
    message: 'routing.rules[0]: there is no outbound "nowhere"; there are "direct"',
  },
  {
    what: 'a dialer that does not exist',
    ...outbounds({ StreamSettings: { Sockopt: { dialerproxy: 'nowhere' } } }),
    message:
      'outbounds[1].StreamSettings.Sockopt.dialerproxy: there is no outbound "nowhere"; there are "direct", "out"',
  },
  {
    what: 'a dialer of downloads that does not exist',
    ...outbounds({
      streamSettings: { network: 'raw', xhttpSettings: { downloadSettings: { sockopt: { dialerProxy: 'nowhere' } } } },
    }),
    message:
      'outbounds[1].streamSettings.xhttpSettings.downloadSettings.sockopt.dialerProxy: there is no outbound "nowhere"; there are "direct", "out"',
  },
  {
    what: 'a proxy that does not exist',
    ...outbounds({ proxySettings: { tag: 'nowhere', transportLayer: true } }),
    message: 'outbounds[1].proxySettings.tag: there is no outbound "nowhere"; there are "direct", "out"',
  },
  {
    what: 'an outbound that connects through itself',
    ...outbounds({ proxySettings: { tag: 'out' } }),
    message: 'outbounds[1].proxySettings.tag: "out" would connect through itself, without end',
  },
  {
    what: 'outbounds that connect through each other',
    ...outbounds(
      { proxySettings: { tag: 'next' } },
      { tag: 'next', streamSettings: { sockopt: { dialerProxy: 'last' } } },
      { tag: 'last', streamSettings: { sockopt: { dialerProxy: 'out' } } },
    ),
    message: 'outbounds[3].streamSettings.sockopt.dialerProxy: "out" would connect through itself, without end',
  },
  {
    what: 'a fallback to nowhere',
    ...top({
      observatory: { subjectSelector: ['direct'] },
      routing: { balancers: [{ tag: 'b', selector: ['direct'], FallbackTag: 'nowhere' }] },
    }),
    message: 'routing.balancers[0].fallbackTag: there is no outbound "nowhere"; there are "direct"',
  },
  {
    what: 'a balancer with nothing to pick',
    ...top({
      routing: { rules: [{ network: 'tcp', balancerTag: 'b' }], balancers: [{ tag: 'b', selector: ['Direct'] }] },
    }),
    message:
      'routing.balancers[0].selector picks no outbound: what its rules match would leave by the first one; there are "direct"',
  },
  {
    what: 'two balancers with one tag',
    ...top({
      routing: {
        balancers: [
          { tag: 'b', selector: ['direct'] },
          { tag: 'b', selector: ['d'] },
        ],
      },
    }),
    message: 'routing.balancers[0] and routing.balancers[1] have the same tag "b"',
  },
  {
    what: 'an observatory with nothing to look at',
    ...top({ observatory: { subjectSelector: ['other'] } }),
    message:
      'observatory.subjectSelector picks no outbound: the engine would look for one without a pause; there are "direct"',
  },
  {
    what: 'an outbound that metrics replace',
    ...top({ metrics: { tag: 'direct' }, stats: {} }),
    message: 'the outbound "direct" would be replaced: metrics or a reverse proxy has its tag',
  },
  {
    what: 'a selector for the API in one text',
    ...top({ routing: { balancers: [{ tag: 'b', selector: 'direct,~rampart-api-' }] } }),
    message: 'routing.balancers[0].selector begins with "~rampart-", which is reserved for the node',
  },
];

/** Configurations that would read or write the node's files, or open the engine's API to others. */
export const REFUSED_ACCESS: readonly RefusedConfig[] = [
  {
    what: 'a key log of TLS',
    ...vless({ security: 'none', tlsSettings: { MasterKeyLog: '/tmp/keys' } }),
    message:
      'inbounds[0].streamSettings.tlsSettings.MasterKeyLog would write the keys of all connections into a file of the node; remove it',
  },
  {
    what: 'a key log of an outbound',
    ...top({ outbounds: [{ ...DIRECT, streamSettings: { security: 'tls', tlsSettings: { masterKeyLog: 'keys' } } }] }),
    message:
      'outbounds[0].streamSettings.tlsSettings.masterKeyLog would write the keys of all connections into a file of the node; remove it',
  },
  {
    what: 'a masquerade of files',
    ...inbound({ streamSettings: { hysteriaSettings: { version: 2, masquerade: { type: 'File', dir: '/etc' } } } }),
    message:
      'inbounds[0].streamSettings.hysteriaSettings.masquerade would hand out files of the node to everybody; use the type "proxy" or "string"',
  },
  {
    what: 'an environment for the engine',
    ...top({ Env: { XRAY_LOCATION_ASSET: '/tmp' } }),
    message: "Env would change the engine's environment; remove it, and set such variables where the node is started",
  },
  {
    what: 'downloads of geo files',
    ...top({ geodata: { assets: [] } }),
    message:
      'geodata would download files to the node and replace others; remove it, and bring the files there yourself',
  },
  {
    what: 'routes for a TUN',
    ...inbound({ protocol: 'http', settings: { autoSystemRoutingTable: ['0.0.0.0/0'] } }),
    message:
      'inbounds[0].settings.autoSystemRoutingTable would change the routes of the node, for its other programs too; remove it',
  },
  {
    what: 'a transport in pings',
    ...outbounds({ streamSettings: { finalmask: { udp: [{ type: 'XICMP', settings: { listenIp: '127.0.0.1' } }] } } }),
    message:
      'outbounds[1].streamSettings.finalmask has the mask "xicmp", for which the engine would read and answer all pings of the node; remove it',
  },
  {
    what: 'a listener of metrics',
    ...top({ metrics: { Listen: '127.0.0.1:40002' }, stats: {} }),
    message: 'metrics.listen would show users and traffic to everybody who reaches it; remove it, the node tells both',
  },
];
