import { describe, expect, it } from '@jest/globals';
import { chosenPlace, itemBeside } from './palette-choice';

const items = (...ids: string[]) => ids.map((id) => ({ id }));

describe('the chosen item of the palette', () => {
  it('is the first one until an arrow key goes to another', () => {
    expect(chosenPlace(items('a', 'b', 'c'), undefined)).toBe(0);
    expect(chosenPlace(items('a', 'b', 'c'), 'c')).toBe(2);
  });

  it('stays chosen when others are found before it, and is the first again when it is gone', () => {
    expect(chosenPlace(items('user', 'a', 'b'), 'b')).toBe(2);
    expect(chosenPlace(items('user', 'a'), 'b')).toBe(0);
  });

  it('moves by one, and around the ends', () => {
    const list = items('a', 'b', 'c');
    const from = (place: number, step: 1 | -1) => itemBeside(list, place, step)?.id;
    expect([from(0, 1), from(1, 1), from(2, 1)]).toEqual(['b', 'c', 'a']);
    expect([from(2, -1), from(1, -1), from(0, -1)]).toEqual(['b', 'a', 'c']);
    expect(itemBeside([], 0, 1)).toBeUndefined();
  });
});
