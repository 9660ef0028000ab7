import { performance } from 'node:perf_hooks';
import type { TrafficReading } from '../backend/backend.js';
import type { TrafficStore } from './traffic-store.js';

const DEFAULT_INTERVAL_MS = 2000;
/** The pause after a reading is at least this many times as long as the reading took. */
const MIN_PAUSE_FACTOR = 20;

/** Reads the engine's traffic every few seconds and on demand, and records it in the store. */
export class TrafficMeter {
  private reading?: Promise<void>;
  private next?: Promise<void>;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly readTraffic: () => Promise<readonly TrafficReading[]>,
    private readonly store: Pick<TrafficStore, 'recordTraffic' | 'recorded' | 'forgetIdleNames'>,
    private readonly onError: (error: unknown) => void,
    private readonly intervalMs = DEFAULT_INTERVAL_MS,
  ) {}

  /** Reads from now on, until `stopReading`. A second call changes nothing. */
  startReading(): void {
    if (this.timer !== undefined) return;
    this.store.forgetIdleNames();
    this.schedule(this.intervalMs);
  }

  stopReading(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Resolves when all traffic before this call is recorded. Calls during one reading share the next one. */
  refresh(): Promise<void> {
    if (this.reading === undefined) {
      this.reading = this.readOnce();
      return this.reading;
    }
    this.next ??= this.reading
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.refresh();
      });
    return this.next;
  }

  /** Stops, and resolves when the readings that were under way are recorded. */
  async close(): Promise<void> {
    this.stopReading();
    await this.reading?.catch(() => undefined);
  }

  private async readOnce(): Promise<void> {
    try {
      for (const reading of await this.readTraffic()) void this.store.recordTraffic(reading);
    } finally {
      await this.store.recorded();
      this.reading = undefined;
    }
  }

  private schedule(delay: number): void {
    const timer = setTimeout(async () => {
      const began = performance.now();
      await this.refresh().catch(this.onError);
      // `stopReading` or another `startReading` may have come during the reading.
      if (this.timer === timer)
        this.schedule(Math.max(this.intervalMs, (performance.now() - began) * MIN_PAUSE_FACTOR));
    }, delay);
    timer.unref();
    this.timer = timer;
  }
}
