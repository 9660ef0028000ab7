import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SendWindow } from './send-window.js';

describe(SendWindow.name, () => {
  it('limits the tasks, and keeps the order within a key', async () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
    await fc.assert(
      fc.asyncProperty(keys, fc.integer({ min: 1, max: 4 }), fc.scheduler(), async (items, size, scheduler) => {
        const window = new SendWindow(size);
        const running = new Set<string>();
        const done: [key: string, index: number][] = [];
        const all = (async () => {
          for (const [index, key] of items.entries()) {
            await window.begin(key, async () => {
              expect(running.has(key)).toBe(false);
              running.add(key);
              expect(running.size).toBeLessThanOrEqual(size);
              await scheduler.schedule(Promise.resolve());
              running.delete(key);
              done.push([key, index]);
            });
          }
          await window.end();
        })();
        await scheduler.waitFor(all);
        expect(done.length).toBe(items.length);
        for (const key of items) {
          const order = done.filter(([of]) => of === key).map(([, index]) => index);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('begins no task after a failure, and throws the first error', async () => {
    const window = new SendWindow(2);
    const begun: string[] = [];
    const work = (key: string, error: Error) =>
      window.begin(key, () => {
        begun.push(key);
        return Promise.reject(error);
      });
    await Promise.all([work('a', new Error('first')), work('b', new Error('second'))]);
    await expect(work('c', new Error('third'))).rejects.toThrow('first');
    await expect(window.end()).rejects.toThrow('first');
    expect(begun).toEqual(['a', 'b']);
    expect(window.signal.aborted).toBe(true);
  });
});
