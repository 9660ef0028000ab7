/** Runs so many pieces of work at once, and those with the same key one after another. The first failure ends it. */
export class SendWindow {
  private readonly running = new Map<string, Promise<void>>();
  private failed: { readonly error: unknown } | undefined;
  private readonly ending = new AbortController();
  /** For the work: aborted by the first failure, or by abandon(). */
  readonly signal: AbortSignal = this.ending.signal;

  constructor(private readonly size: number) {}

  /** Resolves when the work has begun; throws what earlier work has failed with. */
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

  /** Resolves when all work is done. */
  async end(): Promise<void> {
    await Promise.all(this.running.values());
    this.throwIfFailed();
  }

  /** Ends the work that is under way. */
  abandon(): void {
    this.ending.abort();
  }

  private throwIfFailed(): void {
    if (this.failed) throw this.failed.error;
  }
}
