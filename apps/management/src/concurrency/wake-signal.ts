import { setTimeout as wait } from 'node:timers/promises';

/** A sleep that others can end, also before it begins. */
export class WakeSignal {
  private rung = false;
  private wake: () => void = () => undefined;

  ring(): void {
    this.rung = true;
    this.wake();
  }

  /** Who rang before has been heard. */
  reset(): void {
    this.rung = false;
  }

  async sleep(milliseconds: number): Promise<void> {
    if (this.rung) return;
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    await Promise.race([woken, wait(milliseconds, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
  }
}
