import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonTextProblem } from './json-text.js';

const problemOf = (text: string, limits = {}) =>
  jsonTextProblem(text, { containers: 500_000, values: Number.POSITIVE_INFINITY, ...limits });

describe(jsonTextProblem.name, () => {
  it('finds no problem in output of JSON.stringify', () => {
    fc.assert(fc.property(fc.json({ stringUnit: 'binary' }), (text) => expect(problemOf(text)).toBeUndefined()));
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
    expect(problemOf(text)).toEqual({ path, problem: 'stands twice in its object' });
  });

  it('accepts values that look like names', () => {
    for (const text of ['{"a":"a","b":["b","b"]}', '{"a":"\\",\\"a\\":"}', '"a"', '{"a":{"a":{"a":1}}}', '{}', '[]']) {
      expect({ text, found: problemOf(text) }).toEqual({ text, found: undefined });
    }
  });

  it('limits the nesting before anything is parsed', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const problem = 'is nested deeper than 100 levels';
    expect(problemOf(nested(101))).toBeUndefined();
    expect(problemOf(nested(102))).toEqual({ path: Array(10).fill('0').join('.'), problem });
    expect(problemOf(`{"config":${'{"a":'.repeat(1_000_000)}`)).toEqual({
      path: `config${'.a'.repeat(9)}`,
      problem,
    });
  });

  it('limits the members of objects, but not the elements of lists', () => {
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
    const problem = 'has more than 10000 members';
    expect(problemOf(JSON.stringify({ a: members(10_000) }))).toBeUndefined();
    expect(problemOf(JSON.stringify({ a: members(10_001) }))).toEqual({ path: 'a', problem });
    expect(problemOf(JSON.stringify(members(10_001)))).toEqual({ path: 'body', problem });
    expect(problemOf(JSON.stringify(Array(10_001).fill(1)))).toBeUndefined();
  });

  it('limits the number of all objects and lists', () => {
    const list = (lists: number) => `[${'[],'.repeat(lists - 2)}{}]`;
    expect(problemOf(list(500_000))).toBeUndefined();
    expect(problemOf(list(500_001))).toEqual({ path: 'body', problem: 'has more than 500000 objects and lists' });
  });

  it('security row 97: limits the number of values of every kind', () => {
    const limits = { containers: 10, values: 100 };
    const body = (element: string, count: number) => `{"a":[${Array(count).fill(element).join(',')}]}`;
    for (const element of ['1', '""', 'null', '"a,b"']) {
      expect(problemOf(body(element, 99), limits)).toBeUndefined();
      expect(problemOf(body(element, 100), limits)).toEqual({ path: 'body', problem: 'has more than 100 values' });
    }
    expect(problemOf(body('{}', 8), limits)).toBeUndefined();
    for (const element of ['{}', '[]', '{"a":1}', '[[[]]]'])
      expect(problemOf(body(element, 9), limits)).toEqual({
        path: 'body',
        problem: 'has more than 10 objects and lists',
      });
    const members = JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, n])));
    expect(problemOf(members, limits)).toEqual({ path: 'body', problem: 'has more than 100 values' });
  });

  it('terminates on text that is not JSON', () => {
    for (const text of ['', '"', '{"a', ']]}}', '{"a" "a":', '[,,,', '\\\\"', '{]"a"}']) {
      expect(problemOf(text)).toBeUndefined();
    }
    for (const text of ['{"\\q":1}', '{"a\\"']) expect(() => problemOf(text)).toThrow(SyntaxError);
  });

  it('takes time proportional to the length of the text', () => {
    const quotes = JSON.stringify({ a: '\\"'.repeat(1_000_000) });
    const backslashes = JSON.stringify({ a: '\\'.repeat(1_000_000) });
    for (const text of [quotes, backslashes]) expect(problemOf(text)).toBeUndefined();
  });
});
