import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { TrafficReading } from '../backend/backend.js';
import { TrafficLedger } from './traffic-ledger.js';
import { TrafficTotals } from './traffic-totals.js';

const PERIOD_MS = 2000;
/** The engine's counters grow with its users: reading them takes at most one part in this many of the time. */
const MAX_SHARE = 20;

/** Reads the engine's counters every few seconds and on demand, into two books that know nothing of each other. */
export class TrafficMeter {
  readonly ledger = new TrafficLedger(randomUUID());
  readonly totals = new TrafficTotals();
  private reading?: Promise<void>;
  private next?: Promise<void>;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly readTraffic: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  add(reading: TrafficReading): void {
    this.ledger.add(reading);
    this.totals.add(reading);
  }

  /** Reads on from now, until `halt`. */
  run(): void {
    this.halt();
    this.schedule(PERIOD_MS);
  }

  halt(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Books everything that was counted before this call. Calls that come while one reading runs share the next. */
  refresh(): Promise<void> {
    if (this.reading === undefined) {
      this.reading = this.readTraffic().finally(() => {
        this.reading = undefined;
      });
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

  private schedule(delay: number): void {
    const timer = setTimeout(async () => {
      const began = performance.now();
      await this.refresh().catch(this.onError);
      // Unless it was halted or started anew in the meantime.
      if (this.timer === timer) this.schedule(Math.max(PERIOD_MS, (performance.now() - began) * MAX_SHARE));
    }, delay);
    timer.unref();
    this.timer = timer;
  }
}
