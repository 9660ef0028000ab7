import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RefusedCallsLog } from './refused-calls-log.js';

describe(RefusedCallsLog.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('the first refused call is logged at once, then their number once a minute, and nothing while there are none', () => {
    const told: string[] = [];
    const refused = new RefusedCallsLog((text) => told.push(text));
    for (let calls = 0; calls < 1000; calls += 1) expect(refused.recordRefusal()).toBe(false);
    expect(told.splice(0)).toEqual(['a call with a wrong or no API key was refused']);
    jest.advanceTimersByTime(60_000);
    expect(told.splice(0)).toEqual(['999 more calls with a wrong or no API key were refused in the last minute']);
    jest.advanceTimersByTime(3_600_000);
    expect(told).toEqual([]);
    refused.recordRefusal();
    expect(told).toEqual(['a call with a wrong or no API key was refused']);
  });

  it('a node that has ended logs no refused call any more', () => {
    const told: string[] = [];
    const refused = new RefusedCallsLog((text) => told.push(text));
    for (let calls = 0; calls < 2; calls += 1) refused.recordRefusal();
    refused.stop();
    jest.advanceTimersByTime(60_000);
    expect(told).toEqual(['a call with a wrong or no API key was refused']);
  });
});
