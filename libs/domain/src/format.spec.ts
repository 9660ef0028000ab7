import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  FORMAT_VARIABLES,
  FormatError,
  type FormatVariable,
  formatPattern,
  PATH_VARIABLES,
  parseFormat,
  renderFormat,
} from './format.js';

function refusal(text: string, allowed?: readonly FormatVariable[]): FormatError {
  try {
    parseFormat(text, allowed);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(text)} was accepted`);
}

describe(parseFormat, () => {
  it('reads text and variables', () => {
    expect(parseFormat('🚀 {USERNAME} ({DATA_LEFT})')).toEqual([
      { text: '🚀 ' },
      { variable: 'USERNAME' },
      { text: ' (' },
      { variable: 'DATA_LEFT' },
      { text: ')' },
    ]);
    expect(parseFormat('')).toEqual([]);
  });

  it('reads doubled braces as text', () => {
    expect(parseFormat('{{USERNAME}}')).toEqual([{ text: '{USERNAME}' }]);
    expect(parseFormat('{{{USERNAME}}}')).toEqual([{ text: '{' }, { variable: 'USERNAME' }, { text: '}' }]);
  });

  it.each([
    ['{', 0, 'Stray { at 0: write {{ for a brace'],
    ['a } b', 2, 'Stray } at 2: write }} for a brace'],
    ['{USERNAME', 0, 'Stray { at 0: write {{ for a brace'],
    ['{USER{NAME}', 0, 'Stray { at 0: write {{ for a brace'],
    ['{USERNAME}}', 10, 'Stray } at 10: write }} for a brace'],
  ])('refuses the stray brace of %j', (text, position, message) => {
    expect(refusal(text)).toMatchObject({ code: 'stray_brace', position, message });
  });

  it.each(['{}', '{username}', '{USERNAME.__class__}', '{ USERNAME }', '{FOO}', '{constructor}'])(
    'refuses the unknown variable of %j',
    (text) => {
      expect(refusal(text)).toMatchObject({
        code: 'unknown_variable',
        position: 0,
        message: `Unknown variable ${text}: known are ${FORMAT_VARIABLES.join(', ')}`,
      });
    },
  );

  it('refuses in a path what only a name may use', () => {
    expect(refusal('/{USERNAME}/{DATA_LEFT}', PATH_VARIABLES).message).toBe(
      'Unknown variable {DATA_LEFT}: known are PROTOCOL, TRANSPORT, USERNAME',
    );
  });

  it('takes ten thousand braces in its stride', () => {
    expect(renderFormat(parseFormat('{{'.repeat(10_000)), {})).toBe('{'.repeat(10_000));
    expect(refusal('{'.repeat(10_001)).position).toBe(10_000);
  });
});

describe(formatPattern, () => {
  const part = fc.constantFrom('{', '}', '{{', '}}', '{USERNAME}', '{DATA_LEFT}', '{FOO}', 'USERNAME', 'a', '\n');
  it.each([undefined, PATH_VARIABLES])('takes what parseFormat reads, and nothing else, of %j', (allowed) => {
    const pattern = new RegExp(formatPattern(allowed), 'u');
    const isRead = (text: string): boolean => {
      try {
        return parseFormat(text, allowed) !== undefined;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        expect([text, pattern.test(text)]).toEqual([text, isRead(text)]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe(renderFormat, () => {
  it('fills in values', () => {
    expect(renderFormat(parseFormat('{USERNAME}/{ADMIN_USERNAME}'), { USERNAME: 'ali' })).toBe('ali/<missing>');
  });

  it('gives any text back whose braces are doubled, and never reads a value as a format', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, value) => {
        const escaped = text.replace(/[{}]/g, '$&$&');
        const format = parseFormat(`${escaped}{USERNAME}${escaped}`);
        expect(renderFormat(format, { USERNAME: value })).toBe(text + value + text);
      }),
    );
  });
});
