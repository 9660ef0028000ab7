import { describe, expect, it } from '@jest/globals';
import { configDigest } from './config-digest.js';

const digest = (text: string, excludedInbounds: string[] = [], allowedNetworks?: string[]) =>
  configDigest({ text, excludedInbounds, allowedNetworks });

describe(configDigest.name, () => {
  it('the configuration digest does not depend on white space or the order of keys and excluded tags', () => {
    expect(digest('{"a":{"b":1,"c":[1,2]},"d":2}', ['x', 'y'])).toBe(
      digest('{ "d": 2,\n "a": {"c": [1, 2], "b": 1} }', ['y', 'x', 'x']),
    );
  });

  it.each([
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":1}', '{"A":1}'],
    ['// comment\n{"a":1}', '// comment\n{"a":2}'],
  ])('differs between %s and %s', (one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  it('the configuration digest depends on the excluded tags', () => {
    expect(digest('{}', ['x'])).not.toBe(digest('{}'));
  });

  it('the configuration digest depends on the allowed networks, not on their order, and on whether there is a list', () => {
    const [one, two] = ['10.0.0.0/8', '192.168.0.0/16'];
    expect(digest('{}', [], [one, two])).toBe(digest('{}', [], [two, one, one]));
    const digests = [undefined, [], [one], [two]].map((allowed) => digest('{}', [], allowed));
    expect(new Set(digests).size).toBe(digests.length);
  });
});
