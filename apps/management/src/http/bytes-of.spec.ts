import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesOf } from './bytes-of.js';

describe(bytesOf, () => {
  it('writes every text in UTF-8', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => bytesOf(text).equals(Buffer.from(text))));
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => bytesOf(text).toString() === text));
  });

  it.each(['', '\u{10ffff}'.repeat(1000), 'é'.repeat(1001), '\uffff'.repeat(1000)])(
    'finds room for any text',
    (text) => {
      expect(bytesOf(text).toString()).toBe(text);
    },
  );
});
