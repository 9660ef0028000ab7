import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UpdateQueue } from './update-queue.js';
import { type NewUpdate, writeUpdates } from './write-updates.js';

const INTERVAL_MS = 3_000;
/** Maximum number of users between two writes, which is far more than one process can serve. */
const MAX_USERS = 50_000;

/** Records who fetches subscriptions, and writes the records together every few seconds. */
@Injectable()
export class SubscriptionUpdateRecorder implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Subscriptions');
  private readonly queue = new UpdateQueue(MAX_USERS);
  private writing: Promise<void> = Promise.resolve();
  private timer?: NodeJS.Timeout;

  constructor(private readonly database: DataSource) {}

  record(userId: number, userAgent: string): void {
    this.queue.addUpdate({ userId, userAgent, at: new Date() });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.write(), INTERVAL_MS);
  }

  /** Writes the last records after the last request. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
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
    this.writing = this.writing.then(() => this.writeDown(this.queue.takeUpdatesOf(userId)));
    return this.writing;
  }

  private async writeQueued(): Promise<void> {
    const { updates, lost } = this.queue.takeAll();
    if (lost > 0) this.logger.warn(`${lost} subscription fetches were not recorded: the queue was full`);
    await this.writeDown(updates);
  }

  private async writeDown(updates: readonly NewUpdate[]): Promise<void> {
    if (updates.length === 0) return;
    await writeUpdates(this.database.manager, updates).catch((error: Error) =>
      this.logger.warn(`${updates.length} subscription fetches were not recorded: ${error.message}`),
    );
  }
}
