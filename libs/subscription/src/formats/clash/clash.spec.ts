import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import {
  proxy,
  reality,
  SHADOWSOCKS,
  SHADOWSOCKS_2022,
  TROJAN,
  tls,
  transport,
  VLESS,
  VMESS,
} from '../../testing/proxy.js';
import { renderText } from '../../testing/render-text.js';

const renderClash = (proxies: readonly ResolvedProxy[]) => renderText('clash', proxies);
const renderClashMeta = (proxies: readonly ResolvedProxy[]) => renderText('clash_meta', proxies);
const meta = (change: Partial<ResolvedProxy>) => written(renderClashMeta, change);
const first = (change: Partial<ResolvedProxy>) => written(renderClash, change);

function written(render: typeof renderClash, change: Partial<ResolvedProxy>) {
  const { name: _, server: __, port: ___, udp: ____, ...rest } = parse(render([proxy(change)]).body).proxies[0] ?? {};
  return rest;
}

const VLESS_KEYS = { type: 'vless', uuid: VLESS.id };
const VMESS_KEYS = { type: 'vmess', uuid: VMESS.id, alterId: 0, cipher: 'auto' };

describe('a proxy of mihomo', () => {
  it('has the address and port to connect to', () => {
    expect(parse(renderClashMeta([proxy({ address: '2001:db8::1' })]).body).proxies).toEqual([
      { name: 'name', ...VLESS_KEYS, server: '2001:db8::1', port: 443, udp: true },
    ]);
  });

  it.each([
    ['mihomo', renderClashMeta],
    ['Clash', renderClash],
  ])('security row 131: %s sends no UDP to Shadowsocks that takes none', (_, render) => {
    const proxies = [true, false].map((udp) => proxy({ protocol: { ...SHADOWSOCKS, udp } }));
    expect(parse(render(proxies).body).proxies).toMatchObject([{ udp: true }, { udp: false }]);
  });

  it.each<[Partial<ResolvedProxy>, object]>([
    [{ protocol: VMESS }, VMESS_KEYS],
    [
      { protocol: { ...VLESS, flow: 'xtls-rprx-vision', encryption: 'mlkem' } },
      { ...VLESS_KEYS, flow: 'xtls-rprx-vision', encryption: 'mlkem' },
    ],
    [{ protocol: SHADOWSOCKS }, { type: 'ss', cipher: 'aes-256-gcm', password: SHADOWSOCKS.password }],
    [
      { protocol: SHADOWSOCKS_2022 },
      { type: 'ss', cipher: '2022-blake3-aes-128-gcm', password: SHADOWSOCKS_2022.password },
    ],
    [
      { protocol: TROJAN, security: tls({ alpn: ['h2'], fingerprint: 'firefox' }) },
      {
        type: 'trojan',
        password: TROJAN.password,
        tls: true,
        sni: 's.example',
        alpn: ['h2'],
        'client-fingerprint': 'firefox',
      },
    ],
    [
      { security: tls({ allowInsecure: true, pinnedCertificates: ['aa'], echConfigList: 'AEX+' }) },
      {
        ...VLESS_KEYS,
        tls: true,
        servername: 's.example',
        fingerprint: 'aa',
        'ech-opts': { enable: true, config: 'AEX+' },
      },
    ],
    [
      { security: tls({ allowInsecure: true, pinnedCertificates: ['aa', 'bb'], echConfigList: 'udp://1.1.1.1' }) },
      { ...VLESS_KEYS, tls: true, servername: 's.example', 'skip-cert-verify': true, 'ech-opts': { enable: true } },
    ],
    [
      { security: reality({ shortId: '2351e1' }) },
      {
        ...VLESS_KEYS,
        tls: true,
        servername: 's.example',
        'client-fingerprint': 'chrome',
        'reality-opts': { 'public-key': 'pbk', 'short-id': '2351e1', 'support-x25519mlkem768': true },
      },
    ],
    [
      { transport: transport('ws', { path: '/w?ed=2048', host: 'h', headers: { 'X-A': 'b' } }) },
      {
        ...VLESS_KEYS,
        network: 'ws',
        'ws-opts': {
          path: '/w',
          headers: { Host: 'h', 'X-A': 'b' },
          'max-early-data': 2048,
          'early-data-header-name': 'Sec-WebSocket-Protocol',
        },
      },
    ],
    [
      { transport: transport('httpupgrade', { path: '/u', host: 'h' }) },
      { ...VLESS_KEYS, network: 'ws', 'ws-opts': { path: '/u', headers: { Host: 'h' }, 'v2ray-http-upgrade': true } },
    ],
    [
      { transport: transport('httpupgrade', { path: '/u?a=b&ed=2048' }) },
      { ...VLESS_KEYS, network: 'ws', 'ws-opts': { path: '/u%3Fa=b', 'v2ray-http-upgrade': true } },
    ],
    [
      { transport: transport('ws', { path: '/w?a=b' }), finalmask: { tcp: [{ type: 'fragment' }] } },
      { ...VLESS_KEYS, network: 'ws', 'ws-opts': { path: '/w?a=b' } },
    ],
    [
      { security: tls({ verifiedNames: ['a.example'] }) },
      { ...VLESS_KEYS, tls: true, servername: 's.example', 'name-cert-verify': 'a.example' },
    ],
    [
      { transport: transport('tcp-http', { host: 'h', headers: { 'X-A': 'b' } }) },
      {
        ...VLESS_KEYS,
        network: 'http',
        'http-opts': { method: 'GET', path: ['/'], headers: { Host: ['h'], 'X-A': ['b'] } },
      },
    ],
    [
      { transport: transport('grpc', { serviceName: '/my/path/A|B', userAgent: 'grpc-go/1' }) },
      {
        ...VLESS_KEYS,
        network: 'grpc',
        'grpc-opts': { 'grpc-service-name': '/my/path/A', 'grpc-user-agent': 'grpc-go/1' },
      },
    ],
    [
      {
        transport: transport('xhttp', {
          path: '/x',
          host: 'h',
          mode: 'packet-up',
          headers: { 'User-Agent': 'u' },
          extra: {
            xPaddingBytes: 100,
            noGRPCHeader: true,
            xmux: { maxConcurrency: 16, hKeepAlivePeriod: 5 },
            other: 1,
          },
          download: {
            address: 'd.example',
            port: 8443,
            transport: transport('xhttp', { path: '/d' }),
            security: reality(),
          },
        }),
      },
      {
        ...VLESS_KEYS,
        network: 'xhttp',
        'xhttp-opts': {
          path: '/x',
          host: 'h',
          mode: 'packet-up',
          headers: { 'User-Agent': 'u' },
          'x-padding-bytes': '100',
          'no-grpc-header': true,
          'reuse-settings': { 'max-concurrency': '16', 'h-keep-alive-period': 5 },
          'download-settings': {
            server: 'd.example',
            port: 8443,
            path: '/d',
            tls: true,
            servername: 's.example',
            'client-fingerprint': 'chrome',
            'reality-opts': { 'public-key': 'pbk', 'short-id': 'ab12', 'support-x25519mlkem768': true },
          },
        },
      },
    ],
    [
      {
        protocol: VMESS,
        transport: transport('kcp', { settings: { mtu: 1350, congestion: true } }),
        finalmask: { udp: [{ type: 'header-wechat' }, { type: 'mkcp-aes128gcm', settings: { password: 'seed' } }] },
      },
      {
        ...VMESS_KEYS,
        network: 'mkcp',
        'mkcp-opts': { mtu: 1350, congestion: true, seed: 'seed', header: 'wechat-video' },
      },
    ],
    [
      {
        protocol: SHADOWSOCKS,
        transport: transport('ws', { path: '/w', headers: { 'X-A': 'b' } }),
        security: tls({ allowInsecure: true }),
      },
      {
        type: 'ss',
        cipher: 'aes-256-gcm',
        password: SHADOWSOCKS.password,
        plugin: 'v2ray-plugin',
        'plugin-opts': {
          mode: 'websocket',
          mux: false,
          path: '/w',
          host: 's.example',
          headers: { 'X-A': 'b' },
          tls: true,
          'skip-cert-verify': true,
        },
      },
    ],
    [
      {
        mux: {
          clash: {
            enable: true,
            protocol: 'smux',
            max_streams: 4,
            only_tcp: true,
            brutal: { enable: true, up_mbps: 5 },
          },
        },
      },
      {
        ...VLESS_KEYS,
        smux: {
          enabled: true,
          protocol: 'smux',
          'max-streams': 4,
          'only-tcp': true,
          'brutal-opts': { enabled: true, up: '5' },
        },
      },
    ],
  ])('has the keys of %j', (change, expected) => {
    expect(meta(change)).toEqual(expected);
  });

  it.each<[string, Partial<ResolvedProxy>]>([
    ['VMess over xhttp', { protocol: VMESS, transport: transport('xhttp') }],
    ['Trojan without TLS', { protocol: TROJAN }],
    ['Trojan with an http header', { protocol: TROJAN, transport: transport('tcp-http'), security: tls() }],
    ['kcp without a mask', { protocol: VMESS, transport: transport('kcp') }],
    [
      'kcp with a mask of its own',
      {
        protocol: VMESS,
        transport: transport('kcp'),
        finalmask: { udp: [{ type: 'mkcp-original' }, { type: 'header-dns' }] },
      },
    ],
    ['VLESS over kcp', { transport: transport('kcp'), finalmask: { udp: [{ type: 'mkcp-original' }] } }],
    ['other masks', { finalmask: { tcp: [{}] } }],
    ['a query in the path of xhttp', { transport: transport('xhttp', { path: '/x?a=b' }) }],
    [
      'a query in the path back of xhttp',
      {
        transport: transport('xhttp', {
          download: {
            address: 'a',
            port: 1,
            transport: transport('xhttp', { path: '/x?a=b' }),
            security: { type: 'none' },
          },
        }),
      },
    ],
    ['a certificate for one of several names', { security: tls({ verifiedNames: ['a.example', 'b.example'] }) }],
    ['REALITY with a fingerprint that it does not know', { security: reality({ fingerprint: 'randomizednoalpn' }) }],
    [
      'a plugin with a certificate for another name',
      { protocol: SHADOWSOCKS, transport: transport('ws'), security: tls({ verifiedNames: ['a.example'] }) },
    ],
    ['Shadowsocks over gRPC', { protocol: SHADOWSOCKS, transport: transport('grpc') }],
    ['Shadowsocks with a mask', { protocol: SHADOWSOCKS, finalmask: { udp: [{}] } }],
  ])('is left out and counted: %s', (_, change) => {
    const { body, leftOut } = renderClashMeta([proxy(change), proxy({ name: 'other' })]);
    expect({ leftOut, names: parse(body).proxies.map(({ name }: { name: string }) => name) }).toEqual({
      leftOut: 1,
      names: ['other'],
    });
  });
});

