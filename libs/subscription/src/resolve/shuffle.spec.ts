import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shuffle } from './shuffle.js';

describe(shuffle.name, () => {
  it('keeps every item', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.infiniteStream(fc.nat()), (items, numbers) => {
        const random = (max: number) => Number(numbers.next().value) % max;
        expect(shuffle(items, random).toSorted()).toEqual(items.toSorted());
      }),
    );
  });

  it('can produce every order', () => {
    const orders = new Set<string>();
    for (const first of [0, 1, 2]) {
      for (const second of [0, 1]) {
        const draws = [first, second];
        orders.add(shuffle(['a', 'b', 'c'], () => draws.shift() ?? 0).join(''));
      }
    }
    expect(orders.size).toBe(6);
  });
});
