import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { byteText, fromByteText } from './byte-text.js';

describe(byteText.name, () => {
  it('stands for the UTF-8 form of a text, whole and in pieces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
        expect(fromByteText(byteText(one) + byteText(other))).toEqual(Buffer.from(one + other));
      }),
    );
  });

  it.each([
    ['plain', 'plain'],
    ['\u007f', '\u007f'],
    ['\u0080', '\u00c2\u0080'],
    ['ü', '\u00c3\u00bc'],
    ['☃', '\u00e2\u0098\u0083'],
    ['🇩', '\u00f0\u009f\u0087\u00a9'],
    // A lone surrogate.
    ['\ud83c', '\u00ef\u00bf\u00bd'],
  ])('of %j is %j', (text, bytes) => {
    expect(byteText(text)).toBe(bytes);
  });
});
