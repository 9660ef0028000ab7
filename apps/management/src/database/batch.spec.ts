import { describe, expect, it } from '@jest/globals';
import { Batch } from './batch.js';

/** Doubles numbers when it is told to, and knows no odd ones. */
function doubling() {
  const asked: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const batch = new Batch<number, number>(async (questions) => {
    asked.push(questions);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (questions.includes(13)) throw new Error('unlucky');
    return questions.map((question) => (question % 2 === 0 ? 2 * question : undefined));
  });
  /** Ends the question that is under way, and lets the next one begin. */
  const end = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { batch, asked, end };
}

describe('Batch', () => {
  it('asks for the first at once, and for all who come meanwhile together', async () => {
    const { batch, asked, end } = doubling();
    const answers = Promise.all([2, 4, 3, 4].map((question) => batch.answerTo(question)));
    expect(asked).toEqual([[2]]);
    await end();
    expect(asked).toEqual([[2], [4, 3, 4]]);
    await end();
    expect(await answers).toEqual([4, 8, undefined, 8]);
    const later = batch.answerTo(6);
    expect(asked).toEqual([[2], [4, 3, 4], [6]]);
    await end();
    expect(await later).toBe(12);
  });

  it('tells a failure to all who shared the question, and to nobody else', async () => {
    const { batch, end } = doubling();
    const results = Promise.allSettled([2, 13, 4].map((question) => batch.answerTo(question)));
    await end();
    const after = batch.answerTo(6);
    await end();
    await end();
    expect(await results).toMatchObject([
      { status: 'fulfilled', value: 4 },
      { status: 'rejected', reason: { message: 'unlucky' } },
      { status: 'rejected', reason: { message: 'unlucky' } },
    ]);
    expect(await after).toBe(12);
  });

  it('asks for no more than 200 at once', async () => {
    const { batch, asked, end } = doubling();
    const answers = Promise.all(Array.from({ length: 402 }, () => batch.answerTo(2)));
    for (let turn = 0; turn < 4; turn += 1) await end();
    expect(await answers).toHaveLength(402);
    expect(asked.map(({ length }) => length)).toEqual([1, 200, 200, 1]);
  });
});
