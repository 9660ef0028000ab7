import { describe, expect, it } from '@jest/globals';
import { foldCase } from './fold-case.js';

describe(foldCase.name, () => {
  it('gives the same result for all letters that the engine takes for equal', () => {
    // Go has one lower-case letter for each letter, even for those that JavaScript converts to two.
    const small = (letter: string) => (letter === 'İ' ? 'i' : letter.toLowerCase());
    const apart: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const letter = String.fromCodePoint(code);
      if (foldCase(letter) !== foldCase(small(letter))) apart.push(letter);
    }
    expect(apart).toEqual([]);
    expect(foldCase('ΑΣ')).toBe(foldCase('ασ'));
    expect(foldCase('ſettingS')).toBe('settings');
  });
});
