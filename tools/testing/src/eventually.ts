import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Repeats a check until it returns neither undefined nor false, and returns that value; fails with `what` after `withinMs`. */
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
    await setTimeout(5);
  }
}

/** Waits until a condition holds; fails with the source text of the condition. */
export async function until(condition: () => Promise<boolean> | boolean, withinMs?: number): Promise<void> {
  await eventually(`${condition}`, condition, withinMs);
}
