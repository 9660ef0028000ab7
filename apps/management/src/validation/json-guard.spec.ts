import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inexactNumber, jsonProblem } from './json-guard.js';

describe(jsonProblem.name, () => {
  it('finds no problem in plain JSON', () => {
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

  it('accepts complete characters outside the basic plane', () => {
    expect(jsonProblem({ remark: '🪫 ⌛️' })).toBeUndefined();
  });
});

describe(inexactNumber.name, () => {
  it.each([
    ['{"config":{"a":[1e400]}}', 'config.a.0'],
    ['{"config":{"a":-9007199254740993}}', 'config.a'],
    ['9007199254740992', 'body'],
  ])('finds the number in %s', (text, path) => {
    const problem = 'has more digits than a number keeps';
    expect(inexactNumber(JSON.parse(text))).toEqual({ path, problem });
  });

  it('accepts numbers that are exact', () => {
    expect(inexactNumber({ a: [2 ** 53 - 1, -(2 ** 53 - 1), 0.1, '1e400', null] })).toBeUndefined();
  });
});
