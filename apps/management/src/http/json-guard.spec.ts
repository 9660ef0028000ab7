import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonProblem } from './json-guard.js';

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('jsonProblem', () => {
  it('finds nothing in plain JSON', () => {
    const harmless = fc
      .jsonValue({ stringUnit: 'grapheme-ascii' })
      .filter((value) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(value)));
    fc.assert(fc.property(harmless, (value) => expect(jsonProblem({ value })).toBeUndefined()));
  });

  it.each([
    ['{"a":{"__proto__":{}}}', 'a.__proto__', 'is not allowed as a name'],
    ['[{"constructor":1}]', '0.constructor', 'is not allowed as a name'],
    ['{"prototype":null}', 'prototype', 'is not allowed as a name'],
    ['{"a":"x\\u0000"}', 'a', 'contains a NUL character or half a surrogate pair'],
    ['{"a":["\\ud800"]}', 'a.0', 'contains a NUL character or half a surrogate pair'],
    ['{"\\u0000":1}', '\0', 'has a name with a NUL character or half a surrogate pair'],
    ['"\\u0000"', 'body', 'contains a NUL character or half a surrogate pair'],
  ])('finds the problem of %s', (text, path, problem) => {
    expect(jsonProblem(JSON.parse(text))).toEqual({ path, problem });
  });

  it('bounds the nesting, also of a million levels', () => {
    expect(jsonProblem(nested(101))).toBeUndefined();
    expect(jsonProblem(nested(102))).toEqual({
      path: Array(10).fill('0').join('.'),
      problem: 'is nested deeper than 100 levels',
    });
    expect(jsonProblem(nested(1_000_000))?.problem).toBe('is nested deeper than 100 levels');
  });

  it('bounds the members of an object, not those of a list', () => {
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
    expect(jsonProblem({ a: members(10_000) })).toBeUndefined();
    expect(jsonProblem({ a: members(10_001) })).toEqual({ path: 'a', problem: 'has more than 10000 members' });
    expect(jsonProblem(Array(10_001).fill(1))).toBeUndefined();
  });

  it('takes whole characters beyond the first plane', () => {
    expect(jsonProblem({ remark: '🪫 ⌛️' })).toBeUndefined();
  });
});