describe('a proxy of the first Clash', () => {
  it.each<[Partial<ResolvedProxy>, object]>([
    [
      {
        protocol: VMESS,
        security: tls({ alpn: ['h2'], fingerprint: 'firefox', allowInsecure: true, pinnedCertificates: ['aa'] }),
      },
      { ...VMESS_KEYS, tls: true, servername: 's.example', 'skip-cert-verify': true },
    ],
    [
      { protocol: TROJAN, security: tls({ alpn: ['h2'] }), transport: transport('grpc', { serviceName: 's' }) },
      {
        type: 'trojan',
        password: TROJAN.password,
        network: 'grpc',
        'grpc-opts': { 'grpc-service-name': 's' },
        sni: 's.example',
        alpn: ['h2'],
      },
    ],
    [{ protocol: SHADOWSOCKS }, { type: 'ss', cipher: 'aes-256-gcm', password: SHADOWSOCKS.password }],
  ])('has the keys of %j', (change, expected) => {
    expect(first(change)).toEqual(expected);
  });

  it.each<[string, Partial<ResolvedProxy>]>([
    ['VLESS', {}],
    ['REALITY', { protocol: VMESS, security: reality() }],
    ['httpupgrade', { protocol: VMESS, transport: transport('httpupgrade') }],
    ['gRPC without TLS', { protocol: VMESS, transport: transport('grpc') }],
    ['Trojan without TLS', { protocol: TROJAN }],
    ['Shadowsocks 2022', { protocol: SHADOWSOCKS_2022 }],
    ['masks', { protocol: VMESS, finalmask: { tcp: [{}] } }],
    ['a certificate for another name', { protocol: VMESS, security: tls({ verifiedNames: ['a.example'] }) }],
  ])('is left out and counted: %s', (_, change) => {
    const { body, leftOut } = renderClash([proxy(change)]);
    expect({ leftOut, proxies: parse(body).proxies }).toEqual({ leftOut: 1, proxies: [] });
  });
});

