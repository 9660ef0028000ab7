import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { requestContext } from '../access/request-context.js';
import { asDatabase } from '../database/database.js';
import { ManagementError } from '../errors/management-error.js';
import { databaseFailure } from '../errors/to-management-error.js';
import { type Advanced, beginBulk, continueBulk, endBulk } from './bulk-batches.js';
import type { BulkWork } from './bulk-work.js';
import { takeAbandonedWork } from './unfinished-work.js';

/** One bulk batch runs at a time, so that other changes run in between. */
const BULK_SOURCE = { name: 'bulk', maxRunning: 1, isRefusable: false };
/** How long a caller waits for a database that fails between two batches. */
const MAX_OUTAGE_MS = 20_000;
const RETRY_PAUSE_MS = 500;
/** How often this replica looks for work that its replica has abandoned. */
const POLL_INTERVAL_MS = 5_000;

/** The result of bulk work. */
export interface BulkResult {
  count: number;
  /** Names of the users whom this process has changed. */
  names: readonly string[];
}

/**
 * Runs work on many users in batches, each in a transaction of its own, so that other changes run in between. The position
 * is stored with each batch: after a crash any replica continues, and no user is changed twice.
 */
@Injectable()
export class BulkOperations implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('BulkOperations');
  private readonly kinds = new Map<string, BulkWork>();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly database: DataSource) {}

  /** Registers a kind of work, so that any replica can finish it after a restart. */
  register<Terms extends object>(work: BulkWork<Terms>): BulkWork<Terms> {
    // The terms that are stored under an action are those of its own work.
    this.kinds.set(work.action, work as BulkWork<never> as BulkWork);
    return work;
  }

  onApplicationBootstrap(): void {
    this.running = this.pollAbandoned(this.stopping.signal);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Resolves when all batches are done. */
  async run<Terms extends object>(work: BulkWork<Terms>, actor: Actor, terms: Terms): Promise<BulkResult> {
    return (await this.runAfter(work, actor, async () => terms)) ?? { count: 0, names: [] };
  }

  /**
   * Runs work that follows from another change, which is made in the transaction of the first batch and returns the terms.
   *
   * @param change returns undefined when there is nothing to do for the users, and so does this
   */
  async runAfter<Terms extends object>(
    given: BulkWork<Terms>,
    actor: Actor,
    change: (manager: EntityManager) => Promise<Terms | undefined>,
  ): Promise<BulkResult | undefined> {
    const work = given as BulkWork<never> as BulkWork;
    const address = requestContext()?.address ?? null;
    const first = await this.database.transaction(async (manager) => {
      const terms = await change(manager);
      return terms && beginBulk(manager, work, { actor, terms, address });
    });
    if (!first) return undefined;
    const names = [...first.names];
    const { id } = first.progress;
    if (first.isDone || id === undefined) return { count: first.progress.affectedUsers, names };
    for (let answering = Date.now(); ; ) {
      try {
        const { progress, isDone, names: more } = await this.runNextBatch(work, id);
        for (const name of more) names.push(name);
        if (isDone) return { count: progress.affectedUsers, names };
        answering = Date.now();
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (this.stopping.signal.aborted || Date.now() - answering > MAX_OUTAGE_MS) {
          throw new ManagementError('BULK_GOES_ON');
        }
        await this.pause(RETRY_PAUSE_MS);
      }
    }
  }

  /** Finishes the work of replicas that have stopped. */
  async finishAbandoned(): Promise<void> {
    const take = () => takeAbandonedWork(this.database.manager, [...this.kinds.keys()]);
    for (let found = await take(); found; found = await take()) {
      const { id, action, affectedUsers } = found;
      const work = this.kinds.get(action);
      if (!work) return;
      this.logger.log(`continuing "${action}", which was interrupted after ${affectedUsers} changed users`);
      let isDone = false;
      while (!isDone) isDone = (await this.runNextBatch(work, id)).isDone;
    }
  }

  private async runNextBatch(work: BulkWork, id: number): Promise<Advanced> {
    if (this.stopping.signal.aborted) throw new ManagementError('BULK_GOES_ON');
    try {
      const advanced = await asDatabase(this.database).transactionFor(BULK_SOURCE, (manager) =>
        continueBulk(manager, work, id),
      );
      if (!advanced) throw new Error(`operation ${id} is gone from the table bulk_operations`);
      return advanced;
    } catch (error) {
      if (isTransient(error)) throw error;
      this.logger.error(`bulk operation ${id}, "${work.action}", cannot be continued and ends: ${String(error)}`);
      await asDatabase(this.database).transactionFor(BULK_SOURCE, (manager) => endBulk(manager, work, id));
      throw error;
    }
  }

  private async pollAbandoned(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await this.pause(POLL_INTERVAL_MS)) {
      await this.finishAbandoned().catch((error: Error) => {
        if (!signal.aborted)
          this.logger.warn(`interrupted bulk operations were not continued and will be tried again: ${error.message}`);
      });
    }
  }

  private async pause(milliseconds: number): Promise<void> {
    await wait(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

/** Tells whether the same batch may succeed later. */
const isTransient = (error: unknown): boolean =>
  databaseFailure(error) !== undefined || (error instanceof ManagementError && error.code === 'BULK_GOES_ON');
