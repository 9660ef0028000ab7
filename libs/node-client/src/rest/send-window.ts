/** Runs a limited number of tasks at once, and tasks with the same key one after another. The first failure ends all. */
export class SendWindow {
  private readonly running = new Map<string, Promise<void>>();
  private failed: { readonly error: unknown } | undefined;
  private readonly ending = new AbortController();
  /** Signal for the tasks, aborted by the first failure or by `abandon()`. */
  readonly signal: AbortSignal = this.ending.signal;

  constructor(private readonly size: number) {}

  /** Resolves when the task has begun; throws the error of an earlier task. */
  async begin(key: string, work: () => Promise<void>): Promise<void> {
    while (this.running.has(key) || this.running.size >= this.size) {
      await (this.running.get(key) ?? Promise.race(this.running.values()));
    }
    this.throwIfFailed();
    const done = work()
      .catch((error: unknown) => {
        this.failed ??= { error };
        this.abandon();
      })
      .finally(() => this.running.delete(key));
    this.running.set(key, done);
  }

  /** Resolves when all tasks are done; throws the error of a failed one. */
  async end(): Promise<void> {
    await Promise.all(this.running.values());
    this.throwIfFailed();
  }

  /** Aborts all running tasks. */
  abandon(): void {
    this.ending.abort();
  }

  private throwIfFailed(): void {
    if (this.failed) throw this.failed.error;
  }
}
