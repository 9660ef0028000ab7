import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { FullSetPause } from './full-set-pause.js';
import { NodeTiming } from './node-timing.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe(FullSetPause.name, () => {
  let pause: FullSetPause;
  beforeEach(() => {
    jest.useFakeTimers({ now: new Date('2026-11-27T12:00:00Z') });
    pause = new FullSetPause(new NodeTiming());
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Has the node get a full set as soon as it may, and returns for how long it has waited. */
  const next = (): number => {
    const waited = pause.remainingMs;
    jest.advanceTimersByTime(waited);
    pause.setSent();
    return waited;
  };
  const seconds = (times: number): number[] => Array.from({ length: times }, () => Math.round(next() / 1000));

  it('security row 69: doubles the pause from five seconds to five minutes after seven full sets', () => {
    expect(seconds(16)).toEqual([0, 0, 0, 0, 0, 0, 0, 5, 10, 20, 38, 74, 135, 231, 300, 300]);
  });

  it('security row 69: lets a node have 24 full sets in the first hour, and 12 in each later one', () => {
    const inAnHour = () => {
      const end = performance.now() + HOUR;
      let sets = 0;
      for (; performance.now() + pause.remainingMs < end; sets += 1) next();
      jest.advanceTimersByTime(end - performance.now());
      return sets;
    };
    expect([inAnHour(), inAnHour(), inAnHour()]).toEqual([24, 12, 12]);
  });

  it('security row 69: lets a node have no more of them whenever it asks', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 * MINUTE }), { maxLength: 200 }), (waits) => {
        const own = new FullSetPause(new NodeTiming());
        const sent: number[] = [];
        for (const wait of waits) {
          jest.advanceTimersByTime(wait);
          if (own.remainingMs > 0) continue;
          own.setSent();
          sent.push(performance.now());
        }
        const within = sent.map((begin) => sent.filter((at) => at >= begin && at < begin + HOUR).length);
        expect(Math.max(0, ...within)).toBeLessThanOrEqual(24);
      }),
    );
  });

  it('delays no node that needs a few full sets an hour, however long it goes on', () => {
    for (let hour = 0; hour < 48; hour += 1) {
      expect(seconds(6)).toEqual([0, 0, 0, 0, 0, 0]);
      jest.advanceTimersByTime(HOUR);
    }
  });

  it('security row 69: forgets a full set each ten minutes, and not because one was taken well', () => {
    seconds(16);
    jest.advanceTimersByTime(10 * MINUTE);
    expect(seconds(2)).toEqual([0, 300]);
    jest.advanceTimersByTime(2 * HOUR);
    expect(seconds(6)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('says until when it lasts', () => {
    expect(pause.text).toBeUndefined();
    seconds(8);
    expect(pause.text).toBe(
      'it has needed the full set of users 8 times lately: it gets the next one after 2026-11-27T12:00:14Z',
    );
    jest.advanceTimersByTime(10_000);
    expect(pause.text).toBeUndefined();
  });
});
