import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import type { TrafficBytes, TrafficReading } from '../backend/backend.js';
import { SerialQueue } from '../concurrency/serial-queue.js';
import { Journal, type JournalOptions } from '../storage/journal.js';
import { TrafficCounters } from './traffic-counters.js';
import { TrafficOutbox } from './traffic-outbox.js';
import type { TrafficRecordLog } from './traffic-recorder.js';
import { TrafficTotals } from './traffic-totals.js';

const PERIOD_MS = 2000;
/** The engine's counters grow with its users: reading them takes at most one part in this many of the time. */
const MAX_SHARE = 20;
/** Users that one turn of the event loop books. */
const PART = 2000;

/** Reads the engine's counters every few seconds and on demand, into a book that outlives engine and node. */
export class TrafficMeter implements TrafficRecordLog {
  readonly ledger: TrafficOutbox;
  readonly totals: TrafficTotals;
  private readonly counters = new TrafficCounters(randomUUID());
  private readonly bookings = new SerialQueue();
  private journal?: Journal;
  private reading?: Promise<void>;
  private next?: Promise<void>;
  private timer?: NodeJS.Timeout;

  /** `readTraffic` reads the engine's counters into `add`. */
  constructor(
    private readonly readTraffic: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
    private readonly periodMs = PERIOD_MS,
  ) {
    this.ledger = new TrafficOutbox(this.counters, this);
    this.totals = new TrafficTotals(this.counters, this);
  }

  /** Why the disk is behind, with advice; undefined when it is not, or when there is none. */
  get problem(): string | undefined {
    return this.journal?.problem;
  }

  /** Goes on with the book in a file, and keeps it there. Before anything is counted; without it memory is all there is. */
  async open(file: Pick<JournalOptions, 'path' | 'onWarning' | 'retryMs'>): Promise<void> {
    const { counters } = this;
    const { journal, intact } = await Journal.open(
      { ...file, name: 'traffic', version: 1, title: 'the traffic book', snapshot: () => counters.snapshot() },
      (record) => counters.replayRecord(record),
    );
    this.journal = journal;
    if (intact) return;
    // What is missing may have been handed out already: these numbers must not come again with other contents.
    counters.beginLedger(randomUUID());
    file.onWarning('the traffic book begins anew: it could not be read to its end');
    await journal.rewriteFromSnapshot();
  }

  /** What was counted is on the disk when this resolves, if the disk works. */
  async close(): Promise<void> {
    this.halt();
    await this.booked();
    await this.journal?.close();
  }

  /** Books a reading, little by little; `refresh` and `close` wait for it. */
  add(reading: TrafficReading): Promise<void> {
    return this.bookings.run(async () => {
      for (const part of partsOf(reading)) {
        const record = this.counters.addReading(part);
        if (record !== undefined) void this.appendRecords([record]);
        await turn();
      }
    });
  }

  async appendRecords(records: readonly Uint8Array[], options?: { readonly durable?: boolean }): Promise<boolean> {
    return this.journal === undefined || this.journal.appendRecords(records, options);
  }

  async discardOutdatedFile(): Promise<void> {
    await this.journal?.discardOutdatedFile();
  }

  /** Reads on from now, until `halt`. To be told so again delays nothing. */
  run(): void {
    if (this.timer !== undefined) return;
    this.counters.forgetIdleNames();
    this.schedule(this.periodMs);
  }

  halt(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Books everything that was counted before this call. Calls that come while one reading runs share the next. */
  refresh(): Promise<void> {
    if (this.reading === undefined) {
      this.reading = this.read();
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

  private async read(): Promise<void> {
    try {
      await this.readTraffic();
    } finally {
      await this.booked();
      this.reading = undefined;
    }
  }

  /** When all readings are in the book. */
  private booked(): Promise<void> {
    return this.bookings.run(async () => undefined);
  }

  private schedule(delay: number): void {
    const timer = setTimeout(async () => {
      const began = performance.now();
      await this.refresh().catch(this.onError);
      // Unless it was halted or started anew in the meantime.
      if (this.timer === timer) this.schedule(Math.max(this.periodMs, (performance.now() - began) * MAX_SHARE));
    }, delay);
    timer.unref();
    this.timer = timer;
  }
}

function* partsOf(reading: TrafficReading): Generator<TrafficReading, void> {
  const nobody = { inbounds: new Map(), outbounds: new Map() };
  let users = new Map<string, TrafficBytes>();
  for (const [email, bytes] of reading.users) {
    if (users.size === PART) {
      yield { ...nobody, users };
      users = new Map();
    }
    users.set(email, bytes);
  }
  yield { ...reading, users };
}
