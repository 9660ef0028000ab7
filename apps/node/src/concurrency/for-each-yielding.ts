import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Maximum time of work in one turn of the event loop. */
const MAX_TURN_MS = 4;

/** Calls `work` for each item, and lets other events run every few milliseconds. */
export async function forEachYielding<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let until = performance.now() + MAX_TURN_MS;
  for (const item of items) {
    work(item);
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + MAX_TURN_MS;
  }
}
