import { describe, expect, it } from '@jest/globals';
import { findRule } from './find-rule';

describe(findRule.name, () => {
  const patterns = ['(?i)(clash[-. ]?meta|mihomo)', '(?i)clash', 'SF[AIMT]', '(?=a)b', ''];

  it.each([
    ['mihomo/1.19', 0],
    ['Clash-Meta/1', 0],
    ['ClashX/1.95', 1],
    ['SFA/1.12.0', 2],
    ['x clash', 4],
  ])('of %s is the first rule whose pattern matches its beginning', (userAgent, place) => {
    expect(findRule(patterns, userAgent)).toBe(place);
  });

  it('is -1 where none matches, and reads 256 characters', () => {
    expect(findRule(['a+b'], 'ccc')).toBe(-1);
    expect([findRule(['a+b'], `${'a'.repeat(255)}b`), findRule(['a+b'], `${'a'.repeat(256)}b`)]).toEqual([0, -1]);
  });
});
