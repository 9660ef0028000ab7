import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import { proxy, reality, SHADOWSOCKS, TROJAN, tls, transport, VLESS, VMESS } from '../../testing/proxy.js';
import { renderText } from '../../testing/render-text.js';

const renderSingBox = (proxies: readonly ResolvedProxy[], version?: string) => renderText('sing_box', proxies, version);
const profile = (proxies: readonly ResolvedProxy[], version?: string) =>
  JSON.parse(renderSingBox(proxies, version).body);
const outbound = (change: Partial<ResolvedProxy>, version?: string) =>
  profile([proxy(change)], version).outbounds.find(({ tag }: { tag: string }) => tag === 'name');
const without = ({ type: _, tag: __, server: ___, server_port: ____, ...rest }: Record<string, unknown>) => rest;

describe('an outbound', () => {
  it.each<[Partial<ResolvedProxy>, object]>([
    [{}, { type: 'vless', uuid: VLESS.id }],
    [{ protocol: { ...VLESS, flow: 'xtls-rprx-vision' } }, { type: 'vless', uuid: VLESS.id, flow: 'xtls-rprx-vision' }],
    [{ protocol: VMESS }, { type: 'vmess', uuid: VMESS.id, security: 'aes-128-gcm' }],
    [{ protocol: TROJAN }, { type: 'trojan', password: TROJAN.password }],
    [{ protocol: SHADOWSOCKS }, { type: 'shadowsocks', method: 'aes-256-gcm', password: SHADOWSOCKS.password }],
  ])('of sing-box has the credentials of %j', (change, expected) => {
    expect(outbound(change)).toEqual({ tag: 'name', server: 'a.example', server_port: 443, ...expected });
  });

  it('security row 131: an outbound of sing-box sends no UDP to Shadowsocks that takes none', () => {
    expect(outbound({ protocol: { ...SHADOWSOCKS, udp: false } })).toMatchObject({ network: 'tcp' });
  });

  it.each<[Partial<ResolvedProxy>, object]>([
    [
      { transport: transport('ws', { path: '/w?ed=2048', host: 'h.example', headers: { 'X-A': 'b' } }) },
      {
        type: 'ws',
        path: '/w',
        headers: { Host: 'h.example', 'X-A': 'b' },
        max_early_data: 2048,
        early_data_header_name: 'Sec-WebSocket-Protocol',
      },
    ],
    [{ transport: transport('ws') }, { type: 'ws', path: '/' }],
    [{ transport: transport('ws', { path: '/w%3Fa=b?ed=0' }) }, { type: 'ws', path: '/w%3Fa=b' }],
    [{ transport: transport('httpupgrade', { path: '/u?a=b' }) }, { type: 'httpupgrade', path: '/u?a=b' }],
    [
      { transport: transport('httpupgrade', { path: '/u', host: 'h.example', headers: { 'X-A': 'b' } }) },
      { type: 'httpupgrade', path: '/u', host: 'h.example', headers: { 'X-A': 'b' } },
    ],
    [
      {
        transport: transport('grpc', {
          serviceName: 'my/service',
          keepAlive: { idle_timeout: 5, permit_without_stream: true },
        }),
      },
      { type: 'grpc', service_name: 'my%2Fservice', idle_timeout: '5s', permit_without_stream: true },
    ],
    [
      { transport: transport('tcp-http', { path: '/h', host: 'h.example', headerLists: { Pragma: ['a', 'b'] } }) },
      { type: 'http', method: 'GET', path: '/h', host: ['h.example'], headers: { Pragma: ['a', 'b'] } },
    ],
  ])('of sing-box has the transport of %j', (change, expected) => {
    expect(outbound(change).transport).toEqual(expected);
  });

  it.each<[Partial<ResolvedProxy>, object, string]>([
    [{ security: tls() }, { enabled: true, server_name: 's.example' }, '1.14.1'],
    [
      { security: tls({ serverName: '', alpn: ['h2'], fingerprint: 'firefox' }) },
      { enabled: true, alpn: ['h2'], utls: { enabled: true, fingerprint: 'firefox' } },
      '1.14.1',
    ],
    [
      { security: tls({ allowInsecure: true, verifiedNames: ['a.example'] }) },
      { enabled: true, server_name: 's.example', insecure: true },
      '1.14.1',
    ],
    [{ security: tls({ fingerprint: 'unsafe' }) }, { enabled: true, server_name: 's.example' }, '1.14.1'],
    [
      { security: tls({ allowInsecure: true, pinnedPublicKeys: ['a='] }) },
      { enabled: true, server_name: 's.example', certificate_public_key_sha256: ['a='] },
      '1.14.1',
    ],
    [
      { security: tls({ allowInsecure: true, pinnedPublicKeys: ['a='] }) },
      { enabled: true, server_name: 's.example', insecure: true },
      '1.12.9',
    ],
    [
      { security: tls({ echConfigList: 'AEX+' }) },
      {
        enabled: true,
        server_name: 's.example',
        ech: { enabled: true, config: ['-----BEGIN ECH CONFIGS-----', 'AEX+', '-----END ECH CONFIGS-----'] },
      },
      '1.14.1',
    ],
    [
      { security: tls({ echConfigList: 'a.example+udp://1.1.1.1' }) },
      { enabled: true, server_name: 's.example', ech: { enabled: true } },
      '1.14.1',
    ],
    [
      { security: reality() },
      {
        enabled: true,
        server_name: 's.example',
        utls: { enabled: true, fingerprint: 'chrome' },
        reality: { enabled: true, public_key: 'pbk', short_id: 'ab12' },
      },
      '1.14.1',
    ],
    [
      {
        security: tls(),
        fragment: { sing_box: { fragment: true, fragment_fallback_delay: '500ms', record_fragment: true } },
      },
      {
        enabled: true,
        server_name: 's.example',
        fragment: true,
        fragment_fallback_delay: '500ms',
        record_fragment: true,
      },
      '1.14.1',
    ],
    [
      { security: tls(), fragment: { sing_box: { fragment: true } } },
      { enabled: true, server_name: 's.example' },
      '1.11.15',
    ],
  ])('of sing-box has the TLS of %j', (change, expected, version) => {
    expect(outbound(change, version).tls).toEqual(expected);
  });

  it('a sing-box outbound has the multiplexing settings of the operator', () => {
    const sing_box = {
      enable: true,
      protocol: 'h2mux',
      max_streams: 4,
      brutal: { enable: true, up_mbps: 1, down_mbps: 2 },
    };
    expect(outbound({ mux: { sing_box } }).multiplex).toEqual({
      enabled: true,
      protocol: 'h2mux',
      max_streams: 4,
      brutal: { enabled: true, up_mbps: 1, down_mbps: 2 },
    });
    expect(outbound({ mux: { sing_box: { enable: false, protocol: 'smux' } } }).multiplex).toBeUndefined();
  });

  it.each<[Partial<ResolvedProxy>, string]>([
    [{ transport: transport('ws', { path: '/a;b' }) }, 'mode=websocket;mux=0;path=/a\\;b'],
    [
      { transport: transport('ws', { path: '/w', host: 's.example' }), security: tls() },
      'mode=websocket;mux=0;path=/w;host=s.example;tls',
    ],
  ])('of sing-box carries Shadowsocks over a websocket by a plugin: %j', (change, plugin_opts) => {
    expect(without(outbound({ protocol: SHADOWSOCKS, ...change }))).toEqual({
      method: 'aes-256-gcm',
      password: SHADOWSOCKS.password,
      plugin: 'v2ray-plugin',
      plugin_opts,
    });
  });

  it.each<[string, Partial<ResolvedProxy>]>([
    ['xhttp', { transport: transport('xhttp') }],
    ['kcp', { transport: transport('kcp') }],
    ['masks', { finalmask: { udp: [] } }],
    ['a query in the path of a websocket', { transport: transport('ws', { path: '/w?ed=2048&a=b' }) }],
    ['a certificate for another name', { security: tls({ verifiedNames: ['a.example'] }) }],
    ['VLESS encryption', { protocol: { ...VLESS, encryption: 'mlkem' } }],
    ['an http header under TLS', { transport: transport('tcp-http'), security: tls() }],
    ['a gRPC stream of another name', { transport: transport('grpc', { serviceName: '/a/B' }) }],
    ['REALITY with a fingerprint that it does not know', { security: reality({ fingerprint: 'randomizednoalpn' }) }],
    ['Shadowsocks under TLS', { protocol: SHADOWSOCKS, security: tls() }],
    ['Shadowsocks over gRPC', { protocol: SHADOWSOCKS, transport: transport('grpc') }],
    ['a plugin with two names', { protocol: SHADOWSOCKS, transport: transport('ws', { host: 'h' }), security: tls() }],
    [
      'a plugin without verification',
      { protocol: SHADOWSOCKS, transport: transport('ws'), security: tls({ allowInsecure: true }) },
    ],
    ['a plugin with a query', { protocol: SHADOWSOCKS, transport: transport('ws', { path: '/?a=b' }) }],
    [
      'a plugin with a certificate for another name',
      { protocol: SHADOWSOCKS, transport: transport('ws'), security: tls({ verifiedNames: ['a.example'] }) },
    ],
    ['a plugin with early data', { protocol: SHADOWSOCKS, transport: transport('ws', { path: '/?ed=1' }) }],
  ])('of sing-box is left out and counted: %s', (_, change) => {
    const rendered = renderSingBox([proxy(change), proxy({ name: 'other' })]);
    expect(rendered.leftOut).toBe(1);
    expect(JSON.parse(rendered.body).outbounds.map(({ tag }: { tag: string }) => tag)).toEqual([
      'proxy',
      'auto',
      'other',
      'direct',
    ]);
  });
});

