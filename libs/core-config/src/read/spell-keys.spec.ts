import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from './json-cursor.js';
import { CONFIG_KEYS, INBOUND_KEYS } from './known-keys.js';
import { spellConfig } from './read-config.js';
import { spellKeys } from './spell-keys.js';

describe(spellKeys, () => {
  it('gives keys the spelling of the engine at every level, by the letters that Go folds too', () => {
    const sent = {
      TAG: 'a',
      StreamſettingS: { NETWORK: 'ws', wssettings: { PATH: '/' } },
      Settings: { Clients: [{ EMail: 'x' }] },
    };
    expect(spellKeys(sent, INBOUND_KEYS, 'inbounds[0]', 'refuse')).toEqual({
      tag: 'a',
      streamSettings: { network: 'ws', wsSettings: { path: '/' } },
      settings: { clients: [{ email: 'x' }] },
    });
  });

  it('leaves unknown keys, values of any kind and the order of keys as they are', () => {
    const sent = { Zeta: { Tag: 1 }, Tag: 'a', settings: 7, streamSettings: [null, { Security: 'tls' }], alpha: [] };
    expect(JSON.stringify(spellKeys(sent, INBOUND_KEYS, '', 'refuse'))).toBe(
      '{"Zeta":{"Tag":1},"tag":"a","settings":7,"streamSettings":[null,{"security":"tls"}],"alpha":[]}',
    );
  });

  it('returns the same object where every key is spelled well', () => {
    const config = {
      inbounds: [{ tag: 'a', streamSettings: { tlsSettings: { certificates: [{ key: [] }] } } }],
      own: 1,
    };
    expect(spellConfig(config, 'refuse')).toBe(config);
    const changed = spellConfig({ ...config, Routing: {} }, 'refuse');
    expect(changed['inbounds']).toBe(config.inbounds);
  });

  it.each<[JsonObject, string, string]>([
    [{ api: {}, API: {} }, 'the configuration has "api" twice, in different spellings', ''],
    [{ Api: {}, API: {} }, 'the configuration has "api" twice, in different spellings', ''],
    [
      { routing: { rules: [{ IP: [], ip: [] }] } },
      'routing.rules[0] has "ip" twice, in different spellings',
      'routing.rules[0]',
    ],
  ])('refuses the two spellings in %j', (config, message, path) => {
    expect(() => spellKeys(config, CONFIG_KEYS, '', 'refuse')).toThrow(expect.objectContaining({ message, path }));
  });

  it('keeps a second spelling where it is told to, and leaves the name to the spelling of the engine', () => {
    expect(spellKeys({ API: 1, api: 2, Log: 3 }, CONFIG_KEYS, '', 'keep')).toEqual({ API: 1, api: 2, log: 3 });
    const realitySettings = { SpiderX: '/a', spiderX: '/b' };
    expect(spellKeys({ streamSettings: { realitySettings } }, INBOUND_KEYS, '', 'refuse')).toEqual({
      streamSettings: { realitySettings },
    });
  });
});
