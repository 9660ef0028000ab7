import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StartLimiter } from './start-limiter.js';

const MINUTE = 60_000;

/** The numbers from one to another. */
const ids = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe(StartLimiter.name, () => {
  const { signal } = new AbortController();
  let limiter: StartLimiter;
  let begun: number[];
  let failed: string[];
  /** Nodes that have not answered yet. */
  let answers: Map<number, () => void>;
  /** Nodes that were called while they waited. */
  let called: number[];
  const client = (nodeId: number) => ({
    info: () => {
      called.push(nodeId);
      return Promise.reject(new Error('no answer'));
    },
  });

  beforeEach(() => {
    jest.useFakeTimers();
    limiter = new StartLimiter();
    [begun, failed, called, answers] = [[], [], [], new Map()];
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const settled = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const pass = async (milliseconds: number) => {
    await jest.advanceTimersByTimeAsync(milliseconds);
    await settled();
  };

  /** Begins starts, which go on until the node answers or the start is given up. */
  const start = async (...nodeIds: number[]) => {
    for (const nodeId of nodeIds) {
      const work = (given: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          begun.push(nodeId);
          answers.set(nodeId, resolve);
          given.addEventListener('abort', () => reject(new Error('the call was cancelled')), { once: true });
        }).finally(() => answers.delete(nodeId));
      limiter
        .run(nodeId, client(nodeId), (place) => place.timed(work), signal)
        .catch(({ message }: Error) => failed.push(`${nodeId}: ${message}`));
    }
    await settled();
  };
  const answer = async (...nodeIds: number[]) => {
    for (const nodeId of nodeIds) answers.get(nodeId)?.();
    await settled();
  };
  /** Nodes that hold a full set now. */
  const running = () => [...answers.keys()];

  it('starts four nodes at once, in the order in which they came', async () => {
    await start(...ids(1, 10));
    expect(running()).toEqual([1, 2, 3, 4]);
    await answer(2);
    expect(running()).toEqual([1, 3, 4, 5]);
    await answer(1, 3, 4, 5);
    expect(running()).toEqual([6, 7, 8, 9]);
  });

  it('security row 68: gives the places of nodes that answer late on to others after ten seconds', async () => {
    await start(...ids(1, 9));
    await pass(9_999);
    expect(running()).toEqual([1, 2, 3, 4]);
    await pass(1);
    expect(running()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await answer(5);
    expect(running()).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
    await answer(...ids(1, 9));
    expect(failed).toEqual([]);
  });

  it('security row 68: never has more than eight full sets, and gives up starts of late nodes where others wait', async () => {
    await start(...ids(1, 13));
    await pass(10_000);
    expect(running()).toEqual(ids(1, 8));
    await pass(10_000);
    expect(running()).toEqual([...ids(1, 4), ...ids(9, 12)]);
    expect(failed).toEqual(
      ids(5, 8).map(
        (id) =>
          `${id}: it had not taken its full set of users after 10 s, while other nodes waited: it takes turns with other slow nodes now`,
      ),
    );
    await answer(9);
    expect(running()).toEqual([...ids(1, 4), ...ids(10, 13)]);
  });

  it('lets a late node go on where nobody waits for its place', async () => {
    await start(...ids(1, 4));
    await pass(8 * MINUTE);
    expect([running(), failed]).toEqual([ids(1, 4), []]);
    await start(5);
    expect([running(), failed]).toEqual([ids(1, 5), []]);
  });

  it('security row 68: starts nodes that were late, whether they answered or not, in four places of their own for an hour', async () => {
    await start(...ids(1, 6));
    await pass(10_001);
    await answer(...ids(1, 6));
    begun = [];
    await start(...ids(1, 4), 11, 5, 6, ...ids(12, 15));
    expect(running()).toEqual([1, 2, 3, 4, 11, 5, 6, 12]);
    await answer(...ids(1, 15));
    await answer(...ids(1, 15));
    await pass(60 * MINUTE);
    await start(...ids(1, 5));
    expect(running()).toEqual([1, 2, 3, 4]);
  });

  it('security row 68: whatever ten of a hundred nodes do, the others have waited half a minute at most', async () => {
    const late = new Set([3, 5, 8, 13, 21, 34, 55, 89, 90, 91]);
    const waited = new Map<number, number>();
    await start(...ids(1, 100));
    for (let second = 0; second < 120; second += 1) {
      for (const nodeId of running()) {
        if (late.has(nodeId)) continue;
        if (!waited.has(nodeId)) waited.set(nodeId, second);
        await answer(nodeId);
      }
      await pass(1_000);
      // Who was given up comes again at once.
      await start(...failed.splice(0).map((line) => Number.parseInt(line, 10)));
    }
    expect(waited.size).toBe(90);
    // The others need 90 / 4 seconds by themselves.
    expect(Math.max(...waited.values())).toBeLessThanOrEqual(90 / 4 + 30);
    await answer(...running());
  });

  it('security row 85: gives slow places on after a minute, first to those who have held them for the shortest time', async () => {
    // Four slow nodes hold all slow places, and the fifth has become slow meanwhile.
    await start(...ids(1, 8));
    await pass(10_000);
    expect(running()).toEqual(ids(1, 8));
    await pass(10_000);
    await start(9);
    expect(failed.splice(0)).toEqual([expect.stringMatching(/^5: /)]);
    await answer(...ids(6, 9));
    await start(5);
    expect(running()).toEqual(ids(1, 4));
    await pass(MINUTE - 20_001);
    expect([running(), failed]).toEqual([ids(1, 4), []]);
    await pass(1);
    expect(running()).toEqual([2, 3, 4, 5]);
    expect(failed).toEqual([
      '1: it had not taken its full set of users after 60 s, while other slow nodes waited: these take turns, which grow longer',
    ]);
    // Who has held a place for a minute has to wait until another one has had it for two.
    await start(1);
    await pass(MINUTE - 1);
    expect(running()).toEqual([2, 3, 4, 5]);
    await pass(1);
    expect(running()).toEqual([3, 4, 5, 1]);
    expect(failed.at(-1)).toContain('after 120 s, while other slow nodes waited');
  });

  /** How long a slow node takes to start beside others, which hold their places until they answer or are given up. */
  const secondsBeside = async (others: number, neededMs: number, answerMs = Number.POSITIVE_INFINITY) => {
    const honest = 1_000;
    const since = new Map<number, number>();
    // Who was given up comes again at once.
    const startAgain = () => start(...failed.splice(0).map((line) => Number.parseInt(line, 10)));
    await start(honest);
    await pass(10_001);
    await answer(honest);
    await start(...ids(1, others));
    await pass(5 * MINUTE);
    await startAgain();
    await start(honest);
    for (let second = 0; second < 3_600; second += 1) {
      for (const id of since.keys()) if (!running().includes(id)) since.delete(id);
      for (const id of running()) {
        since.set(id, since.get(id) ?? second);
        const heldMs = (second - (since.get(id) ?? second)) * 1_000;
        if (id === honest && heldMs >= neededMs) return second;
        if (id !== honest && heldMs >= answerMs) {
          await answer(id);
          since.delete(id);
          await start(id);
        }
      }
      await pass(1_000);
      await startAgain();
    }
    return Number.POSITIVE_INFINITY;
  };

  it.each([
    [4, 30, 30],
    [12, 30, 95],
    [12, 100, 165],
    [40, 30, 515],
    [40, 100, 585],
  ])(
    'security row 85: beside %i nodes that never finish, a slow one that needs %i s has started after %i s at most',
    async (others, needs, most) => {
      expect(await secondsBeside(others, needs * 1_000)).toBeLessThanOrEqual(most);
      await answer(...running());
    },
  );

  it.each([
    [12, 100, 285],
    [40, 100, 1_180],
  ])(
    'security row 85: beside %i nodes that take a minute again and again, a slow one that needs %i s has started after %i s at most',
    async (others, needs, most) => {
      expect(await secondsBeside(others, needs * 1_000, 59_000)).toBeLessThanOrEqual(most);
      await answer(...running());
    },
  );

  it('counts no time that management needs before the node has anything', async () => {
    const reading: (() => void)[] = [];
    const read = () => new Promise<void>((resolve) => reading.push(resolve));
    for (const id of ids(1, 5)) void limiter.run(id, client(id), read, signal);
    await pass(10 * MINUTE);
    expect(reading).toHaveLength(4);
    for (let turn = 0; turn < 2; turn += 1) {
      for (const end of reading.splice(0)) end();
      await settled();
    }
    await start(...ids(1, 5));
    expect(running()).toEqual([1, 2, 3, 4]);
  });

  it('calls waiting nodes so that their engines keep running, and no node whose task runs', async () => {
    await start(...ids(1, 5));
    const leaver = new AbortController();
    const leaving = limiter.run(6, client(6), () => Promise.resolve(), leaver.signal);
    await pass(9_999);
    expect(called).toEqual([5, 6]);
    leaver.abort(new Error('enough'));
    await expect(leaving).rejects.toThrow('enough');
    await answer(1);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    await pass(MINUTE);
    expect(called).toEqual([5, 6]);
  });
});
