/** Limits how many tasks run at once. Further tasks wait in the order of their arrival. */
export class Semaphore {
  private readonly waiting = new Set<() => void>();

  constructor(private permits: number) {}

  /** @param signal aborts the wait, not a task that already runs */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.permits > 0) this.permits -= 1;
    else await this.waitForPermit(signal);
    try {
      return await task();
    } finally {
      const [next] = this.waiting;
      if (next) next();
      else this.permits += 1;
    }
  }

  private waitForPermit(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        this.waiting.delete(enter);
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.waiting.delete(enter);
        reject(signal?.reason);
      };
      this.waiting.add(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
