import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { CERTIFICATE } from '../testing/certificate.js';
import { core, type Json, reality, vless } from '../testing/core.js';

/** The warnings without those about the addresses of users. */
const warnings = (inbound: Json) =>
  parseCoreConfig(core(inbound)).warnings.filter(({ code }) => !code.startsWith('address'));
const tls = (more: Json = {}) => ({
  security: 'tls',
  tlsSettings: { certificates: [{ certificate: CERTIFICATE }], ...more },
});

describe('client warnings', () => {
  it.each<[string, string[], string]>([
    ['tcp', ['h3'], 'h2, http/1.1'],
    ['ws', ['h3', 'h2'], 'http/1.1'],
    ['httpupgrade', ['h2'], 'http/1.1'],
    ['grpc', ['http/1.1'], 'h2'],
  ])('an inbound over %s is warned of when its alpn has only %j', (network, alpn, spoken) => {
    const path = 'inbounds[0].streamSettings.tlsSettings.alpn';
    const message = `alpn of inbound in has none of ${spoken}: no client can connect over ${network}`;
    expect(warnings(vless({ streamSettings: { network, ...tls({ alpn }) } }))).toEqual([
      { path, code: 'alpn_unusable', message },
    ]);
    const enough = [...alpn, ...spoken.split(', ')];
    expect(warnings(vless({ streamSettings: { network, ...tls({ alpn: enough }) } }))).toEqual([]);
    expect(warnings(vless({ streamSettings: { network, ...tls() } }))).toEqual([]);
  });

  it.each<[string, Json, string, string, string]>([
    [
      'a flow',
      vless({ settings: { flow: 'xtls-rprx-vision' }, streamSettings: { network: 'ws' } }),
      'settings.flow',
      'flow_unusable',
      'inbound in cannot carry xtls-rprx-vision: users are served without it',
    ],
    [
      'allowInsecure',
      vless({ streamSettings: tls({ allowInsecure: true }) }),
      'streamSettings.tlsSettings.allowInsecure',
      'allow_insecure',
      'allowInsecure of inbound in is refused by Xray clients since June 2026: they get a pin of its certificate',
    ],
  ])('%s that no client can use is warned of', (_, inbound, path, code, message) => {
    expect(warnings(inbound)).toEqual([{ path: `inbounds[0].${path}`, code, message }]);
  });

  it('fallbacks beside VLESS encryption are warned of', () => {
    const settings = {
      decryption: 'mlkem768x25519plus.x',
      encryption: 'mlkem768x25519plus.y',
      fallbacks: [{ dest: 80 }],
    };
    expect(warnings(vless({ settings }))[0]).toEqual({
      path: 'inbounds[0].settings.fallbacks',
      code: 'fallbacks_unusable',
      message: 'inbound in has fallbacks beside VLESS encryption: the engine refuses that',
    });
  });

  it.each<[string, Json, boolean]>([
    ['both', { maxConcurrency: '16-32', maxConnections: 4 }, true],
    ['one', { maxConcurrency: 16 }, false],
    ['one and none', { maxConcurrency: '0-0', maxConnections: 4 }, false],
    ['none', {}, false],
  ])('an xmux is warned of when it limits both concurrency and connections: %s: %j', (_, xmux, told) => {
    const found = warnings(vless({ streamSettings: { network: 'xhttp', xhttpSettings: { extra: { xmux } } } }));
    expect(found).toEqual(
      told
        ? [
            {
              path: 'inbounds[0].streamSettings.xhttpSettings',
              code: 'xmux_conflict',
              message: 'xmux of inbound in limits both maxConcurrency and maxConnections: clients refuse that',
            },
          ]
        : [],
    );
  });

  it('vision over REALITY is not warned of', () => {
    expect(warnings(vless({ streamSettings: reality() }))).toEqual([]);
  });
});
