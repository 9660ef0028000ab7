import { describe, expect, it } from '@jest/globals';
import { checkClock } from './check-clock.js';

describe(checkClock.name, () => {
  it.each([
    [0, 2, 'ok', 'is right within 0.0 s'],
    [-4_000, 500, 'ok', 'is right within 4.5 s'],
    [5_400, 500, 'ok', 'is right within 5.9 s'],
    [5_600, 500, 'warning', 'is 5.6 s ahead of this machine'],
    [-29_000, 0, 'warning', 'is 29 s behind this machine'],
    [600_000, 10, 'wrong', 'is 600 s ahead of this machine'],
    [-600_000, 10, 'wrong', 'is 600 s behind this machine'],
  ])('a clock with %d ms of difference, known to %d ms, is %s', (difference, uncertainty, state, seen) => {
    expect(checkClock('clock', difference, uncertainty)).toMatchObject({ name: 'clock', state, seen });
  });
});
