import { describe, expect, it } from '@jest/globals';
import { FORMAT_VARIABLES } from './format.js';
import { type FormatUser, formatValues } from './format-values.js';

const GB = 1024 ** 3;
const NOW = new Date('2025-03-01T10:00:00Z');

const ali: FormatUser = {
  username: 'ali',
  status: 'active',
  usedTraffic: 2.5 * GB,
  dataLimit: 10 * GB,
  expire: new Date('2025-03-20T12:30:00Z'),
  onHoldExpireDuration: null,
  adminUsername: 'boss',
};

const values = (change: Partial<FormatUser>) => formatValues({ ...ali, ...change }, NOW);
const after = (seconds: number) => values({ expire: new Date(NOW.getTime() + seconds * 1000) });

describe(formatValues, () => {
  it('all variables of a user with limits have values', () => {
    const all = formatValues(ali, NOW, { ipv4: '192.0.2.1', ipv6: '2001:db8::1' });
    expect(Object.fromEntries(FORMAT_VARIABLES.map((variable) => [variable, all[variable]]))).toEqual({
      SERVER_IP: '192.0.2.1',
      SERVER_IPV6: '[2001:db8::1]',
      USERNAME: 'ali',
      DATA_USAGE: '2.5 GB',
      DATA_LIMIT: '10 GB',
      DATA_LEFT: '7.5 GB',
      USAGE_PERCENTAGE: '25',
      DAYS_LEFT: '20',
      TIME_LEFT: '19d',
      EXPIRE_DATE: '2025-03-20',
      JALALI_EXPIRE_DATE: '1403-12-30',
      STATUS_EMOJI: '✅',
      ADMIN_USERNAME: 'boss',
    });
  });

  it('a missing limit is ∞, and unknown addresses have no value', () => {
    const unlimited = values({ dataLimit: 0, expire: null, adminUsername: null });
    expect(unlimited).toMatchObject({
      DATA_USAGE: '2.5 GB',
      DATA_LIMIT: '∞',
      DATA_LEFT: '∞',
      USAGE_PERCENTAGE: '∞',
      DAYS_LEFT: '∞',
      TIME_LEFT: '∞',
      EXPIRE_DATE: '∞',
      JALALI_EXPIRE_DATE: '∞',
    });
    expect([unlimited.SERVER_IP, unlimited.SERVER_IPV6, unlimited.ADMIN_USERNAME]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('formatValues of a user on hold has the duration as the time left, and - for dates', () => {
    expect(values({ status: 'on_hold', expire: null, onHoldExpireDuration: 30 * 86_400 })).toMatchObject({
      DAYS_LEFT: '30',
      TIME_LEFT: '1m',
      EXPIRE_DATE: '-',
      JALALI_EXPIRE_DATE: '-',
      STATUS_EMOJI: '🔌',
    });
    expect(values({ status: 'on_hold', expire: null })).toMatchObject({ DAYS_LEFT: '∞', TIME_LEFT: '∞' });
  });

  it('the data left is never negative', () => {
    expect(values({ usedTraffic: 12 * GB })).toMatchObject({ DATA_LEFT: '0 B', USAGE_PERCENTAGE: '120' });
    expect(after(0)).toMatchObject({ DAYS_LEFT: '0', TIME_LEFT: '0' });
    expect(after(-1)).toMatchObject({ DAYS_LEFT: '0', TIME_LEFT: '0' });
  });

  it('the usage percentage has at most two decimals', () => {
    expect(values({ usedTraffic: 1, dataLimit: 3 }).USAGE_PERCENTAGE).toBe('33.33');
  });

  const [minute, hour, day] = [60, 3600, 86_400];
  it.each([
    [59, '1', '0m'],
    [5 * minute + 59, '1', '5m'],
    [3 * hour, '1', '3h'],
    [3 * hour + 2 * minute, '1', '3h 2m'],
    [day, '2', '1d'],
    [6 * day + 23 * hour + 59 * minute, '7', '6d 23h'],
    [7 * day + 23 * hour, '8', '7d'],
    [30 * day + 2 * hour + 5 * minute, '31', '1m 2h'],
    [95 * day + hour, '96', '3m 5d 1h'],
  ])('formatValues writes %d seconds as days left and time left', (seconds, days, time) => {
    expect(after(seconds)).toMatchObject({ DAYS_LEFT: days, TIME_LEFT: time });
  });

  it('formatValues writes correct dates in both calendars, however many days are cached', () => {
    const first = Date.UTC(2000, 0, 1);
    const jalali = (day: number) => values({ expire: new Date(first + day * 86_400_000) }).JALALI_EXPIRE_DATE;
    for (let day = 0; day <= 10_000; day++) jalali(day);
    expect([jalali(0), jalali(10_000)]).toEqual(['1378-10-11', '1406-02-29']);
  });

  it.each([
    ['2025-03-20T23:59:59Z', '2025-03-20', '1403-12-30'],
    ['2025-03-21T00:00:00Z', '2025-03-21', '1404-01-01'],
    ['2026-03-21T00:00:00Z', '2026-03-21', '1405-01-01'],
  ])('formatValues writes %s in both calendars, in UTC', (expire, gregorian, jalali) => {
    expect(values({ expire: new Date(expire) })).toMatchObject({
      EXPIRE_DATE: gregorian,
      JALALI_EXPIRE_DATE: jalali,
    });
  });
});
