import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { EngineRuns, TrafficBytes, TrafficReading } from '../backend/backend.js';
import { SerialQueue } from '../concurrency/serial-queue.js';
import { Journal, type JournalOptions } from '../storage/journal.js';
import { TrafficCounters } from './traffic-counters.js';
import { TrafficOutbox } from './traffic-outbox.js';
import type { TrafficRecordLog } from './traffic-record-log.js';
import { TrafficTotals } from './traffic-totals.js';

/** Users of one reading that are counted in one turn of the event loop. */
const MAX_USERS_PER_TURN = 2000;

/** Interval at which users are forgotten who are no longer served. */
const FORGET_MS = 60_000;

export interface TrafficStoreOptions {
  /** Whether a user is served. The totals of others are forgotten as soon as their traffic is acknowledged. */
  readonly isServed?: (email: string) => boolean;
  readonly forgetMs?: number;
}

/** Keeps the traffic counters in memory and in a journal, so that they outlive the engine and the node. */
export class TrafficStore implements TrafficRecordLog, EngineRuns {
  /** Batches for CollectTraffic. */
  readonly outbox: TrafficOutbox;
  /** Totals for GetStats. */
  readonly totals: TrafficTotals;
  /** Bytes of all outbounds since this process started, whoever has asked for them. */
  readonly carried = { uplink: 0, downlink: 0 };
  private readonly counters = new TrafficCounters(randomUUID());
  private readonly recordings = new SerialQueue();
  private journal?: Journal;
  private lastForgot = performance.now();

  constructor(private readonly options: TrafficStoreOptions = {}) {
    this.outbox = new TrafficOutbox(this.counters, this);
    this.totals = new TrafficTotals(this.counters, this);
  }

  /** Why the file is behind the memory, with advice; undefined when it is not, or when there is no file. */
  get problem(): string | undefined {
    return this.journal?.problem;
  }

  /** Restores the counters from a file and keeps them there from now on. Must be called before the first reading. */
  async open(file: Pick<JournalOptions, 'path' | 'onWarning' | 'retryMs'>): Promise<void> {
    const { counters } = this;
    const { forgetMs = FORGET_MS } = this.options;
    const { journal, intact } = await Journal.open(
      {
        ...file,
        forgetMs,
        name: 'traffic',
        version: 1,
        title: 'the traffic data',
        snapshot: () => counters.snapshot(),
      },
      (record) => counters.replayRecord(record),
    );
    this.journal = journal;
    if (intact) return;
    // Missing batches may have been handed out: their numbers must not be used again in the same ledger.
    counters.beginLedger(randomUUID());
    file.onWarning('the traffic data starts over: its file could not be read to the end');
    await journal.rewriteFromSnapshot();
  }

  /** Resolves when everything that was recorded is on the disk, if the disk works. */
  async close(): Promise<void> {
    await this.recorded();
    await this.journal?.close();
  }

  /** Adds a reading to the counters, a part in each turn of the event loop. */
  recordTraffic(reading: TrafficReading): Promise<void> {
    for (const { uplink, downlink } of reading.outbounds.values()) {
      this.carried.uplink += Number(uplink);
      this.carried.downlink += Number(downlink);
    }
    return this.recordings.run(async () => {
      for (const part of partsOf(reading)) {
        const record = this.counters.addReading(part);
        if (record !== undefined) void this.appendRecords([record]);
        await turn();
      }
      await this.forgetUsersIfDue();
    });
  }

  /** Names of users who are gone stay neither in memory nor in the file. */
  private async forgetUsersIfDue(): Promise<void> {
    const { isServed, forgetMs = FORGET_MS } = this.options;
    if (!isServed || performance.now() - this.lastForgot < forgetMs) return;
    this.lastForgot = performance.now();
    let seen = 0;
    for (const isForgotten of this.counters.forgetUsers(isServed)) {
      if (isForgotten) this.journal?.rewriteSoon();
      seen += 1;
      if (seen % MAX_USERS_PER_TURN === 0) await turn();
    }
  }

  async beginRun(run: string, shown?: TrafficReading): Promise<void> {
    await this.recordings.run(() => this.appendRecords(this.counters.beginRun(run, shown)));
  }

  countedIn(run: string): TrafficReading | undefined {
    return this.counters.countedIn(run);
  }

  endRun(run: string): void {
    // The record is queued, so that it follows the last reading of the run.
    void this.recordings.run(async () => {
      void this.appendRecords([this.counters.endRun(run)]);
      // The file still has what was counted of each user in this run.
      this.journal?.rewriteSoon();
    });
  }

  keepRuns(runs: ReadonlySet<string>): void {
    for (const run of this.counters.openRuns) if (!runs.has(run)) this.endRun(run);
  }

  /** Resolves when all readings so far are in the counters. */
  recorded(): Promise<void> {
    return this.recordings.run(async () => undefined);
  }

  /** Forgets names that have no traffic left in any column. */
  forgetIdleNames(): void {
    this.counters.forgetIdleNames();
  }

  async appendRecords(records: readonly Uint8Array[], options?: { readonly durable?: boolean }): Promise<boolean> {
    return this.journal === undefined || this.journal.appendRecords(records, options);
  }

  async discardOutdatedFile(): Promise<void> {
    await this.journal?.discardOutdatedFile();
  }
}

function* partsOf(reading: TrafficReading): Generator<TrafficReading, void> {
  const noUsers = {
    ...(reading.run === undefined ? {} : { run: reading.run }),
    inbounds: new Map(),
    outbounds: new Map(),
  };
  let users = new Map<string, TrafficBytes>();
  for (const [email, bytes] of reading.users) {
    if (users.size === MAX_USERS_PER_TURN) {
      yield { ...noUsers, users };
      users = new Map();
    }
    users.set(email, bytes);
  }
  yield { ...reading, users };
}
