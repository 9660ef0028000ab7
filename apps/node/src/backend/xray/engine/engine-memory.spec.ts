import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { goMemoryLimit, memoryShortage } from './engine-memory.js';

const MIB = 2 ** 20;

describe(goMemoryLimit.name, () => {
  it.each([
    [256, '96MiB'],
    [512, '192MiB'],
    [1024, '384MiB'],
    [4096, '1920MiB'],
  ])('a memory limit of %d MiB leaves room for the node and a second engine: %s', (limit, share) => {
    expect(goMemoryLimit(limit * MIB)).toBe(share);
  });
});

describe(memoryShortage.name, () => {
  it('memory for a second engine is compared with the resident memory of the first', async () => {
    expect(await memoryShortage(process.pid, 2 ** 50)).toBeUndefined();
    expect(await memoryShortage(process.pid, MIB)).toMatch(
      /^a second engine would need \d+ MiB of memory, and there are 1 MiB$/,
    );
    const status = await readFile('/proc/self/status', 'utf8');
    expect(status).toMatch(/^VmRSS:\s*\d+ kB$/m);
    expect(await memoryShortage(undefined, 0)).toBeUndefined();
  });
});
