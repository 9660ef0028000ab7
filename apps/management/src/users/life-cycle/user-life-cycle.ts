import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { alone } from '../../database/alone.js';
import { lockRevision } from '../../database/revision.js';
import { ManagementEnv } from '../../env/management-env.js';
import { deleteUsers } from '../delete-users.js';
import { tellNodes } from '../raise-revision.js';
import { UserWhere } from '../user-where.js';
import { type DueUsers, dueUsers } from './due-users.js';
import { type DeletionRules, endedUsers } from './ended-users.js';
import { settleUsers } from './settle-users.js';

/** For so long at most, the status of a user is behind the clock. */
const PAUSE_MS = 1_000;
const PAUSE_AFTER_FAILURE_MS = 10_000;
/** Users in one transaction, which other changes wait for: some 150 ms. */
const BATCH = 2_000;
/** The advisory lock of the replica that is at work. */
const LIFE_CYCLE_LOCK = 0x6c_69_66_65; // "life"

/**
 * What happens to users because time passes or traffic has come: holds end, users expire or are limited, counters return
 * to zero, next plans begin, and who has been at the end for long is deleted. What is missed is made good once.
 */
@Injectable()
export class UserLifeCycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Users');
  private readonly stopping = new AbortController();
  private readonly rules: DeletionRules;
  private running: Promise<void> = Promise.resolve();
  private closing = false;

  constructor(
    private readonly database: DataSource,
    { autoDeleteDays, autoDeleteLimited }: ManagementEnv,
  ) {
    this.rules = { days: autoDeleteDays, limitedToo: autoDeleteLimited };
  }

  onApplicationBootstrap(): void {
    this.running = this.repeat(this.stopping.signal);
  }

  beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    return this.stop();
  }

  /** From then on, nothing happens but by `run`. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Does all that is due at a moment, or now by the database's clock; what another replica is doing, it leaves to it. */
  async run(at?: Date): Promise<void> {
    for (const step of [() => this.settleDue(at), () => this.deleteEnded(at)]) {
      for (let done = BATCH; done === BATCH && !this.closing; ) done = await step();
    }
  }

  private async settleDue(at?: Date): Promise<number> {
    const due = await dueUsers(this.database.manager, BATCH, at);
    if (due.ids.length === 0) return 0;
    const settled = await alone(this.database, LIFE_CYCLE_LOCK, (manager) => settle(manager, due));
    return settled ?? 0;
  }

  private async deleteEnded(at?: Date): Promise<number> {
    const found = await endedUsers(this.database.manager, this.rules, BATCH, at);
    if (found.length === 0) return 0;
    const deleted = await alone(this.database, LIFE_CYCLE_LOCK, async (manager) => {
      await lockRevision(manager);
      const ids = await endedUsers(manager, this.rules, BATCH, at);
      return (await deleteUsers(manager, new UserWhere().and('users.id = ANY (?::integer[])', ids))).length;
    });
    if (deleted) this.logger.log(`deleted ${deleted} users who had been at their end for long`);
    return deleted ?? 0;
  }

  private async repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pause = await this.run().then(
        () => PAUSE_MS,
        (error: Error) => {
          this.logger.warn(`the life cycle of users stands still: ${error.message}`);
          return PAUSE_AFTER_FAILURE_MS;
        },
      );
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function settle(manager: EntityManager, due: DueUsers): Promise<number> {
  await lockRevision(manager);
  await tellNodes(manager, await settleUsers(manager, due));
  return due.ids.length;
}
