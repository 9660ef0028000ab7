interface KeyQueue {
  length: number;
  end: Promise<unknown>;
}

export interface QueueLimit {
  /** So many may wait, each of them in memory. */
  readonly waiting: number;
  /** What whoever comes beyond is told. */
  readonly refusal: () => Error;
}

/** Runs work under one key in the order in which it came, one after the other; under different keys at once. */
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
