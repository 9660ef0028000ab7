import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { yamlFlow } from './yaml.js';

describe(yamlFlow, () => {
  it.each([
    '2351e1',
    '0010',
    '0b10',
    '0o17',
    '0x1f',
    '1_000',
    '.5',
    '+1',
    '007',
    'null',
    '~',
    '.inf',
    'no',
    '2026-11-21',
    '',
  ])('yamlFlow writes %j so that it is read as text', (text) => {
    expect(yamlFlow({ text })).toBe(`{"text":"${text}"}`);
    expect(parse(yamlFlow({ text }))).toEqual({ text });
    expect(parse(yamlFlow({ text }), { version: '1.1' })).toEqual({ text });
  });

  it.each([
    ['\u2028', '"\\u2028"'],
    ['\u0085', '"\\u0085"'],
    ['\ufeff', '"\\ufeff"'],
    ['\u0000\n', '"\\u0000\\n"'],
    ['آلمان', '"آلمان"'],
  ])('yamlFlow escapes %j as YAML requires', (text, written) => {
    expect(yamlFlow(text)).toBe(written);
  });

  it('yamlFlow writes texts that a YAML parser reads back unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
        const members = Object.fromEntries(Object.entries(value).filter(([key]) => key !== '__proto__'));
        expect(parse(yamlFlow(members))).toEqual(members);
      }),
    );
  });
});
