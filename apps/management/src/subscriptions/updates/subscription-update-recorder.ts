import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UpdateQueue } from './update-queue.js';
import { type NewUpdate, writeUpdates } from './write-updates.js';

const INTERVAL_MS = 3_000;
/** Who fetch within one interval: far more than a process can answer. */
const MOST_USERS = 50_000;

/** Keeps in mind who fetches subscriptions, and writes it down all at once every few seconds. */
@Injectable()
export class SubscriptionUpdateRecorder implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Subscriptions');
  private readonly queue = new UpdateQueue(MOST_USERS);
  private writing: Promise<void> = Promise.resolve();
  private timer?: NodeJS.Timeout;

  constructor(private readonly database: DataSource) {}

  record(userId: number, userAgent: string): void {
    this.queue.addUpdate({ userId, userAgent, at: new Date() });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.write(), INTERVAL_MS);
  }

  /** Behind the last request. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  /** Ends when everything is written that was recorded before; what fails is told and lost: nobody is to wait for it. */
  write(): Promise<void> {
    this.writing = this.writing.then(() => this.writeQueued());
    return this.writing;
  }

  /** The same for one user: somebody is about to read its fetches. */
  writeOf(userId: number): Promise<void> {
    this.writing = this.writing.then(() => this.writeDown(this.queue.takeUpdatesOf(userId)));
    return this.writing;
  }

  private async writeQueued(): Promise<void> {
    const { updates, lost } = this.queue.takeAll();
    if (lost > 0) this.logger.warn(`fetches of subscriptions that are not recorded: ${lost} (too many at once)`);
    await this.writeDown(updates);
  }

  private async writeDown(updates: readonly NewUpdate[]): Promise<void> {
    if (updates.length === 0) return;
    await writeUpdates(this.database.manager, updates).catch((error: Error) =>
      this.logger.warn(`fetches of subscriptions that are not recorded: ${updates.length} (${error.message})`),
    );
  }
}
