import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { refusal } from '../testing/refusal.js';
import { readJson } from './read-json.js';

describe(readJson, () => {
  it('readJson reads text with the comments that the engine allows', () => {
    const text = `{
      // one "line
      "url": "https://a.example/#x", # another
      /* a
         block */ "quote": "\\"//"
    }`;
    expect(readJson(text)).toEqual({ url: 'https://a.example/#x', quote: '"//' });
  });

  it('readJson reads every JSON text as JSON.parse does', () => {
    const value = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 }), { minKeys: 1 });
    const safe = value.filter((object) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(object)));
    fc.assert(
      fc.property(safe, (object) => {
        expect(readJson(JSON.stringify(object))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });

  it.each([
    ['', 'line 1, column 1: value expected'],
    ['{\n  "a": 1,\n}', 'line 3, column 1: property name expected'],
    ['{"a": 1 /* open', 'line 1, column 16: close brace expected'],
    ['{"a": [1 2]}', 'line 1, column 10: comma expected'],
    ['{"a": "open', 'line 1, column 7: unexpected end of string'],
  ])('readJson reports the position of the mistake in %j', (text, problem) => {
    expect(refusal(text)).toEqual({ message: `config is not valid JSON: ${problem}`, path: '' });
  });

  it.each([[null], [undefined], [42], [[]], ['[]'], ['"text"']])(
    'readJson refuses %j, which is not a JSON object',
    (value) => {
      expect(refusal(value)).toEqual({ message: 'config must be a JSON object', path: '' });
    },
  );

  it('an empty configuration is refused', () => {
    expect(refusal({})).toEqual({ message: 'config cannot be empty', path: '' });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('readJson refuses the key %s at any depth', (key) => {
    const message = `key "${key}" is not allowed`;
    expect(refusal(`{"a": [{"b": {"${key}": {"polluted": true}}}]}`)).toEqual({ message, path: 'a[0].b' });
    expect(refusal(JSON.parse(`{"${key}": 1}`))).toEqual({ message, path: '' });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('readJson limits the depth to 100 levels', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(readJson(nested(100))).toEqual(JSON.parse(nested(100)));
    expect(refusal(nested(101)).message).toBe('config is nested deeper than 100 levels');
    expect(refusal(`{"a":${'['.repeat(100_000)}`).message).toBe('config is not valid JSON: it is nested too deeply');
  });

  it('readJson reads texts as long as a request may be', () => {
    const text = 'a\\n'.repeat(5_000_000);
    expect(readJson(`{"a": "${text}"} # ${text}`)).toEqual({ a: 'a\n'.repeat(5_000_000) });
  });

  it('readJson takes linear time on unclosed strings and comments', () => {
    const million = 1_000_000;
    for (const text of [`{${'/*'.repeat(million)}`, `{"${'\\"'.repeat(million)}`]) {
      expect(refusal(text).message).toMatch(/^config is not valid JSON: /);
    }
  }, 5_000);
});
