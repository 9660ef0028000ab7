import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type PlannedTerms, withNextPlan } from './next-plan.js';
import type { UserState } from './user-state.js';
import { USER_STATUSES } from './user-status.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const USED_UP: UserState = {
  status: 'limited',
  expire: later(-1),
  dataLimit: 100,
  usedTraffic: 100,
  onHoldExpireDuration: null,
  onHoldTimeout: null,
};
const PLAN: PlannedTerms = {
  status: 'active',
  expireDuration: 60,
  onHoldTimeout: null,
  dataLimit: 500,
  addRemainingTraffic: false,
};

describe(withNextPlan, () => {
  it('the next plan sets its limit and its duration, and the traffic counter to zero', () => {
    expect(withNextPlan(USED_UP, PLAN, NOW)).toEqual({
      ...USED_UP,
      status: 'active',
      expire: later(60),
      dataLimit: 500,
      usedTraffic: 0,
    });
  });

  it('a next plan with a hold puts the user on hold', () => {
    expect(withNextPlan(USED_UP, { ...PLAN, status: 'on_hold', onHoldTimeout: 90 }, NOW)).toEqual({
      status: 'on_hold',
      expire: null,
      dataLimit: 500,
      usedTraffic: 0,
      onHoldExpireDuration: 60,
      onHoldTimeout: later(90),
    });
  });

  it.each([
    ['what is left is added', { dataLimit: 100, usedTraffic: 30 }, 500, 570],
    ['too much use is no debt', { dataLimit: 100, usedTraffic: 130 }, 500, 500],
    ['no limit leaves nothing over', { dataLimit: 0, usedTraffic: 30 }, 500, 500],
    ['unlimited stays unlimited', { dataLimit: 100, usedTraffic: 30 }, 0, 0],
    ['a sum stays exact', { dataLimit: 100, usedTraffic: 0 }, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('withNextPlan sets the data limit: %s', (_, used, dataLimit, expected) => {
    const plan = { ...PLAN, dataLimit, addRemainingTraffic: true };
    expect(withNextPlan({ ...USED_UP, ...used }, plan, NOW).dataLimit).toBe(expected);
    expect(withNextPlan({ ...USED_UP, ...used }, { ...plan, addRemainingTraffic: false }, NOW).dataLimit).toBe(
      dataLimit,
    );
  });

  it('after the next plan begins, a user of any status is active or on hold', () => {
    const states = fc.record({
      status: fc.constantFrom(...USER_STATUSES),
      expire: fc.option(fc.integer({ min: -5, max: 5 }).map(later), { nil: null }),
      dataLimit: fc.integer({ min: 0, max: 5 }),
      usedTraffic: fc.integer({ min: 0, max: 9 }),
      onHoldExpireDuration: fc.option(fc.integer({ min: 1, max: 5 }), { nil: null }),
      onHoldTimeout: fc.option(fc.integer({ min: -5, max: 5 }).map(later), { nil: null }),
    });
    fc.assert(
      fc.property(
        states,
        fc.nat(5),
        fc.nat(5),
        fc.boolean(),
        (state, expireDuration, dataLimit, addRemainingTraffic) => {
          const after = withNextPlan(state, { ...PLAN, expireDuration, dataLimit, addRemainingTraffic }, NOW);
          expect(after).toMatchObject({
            status: 'active',
            usedTraffic: 0,
            onHoldExpireDuration: null,
            onHoldTimeout: null,
          });
          expect(after.expire).toEqual(expireDuration === 0 ? null : later(expireDuration));
        },
      ),
    );
  });
});
