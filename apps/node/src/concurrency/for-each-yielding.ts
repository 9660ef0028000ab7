import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** So long may work hold up everything else. */
const MAX_TURN_MS = 4;

/** Works on one item after another, with whatever else there is to do let in now and then. */
export async function forEachYielding<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let until = performance.now() + MAX_TURN_MS;
  for (const item of items) {
    work(item);
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + MAX_TURN_MS;
  }
}
