import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NodePace } from './node-pace.js';
import { NodeTiming } from './node-timing.js';

describe('NodePace', () => {
  let pace: NodePace;
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(1);
    pace = new NodePace(new NodeTiming());
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  const done = () => {
    pace.isHealthy();
    pace.collected();
  };

  it('begins with everything, and goes on in its times', () => {
    expect([pace.isHealthDue, pace.isCollectDue, pace.untilDue]).toEqual([true, true, 0]);
    done();
    expect([pace.isHealthDue, pace.isCollectDue, pace.untilDue]).toEqual([false, false, 5_000]);
    jest.advanceTimersByTime(5_000);
    expect([pace.isHealthDue, pace.isCollectDue, pace.untilDue]).toEqual([false, true, 0]);
    pace.collected();
    jest.advanceTimersByTime(5_000);
    expect(pace.isHealthDue).toBe(true);
    done();
    pace.askSoon();
    expect([pace.isHealthDue, pace.untilDue]).toEqual([true, 0]);
  });

  it.each([
    [0n, 5_000, 30_000],
    [60n, 5_000, 20_000],
    [6n, 2_000, 2_000],
    [1n, 1_000 / 3, 1_000 / 3],
  ])('with a keep-alive of %s s lets at most %s ms pass, and after failures %s', (seconds, calm, failing) => {
    pace.keepAlive(seconds);
    done();
    expect(pace.untilDue).toBeCloseTo(calm);
    expect(pace.pauseAfter(1)).toBeCloseTo(Math.min(500, failing));
    expect(pace.pauseAfter(20)).toBeCloseTo(failing);
  });

  it.each([
    [0, 0n, 5_000],
    [20_000, 0n, 5_000],
    [100_000, 0n, 10_000],
    [100_000, 6n, 2_000],
  ])('lets %s counters that were read rest with a keep-alive of %s s for %s ms', (counters, keepAlive, expected) => {
    pace.keepAlive(keepAlive);
    pace.isHealthy();
    pace.collected(counters);
    expect(pace.untilDue).toBeCloseTo(expected);
  });
});
