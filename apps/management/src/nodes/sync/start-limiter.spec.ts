import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StartLimiter } from './start-limiter.js';

const HANGING = [1, 2, 3, 4, 5];
const PROMPT = [6, 7, 8, 9, 10, 11];

describe('StartLimiter', () => {
  const { signal } = new AbortController();
  let limiter: StartLimiter;
  let begun: number[];
  let ends: (() => void)[];
  /** Nodes that were called while they waited. */
  let called: number[];

  beforeEach(() => {
    jest.useFakeTimers();
    limiter = new StartLimiter();
    begun = [];
    ends = [];
    called = [];
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const end = () => {
    for (const settle of ends.splice(0)) settle();
  };

  /** A task that runs until `end` is called. */
  const start = (nodeId: number, error?: Error) =>
    limiter
      .run(
        nodeId,
        {
          info: () => {
            called.push(nodeId);
            return Promise.reject(new Error('no answer'));
          },
        },
        () => {
          begun.push(nodeId);
          return new Promise<void>((resolve, reject) => {
            ends.push(() => (error ? reject(error) : resolve()));
          });
        },
        signal,
      )
      .catch(() => undefined);

  /** Has all nodes fail once after a time. */
  async function fail(nodeIds: readonly number[], milliseconds: number): Promise<void> {
    const failures = nodeIds.map((id) => start(id, new Error('failed')));
    while (begun.length < nodeIds.length) await round(milliseconds);
    await round(milliseconds);
    await Promise.all(failures);
    begun = [];
  }

  async function round(milliseconds: number): Promise<void> {
    jest.advanceTimersByTime(milliseconds);
    end();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }

  it('StartLimiter runs four tasks at once, also of nodes that failed quickly', async () => {
    await fail(HANGING, 10_000);
    const starts = [...HANGING, ...PROMPT].map((id) => start(id));
    expect(begun).toEqual([1, 2, 3, 4]);
    await round(0);
    expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await round(0);
    end();
    await Promise.all(starts);
  });

  it('StartLimiter runs tasks of nodes that failed slowly one at a time, until they succeed', async () => {
    await fail(HANGING, 10_001);
    const starts = [...HANGING, ...PROMPT].map((id) => start(id));
    expect(begun).toEqual([1, 6, 7, 8, 9]);
    for (let turn = 0; turn < HANGING.length; turn += 1) await round(60_000);
    await Promise.all(starts);
    begun = [];
    const again = HANGING.map((id) => start(id));
    expect(begun).toEqual([1, 2, 3, 4]);
    await round(0);
    end();
    await Promise.all(again);
  });

  it('StartLimiter calls waiting nodes so that their engines keep running, and no node whose task runs', async () => {
    const starts = HANGING.map((id) => start(id));
    const leaver = new AbortController();
    const leaving = limiter.run(
      6,
      { info: () => Promise.reject(called.push(6)) },
      () => Promise.resolve(),
      leaver.signal,
    );
    jest.advanceTimersByTime(10_000);
    expect(called).toEqual([5, 6, 5, 6]);
    leaver.abort(new Error('enough'));
    await expect(leaving).rejects.toThrow('enough');
    await round(0);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    jest.advanceTimersByTime(60_000);
    expect(called).toEqual([5, 6, 5, 6]);
    end();
    await Promise.all(starts);
  });
});
