import { describe, expect, it } from '@jest/globals';
import { foldCase } from './fold-case.js';

describe('foldCase', () => {
  it('folds all letters together that the engine takes for one', () => {
    // Go has one small letter for each letter, also where JavaScript writes two.
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
