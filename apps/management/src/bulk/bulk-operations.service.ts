import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { requestContext } from '../access/request-context.js';
import { asDatabase } from '../database/database.js';
import { ManagementError } from '../errors/management-error.js';
import { databaseFailure } from '../errors/to-management-error.js';
import { type Advanced, beginBulk, continueBulk, endBulk } from './bulk-batches.js';
import type { BulkWork } from './bulk-work.js';

/** One batch of all of them at a time; in between, others have their turns. */
const BULK_LANE = { name: 'bulk', maxRunning: 1, isRefusable: false };
/** For so long a caller waits for a database that fails in the middle. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 500;
/** How often work is looked for that its replica has left. */
const LOOK_MS = 5_000;

/** What has been done to how many users. */
export interface BulkResult {
  count: number;
  /** Of those whom this process has changed. */
  names: readonly string[];
}

/**
 * Work on many users, in batches of one transaction each, between which other changes are made. How far it is stands in the
 * database, written with each batch: whatever ends the process, another one finishes the work, and no user is changed twice.
 */
@Injectable()
export class BulkOperations implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('BulkOperations');
  private readonly kinds = new Map<string, BulkWork>();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly database: DataSource) {}

  /** So that it can be finished after a restart, by whoever finds it. */
  register<Terms extends object>(work: BulkWork<Terms>): BulkWork<Terms> {
    // What is stored under an action are the terms of its own work.
    this.kinds.set(work.action, work as BulkWork<never> as BulkWork);
    return work;
  }

  onApplicationBootstrap(): void {
    this.running = this.lookFromTimeToTime(this.stopping.signal);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Answers when all of it is done. */
  async run<Terms extends object>(given: BulkWork<Terms>, actor: Actor, terms: Terms): Promise<BulkResult> {
    const work = given as BulkWork<never> as BulkWork;
    const order = { actor, terms, address: requestContext()?.address ?? null };
    const first = await this.database.transaction((manager) => beginBulk(manager, work, order));
    const names = [...first.names];
    const { id } = first.progress;
    if (first.isDone || id === undefined) return { count: first.progress.affectedUsers, names };
    for (let answering = Date.now(); ; ) {
      try {
        const { progress, isDone, names: more } = await this.goOn(work, id);
        for (const name of more) names.push(name);
        if (isDone) return { count: progress.affectedUsers, names };
        answering = Date.now();
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (this.stopping.signal.aborted || Date.now() - answering > PATIENCE_MS) {
          throw new ManagementError('BULK_GOES_ON');
        }
        await this.pause(PAUSE_MS);
      }
    }
  }

  /** Finishes what was begun by replicas that are gone. */
  async finishAbandoned(): Promise<void> {
    for (let found = await this.takeAbandoned(); found; found = await this.takeAbandoned()) {
      const { id, action, affectedUsers } = found;
      const work = this.kinds.get(action);
      if (!work) return;
      this.logger.log(`going on with "${action}", which was interrupted behind ${affectedUsers} changed users`);
      let isDone = false;
      while (!isDone) isDone = (await this.goOn(work, id)).isDone;
    }
  }

  private async goOn(work: BulkWork, id: number): Promise<Advanced> {
    if (this.stopping.signal.aborted) throw new ManagementError('BULK_GOES_ON');
    try {
      const advanced = await asDatabase(this.database).transactionFor(BULK_LANE, (manager) =>
        continueBulk(manager, work, id),
      );
      if (!advanced) throw new Error(`operation ${id} is gone from the table bulk_operations`);
      return advanced;
    } catch (error) {
      if (isPassing(error)) throw error;
      this.logger.error(`operation ${id}, "${work.action}", ends before its time: ${String(error)}`);
      await asDatabase(this.database).transactionFor(BULK_LANE, (manager) => endBulk(manager, work, id));
      throw error;
    }
  }

  private async takeAbandoned(): Promise<{ id: number; action: string; affectedUsers: number } | undefined> {
    await this.database.query("DELETE FROM bulk_operations WHERE finished_at < now() - interval '1 hour'");
    const [taken] = await this.database.query<{ id: number; action: string; affectedUsers: number }[][]>(
      `UPDATE bulk_operations SET leased_until = now() + interval '30 seconds' WHERE id = (
         SELECT id FROM bulk_operations WHERE finished_at IS NULL AND leased_until < now() AND action = ANY ($1::text[])
         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, action, affected_users AS "affectedUsers"`,
      [[...this.kinds.keys()]],
    );
    return taken?.[0];
  }

  private async lookFromTimeToTime(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await this.pause(LOOK_MS)) {
      await this.finishAbandoned().catch((error: Error) => {
        if (!signal.aborted) this.logger.warn(`interrupted operations wait: ${error.message}`);
      });
    }
  }

  private async pause(milliseconds: number): Promise<void> {
    await wait(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

/** Whether the same batch may succeed later. */
const isPassing = (error: unknown): boolean =>
  databaseFailure(error) !== undefined || (error instanceof ManagementError && error.code === 'BULK_GOES_ON');
