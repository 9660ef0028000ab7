import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '@rampart/core-config';
import type { UserStatus } from '@rampart/domain';
import { compileHosts } from '../compile/compile-hosts.js';
import type { Host } from '../model/host.js';
import type { ResolvedProxy } from '../model/resolved-proxy.js';
import type { Random } from '../model/selected-proxy.js';
import { host } from '../testing/host.js';
import { CREDENTIALS } from '../testing/user.js';
import { resolveProxy } from './resolve-proxy.js';
import { selectProxies } from './select-proxies.js';

const KEY = 'AAECAwQFBgcICQoLDA0ODw==';
const CORE = parseCoreConfig({
  inbounds: [
    {
      tag: 'in',
      protocol: 'vless',
      port: '80,1000-1002',
      streamSettings: { network: 'ws', wsSettings: { path: '/w' } },
    },
    {
      tag: 'reality',
      protocol: 'vless',
      port: 443,
      streamSettings: {
        security: 'reality',
        realitySettings: {
          privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
          shortIds: ['aa', 'bb'],
          serverNames: ['r.example'],
          target: 443,
          spiderX: 's',
        },
      },
    },
    { tag: 'vmess', protocol: 'vmess', port: 443 },
    {
      tag: 'xhttp',
      protocol: 'vless',
      port: 443,
      streamSettings: {
        network: 'xhttp',
        xhttpSettings: { path: '/x', mode: 'stream-up', xPaddingBytes: '1-2', scMaxEachPostBytes: 5 },
      },
    },
    {
      tag: 'grpc',
      protocol: 'vless',
      port: 443,
      streamSettings: { network: 'grpc', grpcSettings: { serviceName: 's', multiMode: true } },
    },
    {
      tag: 'httpupgrade',
      protocol: 'vless',
      port: 443,
      streamSettings: { network: 'httpupgrade', httpupgradeSettings: { path: '/u', host: 'u.example' } },
    },
    { tag: 'kcp', protocol: 'vless', port: 443, streamSettings: { network: 'kcp' } },
    { tag: 'other xhttp', protocol: 'vless', port: 444, streamSettings: { network: 'xhttp' } },
    { tag: 'trojan', protocol: 'trojan', port: 443 },
    { tag: 'ss', protocol: 'shadowsocks', port: 443 },
    {
      tag: 'ss2022',
      protocol: 'shadowsocks',
      port: 443,
      settings: { method: '2022-blake3-aes-128-gcm', password: KEY, network: 'tcp,udp' },
    },
  ],
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
});
const INBOUNDS = new Map(CORE.inbounds.map((inbound) => [inbound.tag, inbound]));

interface Change {
  readonly status?: UserStatus;
  readonly tags?: readonly string[];
  readonly random?: Random;
  readonly credentials?: typeof CREDENTIALS;
}

function resolve(hosts: readonly Partial<Host>[], change: Change = {}): ResolvedProxy[] {
  const { status = 'active', tags = INBOUNDS.keys(), random = () => 0, credentials = CREDENTIALS } = change;
  return selectProxies(compileHosts(hosts.map(host), INBOUNDS), {
    user: { status, proxySettings: credentials },
    inboundTags: new Set(tags),
    values: { USERNAME: 'ali' },
    random,
  }).map(resolveProxy);
}

/** Always selects the last entry of a list. */
const last: Random = (max) => max - 1;

