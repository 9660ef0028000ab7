import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonTextProblem } from './json-text.js';

describe(jsonTextProblem.name, () => {
  it('finds no problem in output of JSON.stringify', () => {
    fc.assert(fc.property(fc.json({ stringUnit: 'binary' }), (text) => expect(jsonTextProblem(text)).toBeUndefined()));
  });

  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"a":1,"b":{"c":[0,{"d":1,"e":"d","d":2}]}}', 'b.c.1.d'],
    ['[{"a":1},{"a":1,"\\u0061":2}]', '1.a'],
    ['{"\\"":{"x":1},"y":"\\\\","\\u0022":1}', '"'],
    [`{${Array.from({ length: 50 }, (_, n) => `"${n}":0,`).join('')}"7" : 1}`, '7'],
  ])('finds the problem of %s', (text, path) => {
    expect(JSON.parse(text)).toBeDefined();
    expect(jsonTextProblem(text)).toEqual({ path, problem: 'stands twice in its object' });
  });

  it('accepts values that look like names', () => {
    for (const text of ['{"a":"a","b":["b","b"]}', '{"a":"\\",\\"a\\":"}', '"a"', '{"a":{"a":{"a":1}}}', '{}', '[]']) {
      expect({ text, found: jsonTextProblem(text) }).toEqual({ text, found: undefined });
    }
  });

  it('limits the nesting before anything is parsed', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const problem = 'is nested deeper than 100 levels';
    expect(jsonTextProblem(nested(101))).toBeUndefined();
    expect(jsonTextProblem(nested(102))).toEqual({ path: Array(10).fill('0').join('.'), problem });
    expect(jsonTextProblem(`{"config":${'{"a":'.repeat(1_000_000)}`)).toEqual({
      path: `config${'.a'.repeat(9)}`,
      problem,
    });
  });

  it('limits the members of objects, but not the elements of lists', () => {
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
    const problem = 'has more than 10000 members';
    expect(jsonTextProblem(JSON.stringify({ a: members(10_000) }))).toBeUndefined();
    expect(jsonTextProblem(JSON.stringify({ a: members(10_001) }))).toEqual({ path: 'a', problem });
    expect(jsonTextProblem(JSON.stringify(members(10_001)))).toEqual({ path: 'body', problem });
    expect(jsonTextProblem(JSON.stringify(Array(10_001).fill(1)))).toBeUndefined();
  });

  it('limits the number of all objects and lists', () => {
    const list = (lists: number) => `[${'[],'.repeat(lists - 2)}{}]`;
    expect(jsonTextProblem(list(500_000))).toBeUndefined();
    expect(jsonTextProblem(list(500_001))).toEqual({ path: 'body', problem: 'has more than 500000 objects and lists' });
  });

  it('terminates on text that is not JSON', () => {
    for (const text of ['', '"', '{"a', ']]}}', '{"a" "a":', '[,,,', '\\\\"', '{]"a"}']) {
      expect(jsonTextProblem(text)).toBeUndefined();
    }
    for (const text of ['{"\\q":1}', '{"a\\"']) expect(() => jsonTextProblem(text)).toThrow(SyntaxError);
  });

  it('takes time proportional to the length of the text', () => {
    const quotes = JSON.stringify({ a: '\\"'.repeat(1_000_000) });
    const backslashes = JSON.stringify({ a: '\\'.repeat(1_000_000) });
    for (const text of [quotes, backslashes]) expect(jsonTextProblem(text)).toBeUndefined();
  });
});
