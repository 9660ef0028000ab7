import { describe, expect, it } from '@jest/globals';
import { inZone, usageRange } from './usage-range.js';

const NOW = new Date('2026-11-21T19:30:00Z');

describe(usageRange.name, () => {
  it('defaults to the last 30 days by hours of UTC', () => {
    expect(usageRange({}, NOW)).toEqual({
      period: 'hour',
      start: new Date('2026-10-22T19:30:00Z'),
      end: NOW,
      offset: 0,
    });
  });

  it('starts 30 days before a given end', () => {
    expect(usageRange({ end: '2026-03-31' }, NOW)).toMatchObject({
      start: new Date('2026-03-01T00:00:00Z'),
      end: new Date('2026-03-31T00:00:00Z'),
    });
  });

  it.each([
    ['2026-11-01T00:00:00+03:30', '2026-10-31T20:30:00Z', 210],
    ['2026-11-01T00:00:00-0500', '2026-11-01T05:00:00Z', -300],
    ['2026-11-01T00:00-00:30', '2026-11-01T00:30:00Z', -30],
    ['2026-11-01T00:00:00Z', '2026-11-01T00:00:00Z', 0],
    ['2026-11-01T10:00:00', '2026-11-01T10:00:00Z', 0],
    ['2026-11-01', '2026-11-01T00:00:00Z', 0],
    ['2026-11-01+02:00', '2026-10-31T22:00:00Z', 120],
    [1_793_491_200, '2026-11-01T00:00:00Z', 0],
  ])('uses the time zone of its start: %s', (start, moment, offset) => {
    expect(usageRange({ period: 'day', start, end: '2026-12-01T00:00:00+09:00' }, NOW)).toEqual({
      period: 'day',
      start: new Date(moment),
      end: new Date('2026-11-30T15:00:00Z'),
      offset,
    });
  });
});

describe(inZone.name, () => {
  it.each([
    [0, '2026-11-21T19:30:00Z'],
    [210, '2026-11-21T23:00:00+03:30'],
    [-330, '2026-11-21T14:00:00-05:30'],
    [-30, '2026-11-21T19:00:00-00:30'],
    [840, '2026-11-22T09:30:00+14:00'],
  ])('writes a moment %d minutes east', (offset, text) => {
    expect(inZone(NOW, offset)).toBe(text);
    expect(new Date(text)).toEqual(NOW);
  });

  it.each([
    [Date.parse('0000-01-01T00:00:00Z') - 1, 0, '0000-01-01T00:00:00Z'],
    [Date.parse('9999-12-31T23:00:00Z'), 120, '9999-12-31T23:59:59+02:00'],
  ])('writes no year of more than four digits: %d', (moment, offset, text) => {
    expect(inZone(new Date(moment), offset)).toBe(text);
  });
});
