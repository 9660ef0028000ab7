import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { withAdvisoryLock } from '../../database/advisory-lock.js';
import { lockRevision } from '../../database/revision.js';
import { ManagementEnv } from '../../env/management-env.js';
import { databaseFailure } from '../../errors/to-management-error.js';
import { deleteUsers } from '../../user-store/delete-users.js';
import { type DueUsers, dueUsers } from '../../user-store/life-cycle/due-users.js';
import { type DeletionRules, endedUsers } from '../../user-store/life-cycle/ended-users.js';
import { settleUsers } from '../../user-store/life-cycle/settle-users.js';
import { setAside, setUserAside, takeBack } from '../../user-store/life-cycle/unsettled-users.js';
import { markChanged } from '../../user-store/served/raise-revision.js';
import { UserWhere } from '../../user-store/user-where.js';

/** For so long at most, the status of a user is behind the clock. */
const PAUSE_MS = 1_000;
const PAUSE_AFTER_FAILURE_MS = 10_000;
/** Users in one transaction, which other changes wait for: some 150 ms. */
const BATCH = 2_000;
/** The advisory lock of the replica that is at work. */
const LIFE_CYCLE_LOCK = 0x6c_69_66_65; // "life"

/**
 * What happens to users because time passes or traffic has come: holds end, users expire or are limited, counters return
 * to zero, next plans begin, and who has been at the end for long is deleted. What is missed is made good once. A user for
 * whom that fails is set aside for a while: all others go on.
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
    const { manager } = this.database;
    const { now, ids } = await dueUsers(manager, BATCH, at, await setAside(manager, at));
    return this.eachApart(ids, (manager, some) => settle(manager, { now, ids: some }));
  }

  private async deleteEnded(at?: Date): Promise<number> {
    const { manager } = this.database;
    const aside = await setAside(manager, at);
    const found = await endedUsers(manager, this.rules, BATCH, at, aside);
    let deleted = 0;
    const looked = await this.eachApart(found, async (manager, some) => {
      await lockRevision(manager);
      const ended = new Set(await endedUsers(manager, this.rules, BATCH, at, aside));
      const ids = some.filter((id) => ended.has(id));
      const gone = await deleteUsers(manager, new UserWhere().and('users.id = ANY (?::integer[])', ids));
      if (gone.length === 0) return;
      const names = gone.map(({ username }) => username);
      const after = { affected_users: gone.length };
      await recordAudit(manager, { action: 'user.auto_delete', target: 'users', after, deleted: names });
      deleted += gone.length;
    });
    if (deleted > 0) this.logger.log(`deleted ${deleted} users who had been at their end for long`);
    return looked;
  }

  /**
   * All of them together; where that fails, in halves, until who it fails for stands alone and is set aside. Answers how many
   * that were; none where another replica is at work.
   */
  private async eachApart(
    ids: readonly number[],
    task: (manager: EntityManager, some: readonly number[]) => Promise<void>,
  ): Promise<number> {
    if (ids.length === 0) return 0;
    try {
      const done = await withAdvisoryLock(this.database, LIFE_CYCLE_LOCK, async (manager) => {
        await task(manager, ids);
        return ids.length;
      });
      return done ?? 0;
    } catch (error) {
      if (databaseFailure(error)) throw error;
      const [id] = ids;
      if (ids.length === 1 && id !== undefined) await this.leaveAside(id, error);
      else for (const half of halves(ids)) await this.eachApart(half, task);
      return ids.length;
    }
  }

  private async leaveAside(id: number, error: unknown): Promise<void> {
    const username = await setUserAside(this.database.manager, id);
    if (username === undefined) return;
    this.logger.error(`the user "${username}" is set aside, because what is due fails: ${String(error)}`);
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

function halves<T>(items: readonly T[]): (readonly T[])[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

async function settle(manager: EntityManager, due: DueUsers): Promise<void> {
  await lockRevision(manager);
  await markChanged(manager, await settleUsers(manager, due));
  await takeBack(manager, due.ids);
}
