import { describe, expect, it } from '@jest/globals';
import { type OfferedInbound, parseCoreConfig } from '@rampart/core-config';
import type { Host } from '../model/host.js';
import { host } from '../testing/host.js';
import { compileHosts } from './compile-hosts.js';

const REALITY = {
  security: 'reality',
  realitySettings: {
    privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
    shortIds: ['ab12'],
    serverNames: ['r.example'],
    target: 443,
  },
};
const TLS = { security: 'tls', tlsSettings: { serverName: 't.example', alpn: ['h2'], fingerprint: 'edge' } };

function inbounds(): Map<string, OfferedInbound> {
  const list = [
    { tag: 'in', port: 443, streamSettings: { network: 'ws', wsSettings: { path: '/{own}', host: 'w.example' } } },
    { tag: 'tls', port: '80,443', streamSettings: { network: 'xhttp', ...TLS } },
    { tag: 'grpc', port: 443, streamSettings: { network: 'grpc', ...TLS } },
    { tag: 'reality', port: 443, streamSettings: REALITY },
    {
      tag: 'no fingerprint',
      port: 443,
      streamSettings: { ...REALITY, realitySettings: { ...REALITY.realitySettings, fingerprint: 'none' } },
    },
    {
      tag: 'odd fingerprint',
      port: 443,
      streamSettings: { security: 'tls', tlsSettings: { fingerprint: 'Netscape' } },
    },
    {
      tag: 'one version',
      port: 443,
      streamSettings: { security: 'tls', tlsSettings: { fingerprint: 'HelloChrome_120' } },
    },
    { tag: 'socket', listen: '@s' },
    { tag: 'quic', port: 443, streamSettings: { network: 'quic' } },
  ].map((inbound) => ({ protocol: 'vless', settings: { decryption: 'none' }, ...inbound }));
  const core = parseCoreConfig({ inbounds: list, outbounds: [{ tag: 'direct', protocol: 'freedom' }] });
  return new Map(core.inbounds.map((inbound) => [inbound.tag, inbound]));
}

const compiled = (change: Partial<Host>) => compileHosts([host(change)], inbounds()).hosts[0];

