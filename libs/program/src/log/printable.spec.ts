import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { printable, printableJson, printableLines, printableStack } from './printable.js';

// What terminals obey, written in another way than in the source.
const isObeyed = (character: string): boolean => {
  const code = character.codePointAt(0) ?? 0;
  const between = (from: number, to: number) => code >= from && code <= to;
  return between(0, 0x1f) || between(0x7f, 0x9f) || between(0x202a, 0x202e) || between(0x2066, 0x2069);
};
const obeyed = (text: string): string[] => [...text].filter(isObeyed);
/** Texts in which such characters are frequent. */
const hostile = fc
  .array(fc.oneof(fc.constantFrom('\n', '\r', '\u001b[2J', '\u009b', '\u202e', '\u2066', '    at ', 'x'), fc.string()))
  .map((parts) => parts.join(''));

describe(printable.name, () => {
  it.each([
    ['a line\nanother', 'a line\\nanother'],
    ['tab\there', 'tab\\there'],
    ['\u001b[31mred\u009b0m\u007f', '\\u001b[31mred\\u009b0m\\u007f'],
    ['user\u202egnp.exe \u2066x\u2069 \u200f', 'user\\u202egnp.exe \\u2066x\\u2069 \\u200f'],
    ['a\u2028b\ufeffc\u200bd', 'a\\u2028b\\ufeffc\\u200bd'],
    ['می‌خواهم 👩‍💻 ü \\n', 'می‌خواهم 👩‍💻 ü \\n'],
  ])('makes %j one line that no terminal obeys', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('security row 59: no text makes a second line, or has a character that a terminal obeys', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(obeyed(printable(text))).toEqual([]);
        expect(obeyed(printableLines(text)).filter((found) => found !== '\n')).toEqual([]);
        const [, ...frames] = printableStack(text).split('\n');
        expect(obeyed(frames.join(''))).toEqual([]);
        for (const frame of frames) expect(frame).toMatch(/^ {4,}at /);
      }),
    );
  });

  it('security row 59: an empty line before what looks like a position in a stack is none', () => {
    expect(printableStack('Error\n\n    at a.js:1')).toBe('Error\\n\n    at a.js:1');
  });

  it('printableJson is JSON with the same values', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = printableJson({ text });
        expect(obeyed(json)).toEqual([]);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});
