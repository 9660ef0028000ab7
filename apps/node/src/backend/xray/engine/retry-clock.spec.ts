import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { jitteredPauseMs } from './pause.js';
import { RetryClock } from './retry-clock.js';

const MINUTE = 60_000;
const STABLE_MS = 30_000;

describe(RetryClock.name, () => {
  let due: number[];
  let clock: RetryClock;

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    // The longest pauses.
    jest.spyOn(Math, 'random').mockReturnValue(1);
    due = [];
    clock = new RetryClock({ stableMs: STABLE_MS, onDue: () => due.push(Date.now() / MINUTE) });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('security row 83: the pauses grow from a minute to half an hour, and begin anew after a success', () => {
    const pauses: number[] = [];
    for (let tries = 0; tries < 8; tries += 1) {
      clock.start();
      const before = Date.now();
      expect(clock.nextTry).toBeDefined();
      jest.runOnlyPendingTimers();
      pauses.push((Date.now() - before) / MINUTE);
      clock.countTry();
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    clock.reset();
    clock.start();
    jest.advanceTimersByTime(MINUTE);
    expect(due).toHaveLength(9);
  });

  it('an engine that is replaced or ends does not put the next try off, but has to run for a while before it', () => {
    clock.start();
    jest.advanceTimersByTime(20_000);
    clock.stop();
    clock.start();
    expect(clock.nextTry?.getTime()).toBe(MINUTE);
    jest.advanceTimersByTime(35_000);
    clock.stop();
    jest.advanceTimersByTime(10 * MINUTE);
    expect(due).toEqual([]);
    clock.start();
    jest.advanceTimersByTime(STABLE_MS - 1);
    expect(due).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(due).toHaveLength(1);
  });

  it('a try that was not possible comes again after the same pause', () => {
    clock.start();
    jest.advanceTimersByTime(MINUTE);
    clock.postpone();
    jest.advanceTimersByTime(MINUTE);
    expect(due).toEqual([1, 2]);
  });

  it('a try that is brought forward comes a minute after the last one at the earliest', () => {
    for (let tries = 0; tries < 8; tries += 1) clock.countTry();
    clock.start();
    clock.hasten();
    jest.advanceTimersByTime(MINUTE - 1);
    expect(due).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(due).toEqual([1]);
    jest.advanceTimersByTime(10 * MINUTE);
    clock.postpone();
    clock.hasten();
    jest.advanceTimersByTime(STABLE_MS);
    expect(due).toEqual([1, 11.5]);
  });

  it('half of each pause is by chance', () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const longest = Math.min(30, 2 ** failures);
        const pause = jitteredPauseMs(failures, 1, 30, random);
        expect(pause).toBeGreaterThanOrEqual(longest / 2);
        expect(pause).toBeLessThanOrEqual(longest);
      }),
    );
  });
});
