import { describe, expect, it } from '@jest/globals';
import { randomPool } from './random-pool.js';

describe(randomPool, () => {
  it('randomPool returns the requested number of bytes, none of them twice', () => {
    const random = randomPool();
    const sizes = [16, 80, 16_000, 24, 400, 40_000, 8];
    const drawn = sizes.map(random);
    expect(drawn.map(({ length }) => length)).toEqual(sizes);
    const pieces = drawn.flatMap((bytes) =>
      Array.from({ length: bytes.length / 8 }, (_, piece) => bytes.subarray(8 * piece, 8 * piece + 8).toString('hex')),
    );
    expect(new Set(pieces).size).toBe(pieces.length);
  });

  it('randomPool shares no byte with another pool', () => {
    expect(randomPool()(64).equals(randomPool()(64))).toBe(false);
  });
});