describe('a profile', () => {
  it('a sing-box profile has a group to choose from', () => {
    expect(profile([proxy(), proxy({ name: 'other' })]).outbounds.slice(0, 2)).toEqual([
      { type: 'selector', tag: 'proxy', outbounds: ['auto', 'name', 'other'] },
      { type: 'urltest', tag: 'auto', outbounds: ['name', 'other'] },
    ]);
  });

  it('a sing-box profile without proxies blocks all connections', () => {
    expect(profile([]).outbounds).toEqual([
      { type: 'selector', tag: 'proxy', outbounds: ['block'] },
      { type: 'block', tag: 'block' },
      { type: 'direct', tag: 'direct' },
    ]);
  });

  it.each([
    [undefined, 'type'],
    ['1.12.0', 'type'],
    ['1.14.1', 'type'],
    ['2.0', 'type'],
    ['1.11.15', 'address'],
    ['1.8', 'address'],
  ])('a sing-box profile of version %s describes DNS servers by their %s', (version, key) => {
    expect(Object.keys(profile([], version).dns.servers[1])).toContain(key);
  });

  it('a sing-box profile renames a proxy whose name is reserved', () => {
    const names = ['proxy', 'proxy (2)', 'direct'].map((name) => proxy({ name }));
    const tags: string[] = profile(names).outbounds.map(({ tag }: { tag: string }) => tag);
    expect(tags).toEqual(['proxy', 'auto', 'proxy (2)', 'proxy (2) (2)', 'direct (2)', 'direct']);
  });

  it('a sing-box profile keeps any text unchanged', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(text, text, text, (path, host, password) => {
        const found = outbound({
          protocol: { type: 'trojan', password },
          transport: transport('httpupgrade', { path: `/${path}`, host }),
        });
        expect(found).toMatchObject({ password, transport: { host } });
      }),
    );
  });
});
