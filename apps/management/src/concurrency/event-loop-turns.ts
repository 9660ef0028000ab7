/**
 * Lets callers continue one in each turn of the event loop, so that requests are answered between their work. Owners take
 * turns with each other, and the callers of an owner among themselves in the order of their arrival.
 */
export class EventLoopTurns {
  /** What continues the callers, by owner. The first owner is the next. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private isScheduled = false;

  /** Resolves in a turn that no other caller has got. */
  next(owner = ''): Promise<void> {
    return new Promise((resolve) => {
      const own = this.waiting.get(owner);
      if (own) own.push(resolve);
      else this.waiting.set(owner, [resolve]);
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      const [next] = this.waiting;
      if (next) this.continueFirst(...next);
      if (this.waiting.size > 0) this.schedule();
    });
  }

  private continueFirst(owner: string, own: (() => void)[]): void {
    own.shift()?.();
    this.waiting.delete(owner);
    if (own.length > 0) this.waiting.set(owner, own);
  }
}
