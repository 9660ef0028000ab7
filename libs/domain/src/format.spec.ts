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
  it('parseFormat parses text and variables', () => {
    expect(parseFormat('🚀 {USERNAME} ({DATA_LEFT})')).toEqual([
      { text: '🚀 ' },
      { variable: 'USERNAME' },
      { text: ' (' },
      { variable: 'DATA_LEFT' },
      { text: ')' },
    ]);
    expect(parseFormat('{USERNAME}')).toEqual([{ variable: 'USERNAME' }]);
    expect(parseFormat('')).toEqual([]);
  });

  it('parseFormat takes doubled braces for single ones', () => {
    expect(parseFormat('{{USERNAME}}')).toEqual([{ text: '{USERNAME}' }]);
    expect(parseFormat('{{{USERNAME}}}')).toEqual([{ text: '{' }, { variable: 'USERNAME' }, { text: '}' }]);
  });

  it.each([
    ['{', 0, 'Stray { at 0: write {{ for a brace'],
    ['a } b', 2, 'Stray } at 2: write }} for a brace'],
    ['{USERNAME', 0, 'Stray { at 0: write {{ for a brace'],
    ['{USER{NAME}', 0, 'Stray { at 0: write {{ for a brace'],
    ['{USERNAME}}', 10, 'Stray } at 10: write }} for a brace'],
  ])('parseFormat refuses the single brace in %j', (text, position, message) => {
    expect(refusal(text)).toMatchObject({ code: 'stray_brace', position, message });
  });

  it.each(['{}', '{username}', '{USERNAME.__class__}', '{ USERNAME }', '{FOO}', '{constructor}'])(
    'parseFormat refuses the unknown variable of %j',
    (text) => {
      expect(refusal(text)).toMatchObject({
        code: 'unknown_variable',
        position: 0,
        message: `Unknown variable ${text}: known are ${FORMAT_VARIABLES.join(', ')}`,
      });
    },
  );

  it('parseFormat refuses variables that are not allowed in a path', () => {
    expect(refusal('/{USERNAME}/{DATA_LEFT}', PATH_VARIABLES).message).toBe(
      'Unknown variable {DATA_LEFT}: known are PROTOCOL, TRANSPORT, USERNAME',
    );
  });

  it('parseFormat parses ten thousand braces in linear time', () => {
    expect(renderFormat(parseFormat('{{'.repeat(10_000)), {})).toBe('{'.repeat(10_000));
    expect(refusal('{'.repeat(10_001)).position).toBe(10_000);
  });
});

describe(formatPattern, () => {
  const part = fc.constantFrom('{', '}', '{{', '}}', '{USERNAME}', '{DATA_LEFT}', '{FOO}', 'USERNAME', 'a', '\n');
  it.each([undefined, PATH_VARIABLES])('formatPattern matches %j exactly when parseFormat accepts it', (allowed) => {
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
  it('renderFormat replaces variables by their values', () => {
    expect(renderFormat(parseFormat('{USERNAME}/{ADMIN_USERNAME}'), { USERNAME: 'ali' })).toBe('ali/<missing>');
  });

  it('renderFormat returns any text with doubled braces unchanged, and never parses a value as a format', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, value) => {
        const escaped = text.replace(/[{}]/g, '$&$&');
        const format = parseFormat(`${escaped}{USERNAME}${escaped}`);
        expect(renderFormat(format, { USERNAME: value })).toBe(text + value + text);
      }),
    );
  });
});
