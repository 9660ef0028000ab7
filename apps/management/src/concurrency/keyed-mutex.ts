interface KeyQueue {
  length: number;
  end: Promise<unknown>;
}

export interface QueueLimit {
  /** Maximum number of queued calls per key; each one is held in memory. */
  readonly waiting: number;
  /** Creates the error that a call beyond this limit gets. */
  readonly refusal: () => Error;
}

/**
 * Runs calls with the same key one after another, in the order of their arrival. Calls with different keys run
 * concurrently.
 */
export class KeyedMutex<Key> {
  private readonly queues = new Map<Key, KeyQueue>();

  constructor(private readonly limit?: QueueLimit) {}

  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? { length: 0, end: Promise.resolve() };
    if (this.limit && queue.length > this.limit.waiting) throw this.limit.refusal();
    this.queues.set(key, queue);
    queue.length += 1;
    const turn = queue.end.then(work);
    queue.end = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) this.queues.delete(key);
    }
  }
}
