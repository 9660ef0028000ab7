import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NodeSchedule } from './node-schedule.js';
import { NodeTiming } from './node-timing.js';

describe(NodeSchedule.name, () => {
  let pace: NodeSchedule;
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(1);
    pace = new NodeSchedule(new NodeTiming());
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  const done = () => {
    pace.healthChecked();
    pace.trafficCollected();
  };

  it('has every task due at the beginning, and then at its interval', () => {
    expect([pace.isHealthDue, pace.isCollectDue, pace.msUntilNextTask]).toEqual([true, true, 0]);
    done();
    expect([pace.isHealthDue, pace.isCollectDue, pace.msUntilNextTask]).toEqual([false, false, 1_000]);
    jest.advanceTimersByTime(1_000);
    expect([pace.isHealthDue, pace.isCollectDue, pace.msUntilNextTask]).toEqual([false, true, 0]);
    pace.trafficCollected();
    jest.advanceTimersByTime(9_000);
    expect(pace.isHealthDue).toBe(true);
    done();
    pace.requestHealthCheck();
    expect([pace.isHealthDue, pace.msUntilNextTask]).toEqual([true, 0]);
  });

  it.each([
    [0n, 1_000, 10_000],
    [60n, 1_000, 10_000],
    [6n, 1_000, 2_000],
    [1n, 1_000 / 3, 1_000 / 3],
  ])(
    'calls a node with a keep-alive of %s s at least every %s ms, and after failures every %s ms',
    (seconds, calm, failing) => {
      pace.setKeepAlive(seconds);
      done();
      expect(pace.msUntilNextTask).toBeCloseTo(calm);
      expect(pace.retryDelayMs(1)).toBeCloseTo(Math.min(500, failing));
      expect(pace.retryDelayMs(20)).toBeCloseTo(failing);
    },
  );

  it.each([
    [0, 0, 0n, 1_000],
    [5_000, 0, 0n, 1_000],
    [100_000, 0, 0n, 10_000],
    [100_000, 0, 6n, 2_000],
    [0, 1_000, 0n, 1_000],
    [0, 5_000, 0n, 5_000],
    [0, 100_000, 6n, 2_000],
  ])(
    'NodeSchedule, after %s counters were read or %s users recorded with a keep-alive of %s s, collects again in %s ms',
    (counters, recordedUsers, keepAlive, expected) => {
      pace.setKeepAlive(keepAlive);
      pace.healthChecked();
      pace.trafficCollected(counters, recordedUsers);
      expect(pace.msUntilNextTask).toBeCloseTo(expected);
    },
  );
});
