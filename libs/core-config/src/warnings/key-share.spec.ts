import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, reality, vless } from '../testing/core.js';
import { keyShareDemand, realityTags } from './key-share.js';

const SHUT_OUT =
  'sing-box, Karing, Shadowrocket and Exclave have none, Xray and mihomo have one with the fingerprint chrome';

describe(keyShareDemand, () => {
  it.each(['26.9.8', '26.9.10', '26.10.1', '27.0.0', '27'])(
    'keyShareDemand names all REALITY inbounds of engine %s',
    (engine) => {
      const message = `engine ${engine} takes only clients with an X25519MLKEM768 key share on inbounds a, b: ${SHUT_OUT}`;
      expect(keyShareDemand(engine, ['a', 'b'])).toBe(message);
    },
  );

  it.each(['26.9.7', '26.3.27', '25.12.31', 'unknown', ''])(
    'keyShareDemand returns undefined for the engine %j',
    (engine) => {
      expect(keyShareDemand(engine, ['a'])).toBeUndefined();
    },
  );

  it('keyShareDemand returns undefined when no inbound has REALITY', () => {
    expect(keyShareDemand('26.9.8', [])).toBeUndefined();
  });
});

describe(realityTags, () => {
  it('realityTags returns the tag of each inbound that listens with REALITY once', () => {
    const parent = vless({ tag: 'parent', streamSettings: reality(), settings: { fallbacks: [{ dest: 444 }] } });
    const config = core(
      parent,
      vless({ tag: 'child', port: 444 }),
      vless({ tag: 'own', port: 445, streamSettings: { network: 'grpc', ...reality() } }),
      vless({ tag: 'gone', port: 446, streamSettings: { network: 'quic', ...reality() } }),
      vless({ tag: 'tls', port: 447, streamSettings: { security: 'tls' } }),
      vless({ tag: 'excluded', port: 448, streamSettings: reality() }),
    );
    const { inbounds } = parseCoreConfig(config, { fallbackTags: ['parent'], excludeTags: ['excluded'] });
    expect(realityTags(inbounds)).toEqual(['parent', 'own']);
  });
});
