import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { momentOf } from './moment.js';

describe(momentOf.name, () => {
  it('reads unix seconds and ISO 8601', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 253_402_300_799 }), (seconds) => {
        const date = new Date(seconds * 1000);
        expect(momentOf(seconds)).toEqual(date);
        expect(momentOf(date.toISOString())).toEqual(date);
      }),
    );
  });

  it.each([0, null])('reads %j as no point in time', (none) => {
    expect(momentOf(none)).toBeNull();
  });

  it('reads a day as its first second, in UTC', () => {
    expect(momentOf('2026-12-31')).toEqual(new Date(Date.UTC(2026, 11, 31)));
  });

  it.each([
    ['2026-12-31T23:59:59.123456Z', '2026-12-31T23:59:59.123Z'],
    ['2026-12-31t10:00z', '2026-12-31T10:00:00.000Z'],
    ['2026-12-31 10:00', '2026-12-31T10:00:00.000Z'],
    ['2026-12-31T24:00', '2027-01-01T00:00:00.000Z'],
    ['2026-12-31T10:00:00+0330', '2026-12-31T06:30:00.000Z'],
    ['2026-12-31T10:00:00-03:30', '2026-12-31T13:30:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('reads %s', (text, moment) => {
    expect(momentOf(text)?.toISOString()).toBe(moment);
  });

  it.each([
    -1,
    1.5,
    253_402_300_800,
    '',
    '1',
    'now',
    '2026-13-01',
    '2026-02-29',
    '2026-04-31',
    '2026-12-31T10:00+24:00',
    '2026-12-31T24:01',
    '2026-12-31T25:00',
    '+012026-01-01',
    true,
    {},
    undefined,
  ])('refuses %j', (value) => {
    expect(momentOf(value)).toBeUndefined();
  });
});
