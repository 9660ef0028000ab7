import { describe, expect, it } from '@jest/globals';
import { engineConfig } from './engine-config.js';
import { parseCoreConfig } from './parse-core-config.js';
import { CERTIFICATE } from './testing/certificate.js';
import { core, type Json, reality, tls, vless } from './testing/core.js';

const LINES = CERTIFICATE.trimEnd().split('\n');
const files: Readonly<Record<string, string>> = { '/c': CERTIFICATE, '/k': 'key 1\r\nkey 2\r\n' };
const readCertificate = (path: string) => files[path] ?? '';

const towardsNode = (config: Json) => engineConfig(parseCoreConfig(config, { readCertificate }), readCertificate);

describe(engineConfig, () => {
  it('engineConfig returns a configuration that needs no edit unchanged, byte for byte', () => {
    const config = {
      log: { loglevel: 'debug' },
      ...core(vless({ sniffing: { enabled: true }, streamSettings: { sockopt: { mark: 1 }, network: 'ws' } })),
      zeta: [1, { deep: null }],
    };
    expect(JSON.stringify(towardsNode(config))).toBe(JSON.stringify({ config, leftOut: [] }));
  });

  it('engineConfig leaves out and names inbounds on removed transports, whether they are offered or not', () => {
    const config = core(
      vless({ tag: 'quic', streamSettings: { network: 'quic' } }),
      vless(),
      { tag: 'socks', protocol: 'socks', port: 1080, streamSettings: { network: 'h2' } },
      { tag: 'hysteria', protocol: 'hysteria', streamSettings: { network: 'hysteria' } },
    );
    expect(towardsNode(config)).toEqual({
      config: { ...config, inbounds: [vless(), expect.objectContaining({ tag: 'hysteria' })] },
      leftOut: [
        { tag: 'quic', reason: 'the engine replaced quic by xhttp (stream-one over h3)' },
        { tag: 'socks', reason: 'the engine replaced h2 by xhttp (stream-one)' },
      ],
    });
  });

  it.each<[string, Json]>([
    ['strings', { certificate: CERTIFICATE, key: 'key 1\nkey 2\n' }],
    ['lines', { certificate: LINES, key: ['key 1', 'key 2'] }],
    ['files', { certificateFile: '/c', keyFile: '/k' }],
  ])('engineConfig writes certificates that are given as %s as lists of lines', (_, certificate) => {
    const { config } = towardsNode(core(vless({ streamSettings: tls({ ...certificate, ocspStapling: 60 }) })));
    expect(config['inbounds']).toEqual([
      vless({ streamSettings: tls({ certificate: LINES, key: ['key 1', 'key 2'], ocspStapling: 60 }) }),
    ]);
  });

  it('engineConfig keeps the decryption and the settings of grpc that are given', () => {
    const streamSettings = { network: 'gun', gunSettings: { serviceName: 'old' }, grpcSettings: { serviceName: 's' } };
    const settings = {
      decryption: 'mlkem768x25519plus.native.600s.key',
      encryption: 'mlkem768x25519plus.native.0rtt.key',
    };
    expect(towardsNode(core(vless({ settings, streamSettings }))).config['inbounds']).toEqual([
      vless({ settings, streamSettings: { network: 'grpc', grpcSettings: { serviceName: 's' } } }),
    ]);
  });

  it('engineConfig replaces settings that the engine refuses by ones that it accepts', () => {
    const gun = {
      network: 'gun',
      gunSettings: { serviceName: 's' },
      security: 'tls',
      tlsSettings: { allowInsecure: true },
    };
    const { config } = towardsNode(core(vless({ settings: { clients: [] }, streamSettings: gun })));
    expect(config['inbounds']).toEqual([
      vless({
        settings: { clients: [], decryption: 'none' },
        streamSettings: { network: 'grpc', grpcSettings: { serviceName: 's' }, security: 'tls', tlsSettings: {} },
      }),
    ]);
  });

  it.each<[string, Json]>([
    ['reality', { tcp: [{ type: 'sudoku' }], udp: [] }],
    ['none', { tcp: [{ type: 'Fragment' }, { type: 'sudoku' }], udp: [] }],
  ])(
    'engineConfig removes a fragment mask beside REALITY, where it crashes the engine, and nowhere else: security %s',
    (security, finalmask) => {
      const masks = { tcp: [{ type: 'Fragment' }, { type: 'sudoku' }], udp: [] };
      const stream = (change: Json) => ({
        ...(security === 'reality' && reality({ minClientVer: '1.0.0' })),
        ...change,
      });
      const { config } = towardsNode(core(vless({ streamSettings: stream({ finalmask: masks }) })));
      expect(config['inbounds']).toEqual([vless({ streamSettings: stream({ finalmask }) })]);
    },
  );

  it.each<[string, Json, Json]>([
    ['gets the version that locks out nobody where none is given', {}, { minClientVer: '1.0.0' }],
    ['gets it in place of an empty one', { minClientVer: '' }, { minClientVer: '1.0.0' }],
    ['keeps the one that the operator gave', { minClientVer: '26.3.27' }, { minClientVer: '26.3.27' }],
  ])('engineConfig: REALITY %s', (_, given, expected) => {
    const { config } = towardsNode(core(vless({ streamSettings: reality(given) })));
    expect(config['inbounds']).toEqual([vless({ streamSettings: reality(expected) })]);
  });

  it('engineConfig does not change realitySettings of an inbound with another security', () => {
    const inbound = vless({ streamSettings: { ...reality(), security: 'none' } });
    expect(towardsNode(core(inbound)).config['inbounds']).toEqual([inbound]);
  });

  it('engineConfig edits the certificates of other protocols where it can read them, and else leaves the settings unchanged', () => {
    const hysteria = (streamSettings: unknown) => core(vless(), { tag: 'h', protocol: 'hysteria', streamSettings });
    const sent = (streamSettings: unknown) => towardsNode(hysteria(streamSettings)).config['inbounds'];
    expect(sent(tls({ certificateFile: '/c', keyFile: '/k' }))).toEqual([
      vless(),
      { tag: 'h', protocol: 'hysteria', streamSettings: tls({ certificate: LINES, key: ['key 1', 'key 2'] }) },
    ]);
    for (const own of [tls({ certificateFile: '/c', keyFile: 7 }), { network: 7 }, 'tls']) {
      expect(sent(own)).toEqual([vless(), { tag: 'h', protocol: 'hysteria', streamSettings: own }]);
    }
  });

  it('engineConfig does not change the configuration that it is given', () => {
    const config = core(vless({ settings: {}, streamSettings: tls({ certificateFile: '/c', keyFile: '/k' }) }));
    const before = structuredClone(config);
    towardsNode(config);
    expect(config).toEqual(before);
  });

  it('engineConfig refuses a certificate file that no longer exists', () => {
    const parsed = parseCoreConfig(core(vless({ streamSettings: tls({ certificateFile: '/c', keyFile: '/k' }) })), {
      readCertificate,
    });
    expect(() => engineConfig(parsed)).toThrow(
      'certificate files of in must lie in the directory of RAMPART_CERTS_DIR',
    );
  });
});