describe(resolveProxy, () => {
  it('only hosts of inbounds that the user may use are shown', () => {
    const hosts = [{ remark: 'ws' }, { remark: 'ss', inboundTag: 'ss' }];
    expect(resolve(hosts, { tags: ['ss'] }).map(({ name }) => name)).toEqual(['ss']);
    expect(resolve(hosts, { tags: [] })).toEqual([]);
  });

  it.each<[UserStatus, string[]]>([
    ['active', ['all', 'active']],
    ['expired', ['all', 'ended']],
    ['disabled', ['all']],
  ])('a user who is %s gets the hosts for that status', (status, names) => {
    const hosts: Partial<Host>[] = [
      { remark: 'all' },
      { remark: 'active', status: ['active'] },
      { remark: 'ended', status: ['expired', 'limited'] },
    ];
    expect(resolve(hosts, { status }).map(({ name }) => name)).toEqual(names);
  });

  it('variables of a host are replaced', () => {
    const [proxy] = resolve([
      { remark: '{USERNAME} {PROTOCOL}/{TRANSPORT} {SERVER_IP}', address: ['{USERNAME}.example'], path: '/{USERNAME}' },
    ]);
    expect(proxy).toMatchObject({
      name: 'ali vless/ws <missing>',
      address: 'ali.example',
      transport: { type: 'ws', path: '/ali' },
    });
  });

  it('equal names get a number', () => {
    expect(resolve([{}, {}, {}]).map(({ name }) => name)).toEqual(['name', 'name (2)', 'name (3)']);
  });

  it('one of several addresses, names, hosts, ports and short ids is selected', () => {
    const lists = { address: ['a', 'b'], sni: ['s', 't'], host: ['h', 'i'], security: 'tls' } as const;
    expect(resolve([lists])[0]).toMatchObject({
      address: 'a',
      port: 80,
      transport: { host: 'h' },
      security: { serverName: 's' },
    });
    expect(resolve([lists], { random: last })[0]).toMatchObject({
      address: 'b',
      port: 1002,
      transport: { host: 'i' },
      security: { serverName: 't' },
    });
    expect(resolve([{ inboundTag: 'reality' }], { random: last })[0]?.security).toEqual({
      type: 'reality',
      serverName: 'r.example',
      fingerprint: 'chrome',
      publicKey: '7xhH4b_VkliBxGulljcyPOH-bYUA2dl-XAdZAsfhk04',
      shortId: 'bb',
      spiderX: '/s',
      mldsa65Verify: '',
    });
  });

  it('the port of the host takes precedence', () => {
    expect(resolve([{ port: 8443 }], { random: last })[0]?.port).toBe(8443);
  });

  it('every * of a host is replaced by one salt, which differs between hosts', () => {
    const stars = { port: 443, address: ['*.a'], sni: ['*.s.*'], host: ['*.h'], security: 'tls' } as const;
    let drawn = 0;
    const proxies = resolve([stars, stars], { random: () => (drawn++ < 2 ? 0 : 0x11111111) });
    const [zeros, ones] = ['0'.repeat(16), '1'.repeat(16)];
    expect(proxies).toMatchObject([
      {
        address: `${zeros}.a`,
        security: { serverName: `${zeros}.s.${zeros}` },
        transport: { host: `${zeros}.h` },
      },
      {
        address: `${ones}.a`,
        security: { serverName: `${ones}.s.${ones}` },
        transport: { host: `${ones}.h` },
      },
    ]);
    expect(drawn).toBe(4);
  });

  it('with useSniAsHost, the server name is also the Host header', () => {
    const change = { useSniAsHost: true, host: ['h.example'], security: 'tls' } as const;
    expect(resolve([{ ...change, sni: ['s.example'] }])[0]?.transport).toMatchObject({ host: 's.example' });
    expect(resolve([change])[0]?.transport).toMatchObject({ host: 'h.example' });
  });

  it('brackets around an IPv6 address are removed', () => {
    expect(resolve([{ address: ['[2001:db8::1]'] }])[0]?.address).toBe('2001:db8::1');
  });

  it('each protocol gets its credentials', () => {
    const hosts = ['in', 'reality', 'vmess', 'trojan', 'ss', 'ss2022'].map((inboundTag) => ({ inboundTag }));
    const { vmess, vless, trojan, shadowsocks } = CREDENTIALS;
    expect(resolve(hosts).map(({ protocol }) => protocol)).toEqual([
      { type: 'vless', id: vless.id, flow: '', encryption: 'none' },
      { type: 'vless', id: vless.id, flow: 'xtls-rprx-vision', encryption: 'none' },
      { type: 'vmess', id: vmess.id },
      { type: 'trojan', password: trojan.password },
      { type: 'shadowsocks', method: 'chacha20-ietf-poly1305', password: shadowsocks.password, udp: false },
      {
        type: 'shadowsocks',
        method: '2022-blake3-aes-128-gcm',
        password: `${KEY}:m3+t/xny8opupgAag8aEhA==`,
        udp: true,
      },
    ]);
  });

  it('a Shadowsocks method gets the full name that clients know', () => {
    const credentials: typeof CREDENTIALS = {
      ...CREDENTIALS,
      shadowsocks: { password: 'p', method: 'xchacha20-poly1305' },
    };
    expect(resolve([{ inboundTag: 'ss' }], { credentials })[0]?.protocol).toMatchObject({
      method: 'xchacha20-ietf-poly1305',
    });
  });

  it('the name is never empty, well-formed and trimmed', () => {
    expect(resolve([{ remark: ' a\ud83d ' }, { remark: ' ' }]).map(({ name }) => name)).toEqual(['a\uFFFD', '-']);
  });
});

