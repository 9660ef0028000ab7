import { setTimeout as wait } from 'node:timers/promises';

/** A sleep that other code can end early. A wake before the sleep begins ends it too. */
export class WakeSignal {
  private isWoken = false;
  private endSleep: () => void = () => undefined;

  wake(): void {
    this.isWoken = true;
    this.endSleep();
  }

  /** Forgets earlier wakes, so that the next sleep lasts. */
  reset(): void {
    this.isWoken = false;
  }

  async sleep(milliseconds: number): Promise<void> {
    if (this.isWoken) return;
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.endSleep = resolve;
    });
    await Promise.race([woken, wait(milliseconds, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
  }
}
