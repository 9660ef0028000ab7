import { describe, expect, it } from '@jest/globals';
import { engineConfig } from './engine-config.js';
import { parseCoreConfig } from './parse-core-config.js';
import { core, type Json, vless } from './testing/core.js';
import { refusal } from './testing/refusal.js';

describe('a configuration with keys in another case', () => {
  const config = {
    INBOUNDS: [
      { Tag: 'in', Protocol: 'vless', Port: 443, StreamSettings: { Network: 'ws', WSSettings: { Path: '/ws' } } },
    ],
    Outbounds: [{ Tag: 'direct', Protocol: 'freedom' }],
  };

  it('is read as the engine reads it, and stored as it was sent', () => {
    const read = parseCoreConfig(config);
    expect(read.inbounds).toMatchObject([{ tag: 'in', network: 'ws', path: '/ws', port: { original: 443 } }]);
    expect(read.config).toBe(config);
  });

  it('goes to nodes in the spelling of the engine', () => {
    const streamSettings = { network: 'ws', wsSettings: { path: '/ws' } };
    const inbound = { tag: 'in', protocol: 'vless', port: 443, streamSettings, settings: { decryption: 'none' } };
    expect(engineConfig(parseCoreConfig(config)).config).toEqual({
      inbounds: [inbound],
      outbounds: [{ tag: 'direct', protocol: 'freedom' }],
    });
  });
});

/** Inbounds that were accepted before both apps shared one reader. */
const NEWLY_REFUSED: readonly (readonly [what: string, inbound: Json, path: string, message: string])[] = [
  [
    'the kind of settings that nobody looked at',
    vless({ tag: 'odd', port: 1, protocol: 'vmess', settings: 7 }),
    'inbounds[1].settings',
    'inbounds[1].settings must be an object',
  ],
  [
    'a mode that no socket has',
    vless({ tag: 'odd', port: undefined, listen: '/run/odd.sock,999' }),
    'inbounds[1].listen',
    'inbound "odd": listen "/run/odd.sock,999" must be a path, or a path, a comma and a mode like 0666',
  ],
  [
    'a key in two spellings',
    vless({ tag: 'odd', Port: 1, port: 2 }),
    'inbounds[1]',
    'inbounds[1] has "port" twice, in different spellings',
  ],
  [
    'a transport under a key in another case',
    vless({ tag: 'odd', port: 1, StreamSettings: { network: 'future' } }),
    'inbounds[1].streamSettings.network',
    'inbounds[1].streamSettings.network must be one of tcp, raw, ws, websocket, grpc, gun, httpupgrade, xhttp, ' +
      'splithttp, kcp, mkcp, quic, http, h2, h3',
  ],
];

describe('a rule that is newer than a stored configuration', () => {
  it.each(NEWLY_REFUSED)('a newer rule refuses an inbound when it is saved: %s', (_, inbound, path, message) => {
    expect(refusal(core(vless(), inbound))).toEqual({ path, message });
  });

  it.each(NEWLY_REFUSED)('a newer rule leaves out a stored inbound alone: %s', (_, inbound, path, message) => {
    const config = core(vless(), inbound);
    const read = parseCoreConfig(config, { isStored: true });
    expect(read.inbounds.map(({ tag }) => tag)).toEqual(['in']);
    expect(read.refused).toEqual([{ tag: 'odd', path, message }]);
    expect(read.config).toBe(config);
    expect(engineConfig(read)).toEqual({
      config: { ...config, inbounds: [vless()] },
      leftOut: [{ tag: 'odd', reason: message }],
    });
  });

  it.each<[string, Json, string, string]>([
    [
      'a section twice',
      { ...core(vless()), Routing: {}, routing: {} },
      '',
      'the configuration has "routing" twice, in different spellings',
    ],
    ['a section of another kind', { ...core(vless()), routing: 7 }, 'routing', 'routing must be an object'],
    [
      'a list of another kind',
      { ...core(vless()), routing: { rules: [null] } },
      'routing.rules[0]',
      'routing.rules[0] must be an object',
    ],
    [
      'a name of the node',
      { ...core(vless()), routing: { balancers: [{ tag: '~rampart-x' }] } },
      'routing.balancers[0].tag',
      'routing.balancers[0].tag begins with "~rampart-", which is reserved for the node',
    ],
  ])(
    'a newer rule that concerns nodes alone changes nothing of a stored configuration: %s',
    (_, config, path, message) => {
      expect(refusal(config)).toEqual({ path, message });
      const read = parseCoreConfig(config, { isStored: true });
      expect(read.inbounds.map(({ tag }) => tag)).toEqual(['in']);
      expect(engineConfig(read).config).toEqual({ ...config, inbounds: [expect.objectContaining({ tag: 'in' })] });
    },
  );

  it('a stored configuration that breaks an older rule is refused as a whole', () => {
    const wrong = core(vless(), vless({ tag: 'odd', port: 1, streamSettings: { security: 'xtls' } }));
    expect(() => parseCoreConfig(wrong, { isStored: true })).toThrow(
      'inbounds[1].streamSettings.security must be one of none, tls, reality',
    );
  });
});

it('nodes get an inbound with an empty address without any address, because the engine crashes on an empty one', () => {
  const { config } = engineConfig(parseCoreConfig(core(vless({ listen: '' }))));
  expect(config['inbounds']).toEqual([vless()]);
});

it('an inbound on a unix socket needs no port, and an invalid port is ignored', () => {
  expect(parseCoreConfig(core(vless({ listen: '@in', port: 0 }))).inbounds[0]).toMatchObject({ port: undefined });
});