describe('the transport', () => {
  const of = (change: Partial<Host>, request: Change = {}) => resolve([change], request)[0]?.transport;
  const HEADERS = { 'X-A': 'b', HOST: 'other' };

  it('ws is resolved with its path, host and headers', () => {
    const transportSettings = { websocket_settings: { heartbeatPeriod: 30 } };
    expect(of({ transportSettings, httpHeaders: HEADERS, host: ['h'] })).toEqual({
      type: 'ws',
      path: '/w',
      host: 'h',
      headers: { 'X-A': 'b' },
      heartbeatPeriod: 30,
    });
  });

  it('httpupgrade is resolved with its path, host and headers', () => {
    const expected = { type: 'httpupgrade', path: '/u', host: 'u.example', headers: {} };
    expect(of({ inboundTag: 'httpupgrade' })).toEqual(expected);
    expect(of({ inboundTag: 'httpupgrade', httpHeaders: HEADERS, host: ['h'] })).toEqual({
      ...expected,
      host: 'h',
      headers: { 'X-A': 'b' },
    });
  });

  it('tcp gets an http header from the host', () => {
    const request = { method: 'PUT', version: '1.0', headers: { Host: ['t'], Pragma: ['p'] } };
    const response = { status: '200', reason: null };
    const transportSettings = { tcp_settings: { header: 'http', request, response } };
    expect(of({ inboundTag: 'vmess', transportSettings, path: '/p' })).toEqual({
      type: 'tcp-http',
      method: 'PUT',
      version: '1.0',
      path: '/p',
      host: 't',
      headers: {},
      headerLists: { Pragma: ['p'] },
      response: { status: '200' },
    });
    expect(of({ inboundTag: 'vmess', transportSettings, host: ['h'] })).toMatchObject({ host: 'h' });
    expect(of({ inboundTag: 'vmess', transportSettings: { tcp_settings: { header: 'none' } } })).toEqual({
      type: 'tcp',
    });
  });

  it('of xhttp has what the host sets over what the inbound has', () => {
    const xhttp_settings = {
      x_padding_bytes: '3-4',
      no_grpc_header: true,
      xmux: { maxConcurrency: 8, maxConnections: null },
    };
    expect(of({ inboundTag: 'xhttp', transportSettings: { xhttp_settings } })).toEqual({
      type: 'xhttp',
      path: '/x',
      host: '',
      headers: {},
      mode: 'stream-up',
      extra: { xPaddingBytes: '3-4', scMaxEachPostBytes: 5, noGRPCHeader: true, xmux: { maxConcurrency: 8 } },
      download: undefined,
    });
    expect(of({ inboundTag: 'xhttp', transportSettings: { xhttp_settings: { mode: 'auto' } } })).toMatchObject({
      mode: 'auto',
    });
  });

  it('grpc is resolved with its service and its settings', () => {
    const grpc_settings = {
      multi_mode: false,
      idle_timeout: 5,
      permit_without_stream: true,
      health_check_timeout: null,
    };
    expect(
      of({ inboundTag: 'grpc', transportSettings: { grpc_settings }, httpHeaders: { 'user-agent': 'u' } }),
    ).toEqual({
      type: 'grpc',
      serviceName: 's',
      authority: '',
      multiMode: false,
      userAgent: 'u',
      keepAlive: { idle_timeout: 5, permit_without_stream: true },
    });
    expect(of({ inboundTag: 'grpc' })).toMatchObject({ multiMode: true, userAgent: '', keepAlive: {} });
  });

  it('kcp is resolved with its settings', () => {
    const kcp_settings = { mtu: 1000, tti: 20, congestion: true, header: 'srtp', read_buffer_size: 2 };
    expect(of({ inboundTag: 'kcp', transportSettings: { kcp_settings } })).toEqual({
      type: 'kcp',
      settings: { mtu: 1000, tti: 20, congestion: true, readBufferSize: 2 },
    });
  });

  it.each<[string, Partial<Host>, string]>([
    ['a browser', {}, 'Mozilla/5.0'],
    ['a browser in place of a given name', { httpHeaders: { 'user-agent': 'mine' } }, 'Mozilla/5.0'],
    ['a gRPC library where the request looks like one', { inboundTag: 'xhttp' }, 'grpc-'],
    [
      'a browser where it does not',
      { inboundTag: 'xhttp', transportSettings: { xhttp_settings: { no_grpc_header: true } } },
      'Mozilla/5.0',
    ],
  ])('a random User-Agent of a transport is %s', (_, change, start) => {
    const transport = of({ ...change, randomUserAgent: true });
    expect(transport).toEqual(
      expect.objectContaining({ headers: { 'User-Agent': expect.stringMatching(new RegExp(`^${start}`)) } }),
    );
    expect(of({ ...change, randomUserAgent: true }, { random: last })).not.toEqual(transport);
    expect(of({ inboundTag: 'grpc', randomUserAgent: true })).toMatchObject({
      userAgent: expect.stringMatching(/^grpc-/),
    });
  });
});

