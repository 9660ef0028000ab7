import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UpdateQueue } from './update-queue.js';
import { UpdateTiming } from './update-timing.js';
import { type NewUpdate, writeUpdates } from './write-updates.js';

/** Maximum number of users between two writes, which is far more than one process can serve. */
const MAX_USERS = 50_000;

/**
 * Records who fetches subscriptions. A fetch after a pause is written at once; what comes meanwhile is written together, after
 * a pause that grows with the number of fetches.
 */
@Injectable()
export class SubscriptionUpdateRecorder implements OnApplicationShutdown {
  private readonly logger = new Logger('Subscriptions');
  private readonly queue = new UpdateQueue(MAX_USERS);
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private nextWriteAt = 0;

  constructor(
    private readonly database: DataSource,
    private readonly timing: UpdateTiming,
  ) {}

  record(userId: number, userAgent: string): void {
    this.queue.addUpdate({ userId, userAgent, at: new Date() });
    this.scheduleWrite();
  }

  /** Writes the last records after the last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.write();
    clearTimeout(this.timer);
  }

  /**
   * Resolves when everything that was recorded before is written. A failure is logged and its records are lost, because
   * nobody should wait for them.
   */
  write(): Promise<void> {
    this.writing = this.writing.then(() => this.writeQueued());
    return this.writing;
  }

  /** Writes the records of one user, whose fetches are about to be read. */
  writeOf(userId: number): Promise<void> {
    this.writing = this.writing.then(async () => {
      const updates = this.queue.takeUpdatesOf(userId);
      if (updates.length > 0) await this.writeDown(updates);
    });
    return this.writing;
  }

  private scheduleWrite(): void {
    if (this.timer || this.queue.isEmpty) return;
    this.timer = setTimeout(() => void this.writeWhenDue(), Math.max(0, this.nextWriteAt - performance.now()));
  }

  private async writeWhenDue(): Promise<void> {
    // A call of `write` in between has begun a pause too.
    if (performance.now() >= this.nextWriteAt) await this.write();
    this.timer = undefined;
    this.scheduleWrite();
  }

  private async writeQueued(): Promise<void> {
    const { updates, lost } = this.queue.takeAll();
    if (lost > 0) this.logger.warn(`${lost} subscription fetches were not recorded: the queue was full`);
    if (updates.length === 0) return;
    const { minPauseMs, pausePerFetchMs, maxPauseMs } = this.timing;
    const pauseMs = Math.min(Math.max(updates.length * pausePerFetchMs, minPauseMs), maxPauseMs);
    const isWritten = await this.writeDown(updates);
    this.nextWriteAt = performance.now() + (isWritten ? pauseMs : maxPauseMs);
  }

  /** Returns whether the fetches were written. */
  private writeDown(updates: readonly NewUpdate[]): Promise<boolean> {
    return writeUpdates(this.database.manager, updates).then(
      () => true,
      ({ message }: Error) => {
        this.logger.warn(`${updates.length} subscription fetches were not recorded: ${message}`);
        return false;
      },
    );
  }
}
