import { describe, expect, it } from '@jest/globals';
import { textList, textTable } from './text-table.js';

describe(textTable.name, () => {
  it('aligns columns under their headings, without spaces at the ends of lines', () => {
    expect(
      textTable(
        ['NAME', 'AGE', 'NOTE'],
        [
          ['anna', '7', ''],
          ['bo', '100', 'x'],
        ],
      ),
    ).toBe('NAME  AGE  NOTE\nanna  7\nbo    100  x');
  });

  it('counts a character outside the basic plane as one', () => {
    expect(textTable(['A', 'B'], [['😀😀', 'x']])).toBe('A   B\n😀😀  x');
  });

  it('escapes control characters, so that a name cannot move the cursor or begin a line', () => {
    expect(textTable(['NAME'], [['a\u001b[31mb\nc\u009bd']])).toBe('NAME\na\\u001b[31mb\\nc\\u009bd');
  });
});

describe(textList.name, () => {
  it('has the values in one column', () => {
    expect(
      textList([
        ['id', '5'],
        ['username', 'anna\n'],
        ['note', ''],
      ]),
    ).toBe('id        5\nusername  anna\\n\nnote');
  });
});
