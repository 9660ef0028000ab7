import { describe, expect, it } from '@jest/globals';
import { batchAvailable, splitAtRepeats } from './batches.js';

async function collect<T>(batches: AsyncIterable<T[]>): Promise<T[][]> {
  const all: T[][] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

describe(batchAvailable.name, () => {
  it('available items are grouped up to the limit', async () => {
    expect(await collect(batchAvailable([1, 2, 3, 4, 5], 2))).toEqual([[1, 2], [3, 4], [5]]);
    expect(await collect(batchAvailable([1, 2], 2))).toEqual([[1, 2]]);
    expect(await collect(batchAvailable([], 2))).toEqual([]);
  });

  it('a batch does not wait for more items than are available', async () => {
    let more = (): void => {};
    const waited = new Promise<void>((resolve) => {
      more = resolve;
    });
    async function* slow() {
      yield 1;
      await waited;
      yield 2;
    }
    const batches = batchAvailable(slow(), 10);
    expect((await batches.next()).value).toEqual([1]);
    more();
    expect((await batches.next()).value).toEqual([2]);
    expect((await batches.next()).done).toBe(true);
  });

  it('hands over the items before an error, then the error', async () => {
    async function* broken() {
      yield 1;
      throw new Error('cut');
    }
    const batches = batchAvailable(broken(), 1);
    expect((await batches.next()).value).toEqual([1]);
    await expect(batches.next()).rejects.toThrow('cut');
  });

  it('an error of the batch reader is passed on while the source waits', async () => {
    async function* silent() {
      yield 1;
      await new Promise(() => undefined);
    }
    const reading = async () => {
      for await (const _batch of batchAvailable(silent(), 10)) throw new Error('enough');
    };
    await expect(reading()).rejects.toThrow('enough');
  });

  it('the source of batches is ended when its reader stops', async () => {
    let ended = false;
    async function* endless() {
      try {
        for (;;) yield 1;
      } finally {
        ended = true;
      }
    }
    for await (const _batch of batchAvailable(endless(), 2)) break;
    expect(ended).toBe(true);
  });
});

describe(splitAtRepeats.name, () => {
  it('a list is split before a repeated name, in its order', () => {
    const cut = (text: string) => [...splitAtRepeats([...text], (letter) => letter)].map((part) => part.join(''));
    expect(cut('abcabd')).toEqual(['abc', 'abd']);
    expect(cut('aab')).toEqual(['a', 'ab']);
    expect(cut('')).toEqual([]);
  });
});
