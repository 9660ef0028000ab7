import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

const FIRST_PAUSE_MS = 5;
/** Checks often start requests or read files, so a longer wait has longer pauses. */
const MAX_PAUSE_MS = 25;

/** Repeats a check until it returns neither undefined nor false. Returns that; fails with `what` after `withinMs`. */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.1, MAX_PAUSE_MS)) {
    const result = await check();
    if (result !== undefined && result !== false) return result;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await setTimeout(pauseMs);
  }
}

/** Waits until a condition holds; fails with the source text of the condition. */
export async function until(condition: () => Promise<boolean> | boolean, withinMs?: number): Promise<void> {
  await eventually(`${condition}`, condition, withinMs);
}