describe('a download host', () => {
  const there = { id: 1, inboundTag: 'xhttp', transportSettings: { xhttp_settings: { download_settings: 2 } } };
  const back = { id: 2, remark: 'back', inboundTag: 'xhttp', address: ['*.d'], port: 8443, path: '/d' };
  const downloadOf = (hosts: Partial<Host>[], change?: Change) => resolve(hosts, change)[0]?.transport;

  it('the download host is resolved like any other host', () => {
    expect(downloadOf([there, back])).toMatchObject({
      download: {
        address: `${'0'.repeat(16)}.d`,
        port: 8443,
        security: { type: 'none' },
        transport: { type: 'xhttp', path: '/d', download: undefined },
      },
    });
  });

  it.each<[string, Partial<Host>[], Change]>([
    ['a host that is not there', [there], {}],
    ['a disabled host', [there, { ...back, isDisabled: true }], {}],
    ['a host of another transport', [there, { ...back, inboundTag: 'in' }], {}],
  ])('is never %s', (_, hosts, change) => {
    expect(downloadOf(hosts, change)).toMatchObject({ type: 'xhttp', download: undefined });
  });

  it('users who may not use its inbound get no download host', () => {
    expect(downloadOf([there, { ...back, inboundTag: 'other xhttp' }])).toMatchObject({ download: { port: 8443 } });
    const tags = ['xhttp'];
    expect(downloadOf([there, { ...back, inboundTag: 'other xhttp' }], { tags })).toMatchObject({
      download: undefined,
    });
  });
});
