import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { momentOf } from './moment.js';

describe('momentOf', () => {
  it('reads unix seconds and the ISO form of the same moment alike', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 253_402_300_799 }), (seconds) => {
        const date = new Date(seconds * 1000);
        expect(momentOf(seconds)).toEqual(date);
        expect(momentOf(date.toISOString())).toEqual(date);
      }),
    );
  });

  it.each([0, null])('takes %j for none', (none) => {
    expect(momentOf(none)).toBeNull();
  });

  it('takes a day for its first second, in UTC', () => {
    expect(momentOf('2026-12-31')).toEqual(new Date(Date.UTC(2026, 11, 31)));
  });

  it.each([
    -1,
    1.5,
    253_402_300_800,
    '',
    '1',
    'now',
    '2026-13-01',
    '2026-12-31T25:00',
    '+012026-01-01',
    true,
    {},
    undefined,
  ])('takes %j for no moment', (value) => {
    expect(momentOf(value)).toBeUndefined();
  });
});
