import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Waits until a check gives something other than undefined or false; fails with what was awaited. */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 10_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const result = await check();
    if (result !== undefined && result !== false) return result;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await setTimeout(10);
  }
}
