import { beforeEach, describe, expect, it } from '@jest/globals';
import { BatchLoader } from './batch-loader.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Waits as many turns of the event loop as a batch waits for more keys at most, and the work that follows. */
const asked = async () => {
  for (let turns = 0; turns < 4; turns += 1) await turn();
};

/** A loader that doubles even numbers and has no value for odd ones; each batch ends when the test calls `end`. */
class Doubling {
  readonly asked: (readonly number[])[] = [];
  /** One entry per opened connection: `open`, or how it ended. */
  readonly opened: string[] = [];
  isOut = false;
  private readonly ends: (() => void)[] = [];

  readonly batch = new BatchLoader<number, number>(async (work) => {
    if (this.isOut) throw new Error('out of reach');
    this.opened.push('open');
    await work(this.ask).then(
      () => this.close('closed'),
      () => this.close('thrown away'),
    );
  });

  private readonly ask = async (questions: readonly number[]) => {
    this.asked.push(questions);
    await new Promise<void>((resolve) => this.ends.push(resolve));
    if (questions.includes(13)) throw new Error('unlucky');
    return questions.map((question) => (question % 2 === 0 ? 2 * question : undefined));
  };

  private close(how: string): void {
    this.opened[this.opened.length - 1] = how;
  }

  answersTo(...questions: number[]): Promise<(number | undefined)[]> {
    return Promise.all(questions.map((question) => this.batch.load(question)));
  }

  /** Ends the batch that is being loaded, and waits until the next one begins. */
  async end(): Promise<void> {
    this.ends.shift()?.();
    await asked();
  }
}

let doubling: Doubling;
beforeEach(() => {
  doubling = new Doubling();
});

describe(BatchLoader.name, () => {
  it('loads concurrent keys together, and keys that arrive meanwhile in the next batch', async () => {
    const first = doubling.answersTo(2, 3);
    await asked();
    const second = doubling.answersTo(4, 6, 4);
    expect(doubling.asked).toEqual([[2, 3]]);
    await doubling.end();
    expect(await first).toEqual([4, undefined]);
    expect(doubling.asked).toEqual([
      [2, 3],
      [4, 6, 4],
    ]);
    await doubling.end();
    expect(await second).toEqual([8, 12, 8]);
    expect(doubling.opened).toEqual(['closed']);
  });

  it('waits two more turns when a batch has fewer than four keys', async () => {
    const answers = [doubling.answersTo(2)];
    await turn();
    answers.push(doubling.answersTo(4));
    await turn();
    expect(doubling.asked).toEqual([]);
    answers.push(doubling.answersTo(6));
    await asked();
    expect(doubling.asked).toEqual([[2, 4, 6]]);
    await doubling.end();
    expect(await Promise.all(answers)).toEqual([[4], [8], [12]]);
  });

  it('does not wait when a batch has four keys', async () => {
    const answers = doubling.answersTo(2, 4, 6, 8);
    await turn();
    await Promise.resolve();
    expect(doubling.asked).toEqual([[2, 4, 6, 8]]);
    await doubling.end();
    expect(await answers).toEqual([4, 8, 12, 16]);
  });

  it('sends the next batch before callers get the values of the previous one', async () => {
    const first = doubling.answersTo(2).then(() => [...doubling.asked]);
    await asked();
    const second = doubling.answersTo(4);
    await doubling.end();
    expect(await first).toEqual([[2], [4]]);
    await doubling.end();
    await second;
  });

  it('closes when no key is pending, and opens again for the next one', async () => {
    const first = doubling.answersTo(2);
    await asked();
    await doubling.end();
    await first;
    const second = doubling.answersTo(4);
    await asked();
    await doubling.end();
    expect(await second).toEqual([8]);
    expect(doubling.opened).toEqual(['closed', 'closed']);
  });

  it('rejects the keys of a failed batch, and loads all others again', async () => {
    const unlucky = Promise.allSettled([13, 4].map((question) => doubling.batch.load(question)));
    await asked();
    const others = doubling.answersTo(6, 8);
    await doubling.end();
    expect(await unlucky).toMatchObject([
      { status: 'rejected', reason: { message: 'unlucky' } },
      { status: 'rejected', reason: { message: 'unlucky' } },
    ]);
    await doubling.end();
    expect(await others).toEqual([12, 16]);
    expect(doubling.opened).toEqual(['thrown away', 'closed']);
  });

  it('rejects pending keys when it cannot open, and tries again for the next one', async () => {
    doubling.isOut = true;
    await expect(doubling.answersTo(2, 4)).rejects.toThrow('out of reach');
    expect(doubling.asked).toEqual([]);
    doubling.isOut = false;
    const answers = doubling.answersTo(6);
    await asked();
    await doubling.end();
    expect(await answers).toEqual([12]);
  });

  it('loads at most 200 keys in a batch', async () => {
    const answers = doubling.answersTo(...Array.from({ length: 402 }, () => 2));
    await asked();
    for (let round = 0; round < 4; round += 1) await doubling.end();
    expect(await answers).toHaveLength(402);
    expect(doubling.asked.map(({ length }) => length)).toEqual([200, 200, 2]);
  });
});
