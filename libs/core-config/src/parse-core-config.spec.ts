import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from './parse-core-config.js';
import { core, type Json, vless } from './testing/core.js';
import { refusal } from './testing/refusal.js';

describe(parseCoreConfig, () => {
  it('parseCoreConfig returns the defaults of an inbound that sets nothing', () => {
    expect(parseCoreConfig(core({ tag: 'in', protocol: 'VLESS', port: 443 })).inbounds).toEqual([
      {
        tag: 'in',
        protocol: 'vless',
        port: { original: 443, ranges: [{ from: 443, to: 443 }] },
        parent: undefined,
        isLocal: false,
        network: 'tcp',
        removed: undefined,
        path: '',
        host: [],
        headerType: '',
        mode: '',
        extra: {},
        security: 'none',
        sni: [],
        alpn: [],
        fingerprint: '',
        allowInsecure: false,
        certificateSha256: [],
        publicKeySha256: [],
        verifiedNames: [],
        reality: undefined,
        finalmask: {},
        flow: '',
        encryption: 'none',
        vision: false,
      },
    ]);
  });

  it('parseCoreConfig returns the configuration as it was sent, with unknown keys in their order', () => {
    const config = { zeta: { own: [1] }, ...core(vless({ unknown: true })), alpha: null };
    expect(JSON.stringify(parseCoreConfig(config).config)).toBe(JSON.stringify(config));
  });

  it('parseCoreConfig offers vmess, vless, trojan and shadowsocks inbounds in order, and ignores others even without a port', () => {
    const ignored = { tag: 'socks', protocol: 'socks', streamSettings: { network: 'future' } };
    const inbounds = ['trojan', 'vmess', 'shadowsocks', 'vless'].map((protocol) => vless({ tag: protocol, protocol }));
    expect(parseCoreConfig(core(ignored, ...inbounds)).inbounds.map(({ tag }) => tag)).toEqual([
      'trojan',
      'vmess',
      'shadowsocks',
      'vless',
    ]);
  });

  it('parseCoreConfig does not offer an excluded inbound, and checks only its tag and protocol', () => {
    const { inbounds } = parseCoreConfig(core(vless(), { tag: 'own', protocol: 'vless' }), { excludeTags: ['own'] });
    expect(inbounds.map(({ tag }) => tag)).toEqual(['in']);
    expect(refusal(core(vless(), { tag: 'own' }), { excludeTags: ['own'] })).toEqual({
      message: `own inbound doesn't have protocol`,
      path: 'inbounds[1].protocol',
    });
  });

  const outbounds = [{ tag: 'direct' }];
  const badTag = (tag: string) =>
    `character «,» is not allowed in inbound tag: ${tag} (neither «,» nor «<=>» may stand in a tag)`;
  it.each<[Json, string, string]>([
    [{ outbounds }, 'inbounds', `config doesn't have inbounds`],
    [{ inbounds: [], outbounds }, 'inbounds', `config doesn't have inbounds`],
    [{ inbounds: {}, outbounds }, 'inbounds', `config doesn't have inbounds`],
    [{ inbounds: [vless()] }, 'outbounds', `config doesn't have outbounds`],
    [{ inbounds: [vless()], outbounds: [] }, 'outbounds', `config doesn't have outbounds`],
    [{ inbounds: [vless({ tag: undefined })], outbounds }, 'inbounds[0].tag', 'all inbounds must have a unique tag'],
    [{ inbounds: [vless({ tag: '' })], outbounds }, 'inbounds[0].tag', 'all inbounds must have a unique tag'],
    [{ inbounds: [vless({ tag: 7 })], outbounds }, 'inbounds[0].tag', 'all inbounds must have a unique tag'],
    [{ inbounds: ['in'], outbounds }, 'inbounds[0]', 'inbounds[0] must be an object'],
    [
      { inbounds: [vless(), { tag: 'in', protocol: 'socks' }], outbounds },
      'inbounds[1].tag',
      'all inbounds must have a unique tag: in stands twice',
    ],
    [{ inbounds: [vless()], outbounds: [{}] }, 'outbounds[0].tag', 'all outbounds must have a unique tag'],
    [
      { inbounds: [vless()], outbounds: [...outbounds, ...outbounds] },
      'outbounds[1].tag',
      'all outbounds must have a unique tag: direct stands twice',
    ],
    [{ inbounds: [vless({ tag: 'a,b' })], outbounds }, 'inbounds[0].tag', badTag('a,b')],
    [{ inbounds: [vless({ tag: 'a<=>b' })], outbounds }, 'inbounds[0].tag', badTag('a<=>b')],
    [core(vless({ protocol: undefined })), 'inbounds[0].protocol', `in inbound doesn't have protocol`],
    [core(vless(), vless({ tag: 'x', port: undefined })), 'inbounds[1].port', `x inbound doesn't have port`],
    [
      core(vless({ port: 70_000 })),
      'inbounds[0].port',
      'inbounds[0].port must be a port (1-65535), a list "80,443" or a range "1000-1010"',
    ],
  ])('parseCoreConfig refuses the configuration %j', (config, path, message) => {
    expect(refusal(config)).toEqual({ message, path });
  });

  it.each<[string, Json]>([
    ['listens on a path', { listen: '/run/in.sock,0666' }],
    ['listens on an abstract socket', { listen: '@in' }],
    ['has fallbacks of its own', { settings: { decryption: 'none', fallbacks: [{ dest: 80 }] } }],
  ])('parseCoreConfig needs no port for an inbound that %s', (_, change) => {
    expect(parseCoreConfig(core(vless({ port: undefined, ...change }))).inbounds[0]?.port).toBeUndefined();
  });

  it('parseCoreConfig warns of settings that will not work', () => {
    const config = core(
      vless({ tag: 'quic', streamSettings: { network: 'quic' } }),
      vless({ tag: 'tls', streamSettings: { security: 'tls' } }),
    );
    expect(parseCoreConfig(config).warnings).toEqual([
      {
        path: 'inbounds[0].streamSettings.network',
        code: 'transport_removed',
        message:
          'inbound quic is left out of nodes and subscriptions: the engine replaced quic by xhttp (stream-one over h3)',
      },
      {
        path: 'inbounds[1].streamSettings.tlsSettings',
        code: 'certificate_missing',
        message: 'inbound tls has no certificate: no client can connect to it',
      },
    ]);
  });
});