describe(compileHosts, () => {
  it('compileHosts takes from the inbound what the host does not set', () => {
    expect(compiled({ inboundTag: 'tls' })).toMatchObject({
      ports: { original: '80,443' },
      sni: ['t.example'],
      host: [],
      path: [{ text: '' }],
      security: { type: 'tls', alpn: ['h2'], fingerprint: 'edge', pinnedCertificates: [] },
      status: undefined,
    });
    expect(compiled({})).toMatchObject({ host: ['w.example'], path: [{ text: '/{own}' }], security: { type: 'none' } });
    expect(compiled({ inboundTag: 'one version' })?.security).toMatchObject({ fingerprint: 'hellochrome_120' });
    for (const inboundTag of ['reality', 'no fingerprint']) {
      expect(compiled({ inboundTag })?.security).toMatchObject({ type: 'reality', fingerprint: 'chrome' });
    }
  });

  it.each([
    ['/w', '/w'],
    ['/w?ed=2048', '/w?ed=2048'],
    ['/w?a=b', '/w%3Fa=b'],
    ['/w?a=b&ed=2048', '/w%3Fa=b?ed=2048'],
  ])('the path %s of a websocket inbound becomes %s, because its question mark is a part of the path', (path, text) => {
    const pathAt = (network: 'ws' | 'xhttp', change: Partial<Host> = {}) => {
      const streamSettings = { network, [`${network}Settings`]: { path } };
      const inbound = { tag: 'in', protocol: 'vless', port: 443, streamSettings };
      const core = parseCoreConfig({ inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom' }] });
      return compileHosts([host(change)], new Map(core.inbounds.map((read) => [read.tag, read]))).hosts[0]?.path;
    };
    expect(pathAt('ws')).toEqual([{ text }]);
    expect(pathAt('ws', { path: '/own?a=b' })).toEqual([{ text: '/own?a=b' }]);
    expect(pathAt('xhttp')).toEqual([{ text: path }]);
  });

  it('settings of a host take precedence over those of its inbound', () => {
    const change: Partial<Host> = {
      inboundTag: 'tls',
      port: 8443,
      sni: ['s.example'],
      host: ['h.example'],
      path: '/{TRANSPORT}/{USERNAME}',
      alpn: ['h3'],
      fingerprint: 'ios',
      status: ['active', 'on_hold'],
    };
    expect(compiled(change)).toMatchObject({
      ports: { ranges: [{ from: 8443, to: 8443 }] },
      sni: ['s.example'],
      host: ['h.example'],
      path: [{ text: '/' }, { text: 'xhttp' }, { text: '/' }, { variable: 'USERNAME' }],
      security: { type: 'tls', alpn: ['h3'], fingerprint: 'ios' },
      status: ['active', 'on_hold'],
    });
    expect(compiled({ inboundTag: 'tls', security: 'none' })?.security).toEqual({ type: 'none' });
    expect(compiled({ inboundTag: 'reality', security: 'tls' })?.security).toMatchObject({ type: 'tls' });
    expect(compiled({ inboundTag: 'reality', security: 'reality' })?.security).toMatchObject({ type: 'reality' });
  });

  it.each<[string, Host['alpn'], Host['alpn']]>([
    ['in', ['h3', 'h2', 'http/1.1'], ['http/1.1']],
    ['grpc', ['h3', 'h2', 'http/1.1'], ['h2']],
    ['tls', ['h3', 'http/1.1'], ['h3', 'http/1.1']],
    ['reality', ['h3', 'h2'], ['h2']],
  ])('compileHosts keeps only the ALPN protocols that the transport of %s speaks', (inboundTag, alpn, expected) => {
    expect(compiled({ inboundTag, security: 'tls', alpn })?.security).toMatchObject({ alpn: expected });
  });

  it('compileHosts sorts by priority, then by id, without disabled hosts', () => {
    const hosts = [
      host({ id: 4, priority: 2 }),
      host({ id: 3, priority: 1 }),
      host({ id: 1, priority: 0, isDisabled: true }),
      host({ id: 2, priority: 1 }),
    ];
    expect(compileHosts(hosts, inbounds()).hosts.map(({ id }) => id)).toEqual([2, 3, 4]);
    expect(hosts.map(({ id }) => id)).toEqual([4, 3, 1, 2]);
  });

  it.each<[Partial<Host>, string]>([
    [{ inboundTag: 'gone' }, 'inbound gone is in no core configuration'],
    [{ inboundTag: 'quic' }, 'inbound quic: the engine replaced quic by xhttp (stream-one over h3)'],
    [{ address: [] }, 'the host has no address'],
    [{ address: [' '] }, 'the host has no address'],
    [{ inboundTag: 'socket' }, 'neither the host nor its inbound socket has a port'],
    [{ remark: 'a } b' }, 'Stray } at 2: write }} for a brace'],
    [{ path: '/{DATA_LEFT}' }, 'Unknown variable {DATA_LEFT}: known are PROTOCOL, TRANSPORT, USERNAME'],
    [{ security: 'reality' }, 'inbound in does not offer reality'],
    [{ inboundTag: 'reality', fingerprint: 'android' }, 'fingerprint android cannot be used with reality'],
    [{ inboundTag: 'reality', fingerprint: 'unsafe' }, 'fingerprint unsafe cannot be used with reality'],
    [
      {
        inboundTag: 'tls',
        transportSettings: { xhttp_settings: { xmux: { maxConcurrency: '1-2', maxConnections: 1 } } },
      },
      'xmux limits both maxConcurrency and maxConnections',
    ],
    [{ inboundTag: 'odd fingerprint' }, 'fingerprint netscape is unknown'],
    [{ inboundTag: 'grpc', fingerprint: '360' }, 'fingerprint 360 cannot be used with grpc'],
    [{ inboundTag: 'grpc', fingerprint: 'randomizednoalpn' }, 'fingerprint randomizednoalpn cannot be used with grpc'],
  ])('compileHosts leaves out and reports a host with %j, and no other host', (change, message) => {
    const { hosts, problems } = compileHosts([host({ id: 7, ...change }), host({ id: 8 })], inbounds());
    expect(problems).toEqual([{ hostId: 7, message }]);
    expect(hosts.map(({ id }) => id)).toEqual([8]);
  });
});