describe('a profile', () => {
  it('a Clash profile has a group to choose from, and needs no list from a file', () => {
    const { body } = renderClashMeta([proxy(), proxy({ name: 'Proxy' }), proxy({ name: 'DIRECT' })]);
    expect(parse(body)['proxy-groups']).toEqual([
      { name: 'Proxy', type: 'select', proxies: ['Auto', 'name', 'Proxy (2)', 'DIRECT (2)'] },
      {
        name: 'Auto',
        type: 'url-test',
        proxies: ['name', 'Proxy (2)', 'DIRECT (2)'],
        url: 'https://www.gstatic.com/generate_204',
        interval: 300,
      },
    ]);
    expect(parse(body).rules.at(-1)).toBe('MATCH,Proxy');
    expect(body).not.toMatch(/GEOIP|GEOSITE/);
  });

  it('a Clash profile without proxies rejects all connections', () => {
    const { proxies, 'proxy-groups': groups } = parse(renderClash([]).body);
    expect({ proxies, groups }).toEqual({
      proxies: [],
      groups: [{ name: 'Proxy', type: 'select', proxies: ['REJECT'] }],
    });
  });

  it('a Clash profile keeps any text unchanged', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(text, text, text, text, (name, path, host, password) => {
        const change = { name, protocol: { type: 'trojan', password } as const, security: tls({ serverName: host }) };
        const { body } = renderClashMeta([
          proxy({ ...change, transport: transport('ws', { path: `/${path}#`, host }) }),
        ]);
        expect(parse(body).proxies[0]).toMatchObject({
          name,
          password,
          sni: host,
          'ws-opts': { path: `/${path}#`, headers: { Host: host } },
        });
      }),
    );
  });
});
