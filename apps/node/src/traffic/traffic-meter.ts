import { performance } from 'node:perf_hooks';
import type { TrafficReading } from '../backend/backend.js';
import type { TrafficStore } from './traffic-store.js';

const DEFAULT_INTERVAL_MS = 1000;
/** The pause after a reading is this many times as long as the reading took, up to a limit for few counters. */
const PAUSE_FACTOR = 20;
/** Few counters are read often even where a reading takes long, because the machine has other work: 4 seconds for 20,000. */
const MAX_PAUSE_PER_COUNTER_MS = 0.2;
/** A batch needs no newer reading than this, for each counter: 8 seconds for the 200,000 counters of 100,000 users. */
const AGE_PER_COUNTER_MS = 0.04;

/** Reads the engine's traffic every few seconds and on demand, and records it in the store. */
export class TrafficMeter {
  private reading?: Promise<void>;
  private next?: Promise<void>;
  private timer?: NodeJS.Timeout;
  /** When the last reading that has succeeded began. */
  private lastBegan = Number.NEGATIVE_INFINITY;
  private lastCounters = 0;
  private lastTookMs = 0;

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

  /**
   * Resolves when the traffic for a batch is recorded. All that there is, unless there are very many counters: then a reading
   * that is a few seconds old is enough, since management asks each second and a reading costs nearly half of one.
   */
  async refreshForBatch(): Promise<void> {
    // A reading that is under way may be new enough.
    if (!this.isFreshForBatch) await this.reading?.catch(() => undefined);
    return this.isFreshForBatch ? this.store.recorded() : this.refresh();
  }

  private get isFreshForBatch(): boolean {
    return performance.now() - this.lastBegan < this.lastCounters * AGE_PER_COUNTER_MS;
  }

  /** Stops, and resolves when the readings that were under way are recorded. */
  async close(): Promise<void> {
    this.stopReading();
    await this.reading?.catch(() => undefined);
  }

  private async readOnce(): Promise<void> {
    const began = performance.now();
    try {
      const readings = await this.readTraffic();
      for (const reading of readings) void this.store.recordTraffic(reading);
      this.lastBegan = began;
      this.lastCounters = readings.reduce((sum, { counters = 0 }) => sum + counters, 0);
    } finally {
      await this.store.recorded();
      this.lastTookMs = performance.now() - began;
      this.reading = undefined;
    }
  }

  /** The time between two readings that nobody asks for: longer where a reading of many counters takes long. */
  private get pauseMs(): number {
    const pause = Math.min(this.lastTookMs * PAUSE_FACTOR, this.lastCounters * MAX_PAUSE_PER_COUNTER_MS);
    return Math.max(this.intervalMs, pause);
  }

  private schedule(delay: number): void {
    const timer = setTimeout(async () => {
      // Somebody else may have asked for a reading: management does each second.
      const wait = this.lastBegan + this.pauseMs - performance.now();
      if (wait > 0) return this.schedule(wait);
      await this.refresh().catch(this.onError);
      // `stopReading` or another `startReading` may have come during the reading.
      if (this.timer === timer) this.schedule(this.pauseMs);
    }, delay);
    timer.unref();
    this.timer = timer;
  }
}
