import { setTimeout as wait } from 'node:timers/promises';

/** A sleep that others can end, also before it begins. */
export class WakeSignal {
  private isWoken = false;
  private endSleep: () => void = () => undefined;

  wake(): void {
    this.isWoken = true;
    this.endSleep();
  }

  /** Who rang before has been heard. */
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
