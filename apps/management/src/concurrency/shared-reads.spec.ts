import { describe, expect, it } from '@jest/globals';
import { SharedReads } from './shared-reads.js';

describe(SharedReads.name, () => {
  it('reads once for callers that ask before the read begins', async () => {
    const reads = new SharedReads<number>();
    let count = 0;
    const read = () => Promise.resolve(++count);
    expect(await Promise.all([reads.read('a', read), reads.read('a', read), reads.read('b', read)])).toEqual([1, 1, 2]);
  });

  it('reads again for a caller that asks while a read is under way', async () => {
    const reads = new SharedReads<number>();
    const begun: (() => void)[] = [];
    let count = 0;
    const read = () => new Promise<number>((resolve) => begun.push(() => resolve(++count)));
    const first = reads.read('a', read);
    while (begun.length === 0) await new Promise(setImmediate);
    const second = reads.read('a', read);
    while (begun.length === 1) await new Promise(setImmediate);
    for (const end of begun) end();
    expect([await first, await second]).toEqual([1, 2]);
  });

  it('reads again after a failure', async () => {
    const reads = new SharedReads<number>();
    await expect(reads.read('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(await reads.read('a', () => Promise.resolve(1))).toBe(1);
  });
});
