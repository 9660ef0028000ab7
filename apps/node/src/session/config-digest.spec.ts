import { describe, expect, it } from '@jest/globals';
import { configDigest } from './config-digest.js';

const digest = (text: string, excludedInbounds: string[] = []) => configDigest({ text, excludedInbounds });

describe('configDigest', () => {
  it('does not see white space, the order of keys or the order of excluded tags', () => {
    expect(digest('{"a":{"b":1,"c":[1,2]},"d":2}', ['x', 'y'])).toBe(
      digest('{ "d": 2,\n "a": {"c": [1, 2], "b": 1} }', ['y', 'x', 'x']),
    );
  });

  it.each([
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":1}', '{"A":1}'],
    ['// comment\n{"a":1}', '// comment\n{"a":2}'],
  ])('tells %s from %s', (one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  it('sees excluded tags', () => {
    expect(digest('{}', ['x'])).not.toBe(digest('{}'));
  });
});
