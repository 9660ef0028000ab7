import { afterEach, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { DelayedGarbageCollection } from './delayed-gc.js';

const MIB = 2 ** 20;
const tidying = new DelayedGarbageCollection(0);
afterEach(() => tidying.cancel());

it('unreferenced memory is collected after the delay', async () => {
  const before = process.memoryUsage().arrayBuffers;
  let garbage: Buffer[] | undefined = Array.from({ length: 24 }, () => Buffer.alloc(MIB));
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(garbage.length * MIB - 1);
  garbage = undefined;
  tidying.schedule();
  await eventually('it is given back', (saw) => saw(process.memoryUsage().arrayBuffers) < before + 12 * MIB);
});
