import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@rampart/core-config';
import { isMasked } from './masks.js';

const fragment = { type: 'fragment', settings: { packets: 'tlshello' } };

describe(isMasked, () => {
  it.each<[JsonObject, boolean]>([
    [{}, false],
    [{ tcp: [] }, false],
    [{ tcp: [fragment, { type: 'Fragment' }] }, false],
    [{ tcp: [fragment, { type: 'sudoku' }] }, true],
    [{ tcp: [null] }, true],
    [{ tcp: fragment }, true],
    [{ udp: [fragment] }, true],
    [{ tcp: [fragment], udp: [] }, true],
    [{ quicParams: {} }, true],
  ])('isMasked of %j is %s', (finalmask, expected) => {
    expect(isMasked(finalmask)).toBe(expected);
  });
});
