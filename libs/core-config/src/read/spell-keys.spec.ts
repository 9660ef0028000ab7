import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from './json-cursor.js';
import { CONFIG_KEYS, INBOUND_KEYS } from './known-keys.js';
import { spellConfig } from './read-config.js';
import { spellKeys } from './spell-keys.js';

describe(spellKeys, () => {
  it('spellKeys gives keys the spelling of the engine at every level, and folds the same letters as Go', () => {
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

  it('spellKeys does not change unknown keys, values or the order of keys', () => {
    const sent = { Zeta: { Tag: 1 }, Tag: 'a', settings: 7, streamSettings: [null, { Security: 'tls' }], alpha: [] };
    expect(JSON.stringify(spellKeys(sent, INBOUND_KEYS, '', 'refuse'))).toBe(
      '{"Zeta":{"Tag":1},"tag":"a","settings":7,"streamSettings":[null,{"security":"tls"}],"alpha":[]}',
    );
  });

  it('spellKeys returns the same object when every key already has the spelling of the engine', () => {
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
  ])('spellKeys refuses the two spellings in %j', (config, message, path) => {
    expect(() => spellKeys(config, CONFIG_KEYS, '', 'refuse')).toThrow(expect.objectContaining({ message, path }));
  });

  it('spellKeys keeps a second spelling with the policy `keep`, when one key already has the spelling of the engine', () => {
    expect(spellKeys({ API: 1, api: 2, Log: 3 }, CONFIG_KEYS, '', 'keep')).toEqual({ API: 1, api: 2, log: 3 });
    const realitySettings = { SpiderX: '/a', spiderX: '/b' };
    expect(spellKeys({ streamSettings: { realitySettings } }, INBOUND_KEYS, '', 'refuse')).toEqual({
      streamSettings: { realitySettings },
    });
  });
});
