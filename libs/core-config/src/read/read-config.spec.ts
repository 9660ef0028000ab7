import { describe, expect, it } from '@jest/globals';
import type { Json } from '../testing/core.js';
import { readConfig } from './read-config.js';

describe(readConfig.name, () => {
  it.each(['log', 'api', 'stats', 'policy', 'routing', 'reverse', 'metrics', 'dns', 'observatory', 'burstObservatory'])(
    'refuses a section "%s" that is no object',
    (name) => {
      const refused = { message: `${name} must be an object`, path: name };
      expect(() => readConfig({ [name.toUpperCase()]: [] })).toThrow(expect.objectContaining(refused));
    },
  );

  it.each<[Json, string, string]>([
    [{ policy: { levels: { 0: true } } }, 'policy.levels.0', 'an object'],
    [{ policy: { system: 7 } }, 'policy.system', 'an object'],
    [{ dns: { hosts: ['a'] } }, 'dns.hosts', 'an object'],
    [{ outbounds: {} }, 'outbounds', 'a list'],
    [{ outbounds: ['direct'] }, 'outbounds[0]', 'an object'],
    [{ routing: { rules: {} } }, 'routing.rules', 'a list'],
    [{ routing: { rules: [7] } }, 'routing.rules[0]', 'an object'],
    [{ routing: { balancers: {} } }, 'routing.balancers', 'a list'],
    [{ reverse: { portals: {} } }, 'reverse.portals', 'a list'],
    [{ inbounds: {} }, 'inbounds', 'a list'],
    [{ inbounds: [7] }, 'inbounds[0]', 'an object'],
  ])('refuses %j', (config, path, what) => {
    expect(() => readConfig(config)).toThrow(expect.objectContaining({ message: `${path} must be ${what}`, path }));
  });

  it.each<[Json, string]>([
    [{ log: {}, Log: {} }, 'the configuration has "log" twice, in different spellings'],
    [{ inbounds: [{ tag: 'a', Tag: 'a' }] }, 'inbounds[0] has "tag" twice, in different spellings'],
  ])('refuses the two spellings in %j', (config, message) => {
    expect(() => readConfig(config)).toThrow(message);
  });
});
