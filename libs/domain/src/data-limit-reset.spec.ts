import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DATA_LIMIT_RESET_STRATEGIES, nextReset, RESET_PERIOD_SECONDS } from './data-limit-reset.js';

const CREATED = '2026-01-31T12:00:00.000Z';
const next = (dataLimitResetStrategy: keyof typeof RESET_PERIOD_SECONDS, now: string, dataLimit = 1) =>
  nextReset({ createdAt: new Date(CREATED), dataLimit, dataLimitResetStrategy }, new Date(now))?.toISOString() ?? null;

describe(nextReset, () => {
  it.each([
    ['day', CREATED, '2026-02-01T12:00:00.000Z'],
    ['day', '2026-02-01T11:59:59.999Z', '2026-02-01T12:00:00.000Z'],
    ['day', '2026-02-01T12:00:00.000Z', '2026-02-02T12:00:00.000Z'],
    ['day', '2026-03-05T13:00:00.000Z', '2026-03-06T12:00:00.000Z'],
    ['week', CREATED, '2026-02-07T12:00:00.000Z'],
    ['month', CREATED, '2026-03-02T12:00:00.000Z'],
    ['month', '2026-03-02T12:00:00.000Z', '2026-04-01T12:00:00.000Z'],
    ['year', '2027-06-01T00:00:00.000Z', '2028-01-31T12:00:00.000Z'],
  ] as const)('with the strategy %s, the first reset after %s is %s', (strategy, now, expected) => {
    expect(next(strategy, now)).toBe(expected);
  });

  it('there is no next reset without a strategy or without a limit', () => {
    expect(next('no_reset', CREATED)).toBeNull();
    expect(next('day', CREATED, 0)).toBeNull();
  });

  it('the next reset is at most one period away, in whole periods from the creation', () => {
    const moments = fc.integer({ min: 0, max: 4e12 });
    const strategies = fc.constantFrom(...DATA_LIMIT_RESET_STRATEGIES.filter((strategy) => strategy !== 'no_reset'));
    fc.assert(
      fc.property(moments, moments, strategies, (created, now, dataLimitResetStrategy) => {
        const period = RESET_PERIOD_SECONDS[dataLimitResetStrategy]! * 1000;
        const terms = { createdAt: new Date(created), dataLimit: 1, dataLimitResetStrategy };
        const ahead = nextReset(terms, new Date(now))!.getTime() - now;
        expect([ahead > 0, ahead <= period]).toEqual([true, true]);
        expect(Math.abs(now + ahead - created) % period).toBe(0);
      }),
    );
  });
});
