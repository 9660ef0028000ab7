import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { utf8Bytes } from './utf8-bytes.js';

describe(utf8Bytes, () => {
  it('utf8Bytes encodes every text in UTF-8', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => utf8Bytes(text).equals(Buffer.from(text))));
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => utf8Bytes(text).toString() === text));
  });

  it.each(['', '\u{10ffff}'.repeat(1000), 'é'.repeat(1001), '\uffff'.repeat(1000)])(
    'utf8Bytes finds room for any text',
    (text) => {
      expect(utf8Bytes(text).toString()).toBe(text);
    },
  );
});
