import { raceAbort } from '../../../concurrency/race-abort.js';
import { NodeError } from '../../../errors/node-error.js';

const MAX_RUNNING = 2;
const MAX_WAITING = 16;

/** Lets two probes run at a time, and a few wait, so that they take little from the users of the node. */
export class ProbeSlots {
  private readonly running = new Set<Promise<unknown>>();
  private waiting = 0;

  /** @throws NodeError TOO_MANY_PROBES; the reason of the signal */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.waiting >= MAX_WAITING) {
      throw new NodeError('TOO_MANY_PROBES', `${MAX_WAITING} probes are waiting already: try again later`);
    }
    this.waiting += 1;
    try {
      while (this.running.size >= MAX_RUNNING) await raceAbort(Promise.race(this.running), signal);
      signal.throwIfAborted();
    } finally {
      this.waiting -= 1;
    }
    const task = work();
    const ended = task.then(
      () => undefined,
      () => undefined,
    );
    this.running.add(ended);
    void ended.then(() => this.running.delete(ended));
    return task;
  }

  /** Resolves when none runs. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }
}
