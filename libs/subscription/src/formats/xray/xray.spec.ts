import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ResolvedProxy } from '../../model/resolved-proxy.js';
import { proxy, reality, SHADOWSOCKS, TROJAN, tls, transport, VLESS, VMESS } from '../../testing/proxy.js';
import { renderText } from '../../testing/render-text.js';

const renderXray = (proxies: readonly ResolvedProxy[]) => renderText('xray', proxies).body;
const rendered = (change: Partial<ResolvedProxy> = {}) => JSON.parse(renderXray([proxy(change)]))[0];
const stream = (change: Partial<ResolvedProxy>) => rendered(change).outbounds[0].streamSettings;
const settings = (change: Partial<ResolvedProxy>) => rendered(change).outbounds[0].settings;

describe('xray', () => {
  it('an Xray document has a complete client configuration per proxy', () => {
    expect(JSON.parse(renderXray([proxy({ name: 'آلمان' }), proxy()]))).toEqual([
      {
        remarks: 'آلمان',
        log: { loglevel: 'warning' },
        dns: { servers: ['1.1.1.1', '8.8.8.8'] },
        inbounds: [
          {
            tag: 'socks',
            listen: '127.0.0.1',
            port: 10808,
            protocol: 'socks',
            settings: { auth: 'noauth', udp: true },
          },
          { tag: 'http', listen: '127.0.0.1', port: 10809, protocol: 'http', settings: {} },
        ],
        outbounds: [
          {
            tag: 'proxy',
            protocol: 'vless',
            settings: {
              vnext: [
                {
                  address: 'a.example',
                  port: 443,
                  users: [{ id: '6d6f4ad1-6b52-4b3c-9a3e-0d1f6ad2a002', encryption: 'none' }],
                },
              ],
            },
            streamSettings: { network: 'tcp', security: 'none' },
          },
          { tag: 'direct', protocol: 'freedom', settings: {} },
          { tag: 'block', protocol: 'blackhole', settings: {} },
        ],
        routing: { domainStrategy: 'AsIs', rules: [] },
      },
      expect.objectContaining({ remarks: 'name' }),
    ]);
    expect(renderXray([])).toBe('[]');
  });

  const server = { address: 'a.example', port: 443 };
  it.each<[Partial<ResolvedProxy>, object]>([
    [
      { protocol: { type: 'vless', id: 'i', flow: 'xtls-rprx-vision', encryption: 'e' } },
      { vnext: [{ ...server, users: [{ id: 'i', encryption: 'e', flow: 'xtls-rprx-vision' }] }] },
    ],
    [
      { protocol: VMESS },
      { vnext: [{ ...server, users: [{ id: '6d6f4ad1-6b52-4b3c-9a3e-0d1f6ad2a001', security: 'auto' }] }] },
    ],
    [{ protocol: TROJAN }, { servers: [{ ...server, password: 'trojan pass:/?#@+' }] }],
    [
      { protocol: SHADOWSOCKS, address: '2001:db8::1' },
      { servers: [{ address: '2001:db8::1', port: 443, method: 'aes-256-gcm', password: 'pä?s>s' }] },
    ],
  ])('the xray format writes the user of %j', (change, expected) => {
    expect(settings(change)).toEqual(expected);
  });

  it.each<[Partial<ResolvedProxy>, object]>([
    [
      { transport: transport('tcp-http', { path: '', host: 'h.example' }) },
      {
        network: 'tcp',
        tcpSettings: {
          header: {
            type: 'http',
            request: { version: '1.1', method: 'GET', path: ['/'], headers: { Host: ['h.example'] } },
          },
        },
        security: 'none',
      },
    ],
    [
      { transport: transport('ws', { path: '/w?ed=2048', host: 'h.example' }) },
      { network: 'ws', wsSettings: { path: '/w?ed=2048', host: 'h.example' }, security: 'none' },
    ],
    [
      { transport: transport('httpupgrade', { path: '', host: '' }) },
      { network: 'httpupgrade', httpupgradeSettings: { path: '/' }, security: 'none' },
    ],
    [
      { transport: transport('xhttp', { path: '/x', host: '', mode: 'auto', extra: { xPaddingBytes: 5 } }) },
      {
        network: 'xhttp',
        xhttpSettings: { path: '/x', mode: 'auto', extra: { xPaddingBytes: 5 } },
        security: 'none',
      },
    ],
    [
      { transport: transport('grpc', { serviceName: 's', authority: '', multiMode: true }) },
      { network: 'grpc', grpcSettings: { serviceName: 's', multiMode: true }, security: 'none' },
    ],
    [
      {
        transport: transport('ws', { path: '/w', headers: { 'X-A': 'b' }, heartbeatPeriod: 30 }),
        security: tls({ echConfigList: 'AEX+' }),
      },
      {
        network: 'ws',
        wsSettings: { path: '/w', headers: { 'X-A': 'b' }, heartbeatPeriod: 30 },
        security: 'tls',
        tlsSettings: { serverName: 's.example', echConfigList: 'AEX+' },
      },
    ],
    [
      {
        transport: transport('xhttp', {
          headers: { 'User-Agent': 'u' },
          download: {
            address: 'd.example',
            port: 8443,
            transport: transport('xhttp', { path: '/d' }),
            security: { type: 'none' },
          },
        }),
      },
      {
        network: 'xhttp',
        xhttpSettings: {
          path: '/',
          mode: 'auto',
          extra: {
            headers: { 'User-Agent': 'u' },
            downloadSettings: {
              address: 'd.example',
              port: 8443,
              network: 'xhttp',
              xhttpSettings: { path: '/d', mode: 'auto' },
              security: 'none',
            },
          },
        },
        security: 'none',
      },
    ],
    [
      {
        transport: transport('grpc', { serviceName: 's', userAgent: 'u', keepAlive: { idle_timeout: 5 } }),
      },
      {
        network: 'grpc',
        grpcSettings: { serviceName: 's', user_agent: 'u', multiMode: false, idle_timeout: 5 },
        security: 'none',
      },
    ],
    [
      { transport: transport('kcp'), finalmask: { udp: [] } },
      { network: 'kcp', kcpSettings: {}, security: 'none', finalmask: { udp: [] } },
    ],
    [
      {
        security: tls({
          serverName: 's.example',
          alpn: ['h2'],
          fingerprint: '',
          pinnedCertificates: ['aa', 'bb'],
          verifiedNames: ['a.example', 'b.example'],
        }),
      },
      {
        network: 'tcp',
        security: 'tls',
        tlsSettings: {
          serverName: 's.example',
          alpn: ['h2'],
          pinnedPeerCertSha256: 'aa,bb',
          verifyPeerCertByName: 'a.example,b.example',
        },
      },
    ],
    [
      {
        security: reality({
          serverName: 's.example',
          fingerprint: 'chrome',
          publicKey: 'pbk',
          shortId: '',
          spiderX: '',
          mldsa65Verify: 'v',
        }),
      },
      {
        network: 'tcp',
        security: 'reality',
        realitySettings: {
          serverName: 's.example',
          fingerprint: 'chrome',
          publicKey: 'pbk',
          shortId: '',
          mldsa65Verify: 'v',
        },
      },
    ],
  ])('the xray format writes the stream of %j', (change, expected) => {
    expect(stream(change)).toEqual(expected);
  });

  it.each<[Partial<ResolvedProxy>, object | undefined]>([
    [{ mux: { xray: { enabled: true } } }, { enabled: true }],
    [
      { mux: { xray: { enabled: true, concurrency: 8, xudpConcurrency: 16, xudpProxyUDP443: 'skip' } } },
      { enabled: true, concurrency: 8, xudpConcurrency: 16, xudpProxyUDP443: 'skip' },
    ],
    [
      { mux: { xray: { enabled: true, concurrency: 8 } }, protocol: { ...VLESS, flow: 'xtls-rprx-vision' } },
      { enabled: true, concurrency: -1 },
    ],
    [{ mux: { xray: { enabled: true } }, transport: transport('xhttp') }, undefined],
    [{ mux: { xray: { enabled: false, concurrency: 8 } } }, undefined],
    [{ protocol: SHADOWSOCKS }, undefined],
    // UDP goes over connections of TCP then.
    [{ protocol: { ...SHADOWSOCKS, udp: false } }, { enabled: true, concurrency: -1, xudpConcurrency: 16 }],
    [{ protocol: { ...SHADOWSOCKS, udp: false }, mux: { xray: { enabled: true } } }, { enabled: true }],
  ])('an Xray configuration sets up multiplexing for %j', (change, expected) => {
    expect(rendered(change).outbounds[0].mux).toEqual(expected);
  });

  it('an Xray configuration applies fragment and noise settings through a dialer outbound', () => {
    const change: Partial<ResolvedProxy> = {
      fragment: { xray: { packets: '1-3', length: 10 } },
      noises: [
        { type: 'rand', packet: '10-20' },
        { type: 'str', packet: 'x', delay: 5, apply_to: 'ipv4' },
      ],
    };
    expect(stream(change).sockopt).toEqual({ dialerProxy: 'dialer' });
    expect(rendered(change).outbounds[1]).toEqual({
      tag: 'dialer',
      protocol: 'freedom',
      settings: {
        fragment: { packets: '1-3', length: '10', interval: '10-20' },
        noises: [
          { type: 'rand', packet: '10-20', delay: '10-16' },
          { type: 'str', packet: 'x', delay: '5', applyTo: 'ipv4' },
        ],
      },
    });
    expect(rendered({}).outbounds.map(({ tag }: { tag: string }) => tag)).toEqual(['proxy', 'direct', 'block']);
  });

  it('an Xray configuration keeps any text unchanged', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(text, text, text, (name, path, password) => {
        const change: Partial<ResolvedProxy> = {
          name,
          protocol: { type: 'trojan', password },
          transport: transport('ws', { path, host: path }),
        };
        expect(rendered(change).remarks).toBe(name);
        expect(settings(change).servers[0].password).toBe(password);
        expect(stream(change).wsSettings).toEqual({ path, host: path });
      }),
    );
  });
});
