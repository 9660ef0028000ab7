import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CHOSEN_STATUSES, holdProblem, settleUserState, type UserState, withChosenStatus } from './user-state.js';
import { USER_STATUSES } from './user-status.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const PAST = later(-1);
const FUTURE = later(1);

const user = (state: Partial<UserState>): UserState => ({
  status: 'active',
  expire: null,
  dataLimit: 0,
  usedTraffic: 0,
  onHoldExpireDuration: null,
  onHoldTimeout: null,
  ...state,
});

const moments = fc.option(fc.integer({ min: -5, max: 5 }).map(later), { nil: null });
const states: fc.Arbitrary<UserState> = fc.record({
  status: fc.constantFrom(...USER_STATUSES),
  expire: moments,
  dataLimit: fc.integer({ min: 0, max: 5 }),
  usedTraffic: fc.integer({ min: 0, max: 5 }),
  onHoldExpireDuration: fc.option(fc.integer({ min: 1, max: 5 }), { nil: null }),
  onHoldTimeout: moments,
});
const chosen = fc.constantFrom(...CHOSEN_STATUSES);

describe(holdProblem, () => {
  it.each([
    [{ status: 'active', expire: PAST }, undefined],
    [{ status: 'on_hold', onHoldExpireDuration: 60 }, undefined],
    [{ status: 'on_hold' }, 'User cannot be on hold without a valid on_hold_expire_duration'],
    [{ status: 'on_hold', onHoldExpireDuration: 0 }, 'User cannot be on hold without a valid on_hold_expire_duration'],
    [{ status: 'on_hold', onHoldExpireDuration: 60, expire: PAST }, 'User cannot be on hold with specified expire'],
  ] as const)('holdProblem of %j is %s', (state, problem) => {
    expect(holdProblem(user(state))).toBe(problem);
  });
});

describe(settleUserState, () => {
  it.each([
    ['active', {}, 'active'],
    ['active', { expire: FUTURE, dataLimit: 10, usedTraffic: 9 }, 'active'],
    ['active', { expire: NOW }, 'expired'],
    ['active', { dataLimit: 10, usedTraffic: 10 }, 'limited'],
    ['active', { expire: PAST, dataLimit: 10, usedTraffic: 11 }, 'expired'],
    ['active', { usedTraffic: 11 }, 'active'],
    ['expired', { expire: FUTURE }, 'active'],
    ['expired', { dataLimit: 10, usedTraffic: 10 }, 'limited'],
    ['limited', { dataLimit: 11, usedTraffic: 10 }, 'active'],
    ['limited', { expire: PAST }, 'expired'],
    ['disabled', { expire: PAST, dataLimit: 1, usedTraffic: 1 }, 'disabled'],
    ['on_hold', { onHoldExpireDuration: 60, dataLimit: 1, usedTraffic: 1 }, 'on_hold'],
    ['on_hold', { onHoldExpireDuration: 60, onHoldTimeout: FUTURE }, 'on_hold'],
  ] as const)('settleUserState makes a user who is %s with %j one who is %s', (status, state, expected) => {
    expect(settleUserState(user({ ...state, status }), NOW)).toEqual(user({ ...state, status: expected }));
  });

  it('a hold ends at its timeout, and the duration begins then', () => {
    const held = user({ status: 'on_hold', onHoldExpireDuration: 60, onHoldTimeout: NOW });
    expect(settleUserState(held, NOW)).toEqual(user({ status: 'active', expire: later(60) }));
    expect(settleUserState({ ...held, dataLimit: 1, usedTraffic: 1 }, NOW).status).toBe('limited');
  });

  it('settleUserState is idempotent, and no user is active beyond the terms', () => {
    fc.assert(
      fc.property(states, (state) => {
        const after = settleUserState(state, NOW);
        expect(settleUserState(after, NOW)).toEqual(after);
        expect(after.status === 'disabled').toBe(state.status === 'disabled');
        if (after.status === 'active') {
          expect(after.expire === null || after.expire > NOW).toBe(true);
          expect(after.dataLimit === 0 || after.usedTraffic < after.dataLimit).toBe(true);
        }
        expect([after.dataLimit, after.usedTraffic]).toEqual([state.dataLimit, state.usedTraffic]);
      }),
    );
  });

  it('more time or more traffic never ends the service of a user', () => {
    fc.assert(
      fc.property(states, fc.nat(9), fc.nat(9), (state, seconds, bytes) => {
        const more = {
          ...state,
          expire: state.expire && new Date(state.expire.getTime() + seconds * 1000),
          dataLimit: state.dataLimit && state.dataLimit + bytes,
        };
        if (settleUserState(state, NOW).status === 'active') expect(settleUserState(more, NOW).status).toBe('active');
      }),
    );
  });
});

describe(withChosenStatus, () => {
  it.each([
    ['a hold ends now', { status: 'on_hold', onHoldExpireDuration: 60, onHoldTimeout: FUTURE }, { expire: later(60) }],
    [
      'a hold that was given an end keeps it',
      { status: 'on_hold', onHoldExpireDuration: 60, expire: FUTURE },
      { expire: FUTURE },
    ],
    ['a disabled user is served again', { status: 'disabled', expire: FUTURE }, { expire: FUTURE }],
    [
      'a disabled hold goes on',
      { status: 'disabled', onHoldExpireDuration: 60, onHoldTimeout: FUTURE },
      { status: 'on_hold', onHoldExpireDuration: 60, onHoldTimeout: FUTURE },
    ],
    ['an expired user stays expired', { status: 'disabled', expire: PAST }, { status: 'expired', expire: PAST }],
    [
      'a limited user stays limited',
      { status: 'limited', dataLimit: 1, usedTraffic: 1 },
      { status: 'limited', dataLimit: 1, usedTraffic: 1 },
    ],
    ['a duration without a hold is dropped', { status: 'active', onHoldExpireDuration: 60 }, {}],
  ] as const)('withChosenStatus activates a user: %s', (_, state, expected) => {
    expect(withChosenStatus(user(state), 'active', NOW)).toEqual(user(expected));
  });

  it('any user can be disabled, and the terms stay', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(withChosenStatus(state, 'disabled', NOW)).toEqual({ ...state, status: 'disabled' });
      }),
    );
  });

  it('a chosen status is settled, and an active user has no hold', () => {
    fc.assert(
      fc.property(states, chosen, (state, status) => {
        const after = withChosenStatus(state, status, NOW);
        expect(settleUserState(after, NOW)).toEqual(after);
        if (after.status !== 'active') return;
        expect([after.onHoldExpireDuration, after.onHoldTimeout]).toEqual([null, null]);
      }),
    );
  });
});
