import { setTimeout as wait } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../../audit/record-audit.js';
import { withAdvisoryLock } from '../../database/advisory-lock.js';
import { lockRevision } from '../../database/revision.js';
import { ManagementEnv } from '../../env/management-env.js';
import { databaseFailure } from '../../errors/to-management-error.js';
import {
  claimCredentials,
  decideClaims,
  findClashing,
  findUnclaimed,
} from '../../user-store/clashes/claim-credentials.js';
import { deleteUsers } from '../../user-store/delete-users.js';
import { type DueUsers, dueUsers } from '../../user-store/life-cycle/due-users.js';
import { type DeletionRules, endedUsers } from '../../user-store/life-cycle/ended-users.js';
import { settleUsers } from '../../user-store/life-cycle/settle-users.js';
import { clearUsersSetAside, findUsersSetAside, setUserAside } from '../../user-store/life-cycle/unsettled-users.js';
import { UserWhere } from '../../user-store/selection/user-where.js';
import { markChanged } from '../../user-store/served/raise-revision.js';

/** Pause between two runs; a status lags behind the clock by at most this time. */
const PAUSE_MS = 1_000;
const PAUSE_AFTER_FAILURE_MS = 10_000;
/** Maximum number of users in one transaction; other changes wait for it, some 150 ms. */
const MAX_BATCH_USERS = 2_000;
/** The key of the advisory lock that the working replica holds. */
const LIFE_CYCLE_LOCK = 0x6c_69_66_65; // "life"

/**
 * Makes the changes of users that follow from time and traffic: holds end, users expire or are limited, counters are reset,
 * next plans begin, and users who ended long ago are deleted. It also decides who holds a stored credential. Missed changes are made up for once. A user whose change fails
 * is set aside for some minutes, and the others continue.
 */
@Injectable()
export class UserLifeCycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Users');
  private readonly stopping = new AbortController();
  private readonly rules: DeletionRules;
  private running: Promise<void> = Promise.resolve();
  private closing = false;
  /** The last user whom `reclaimCredentials` has looked at; 0: it begins anew. */
  private lastClashing = 0;

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

  /** Stops the periodic runs; only calls of `run` do work from then on. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /**
   * Makes all changes that are due at a moment, by default now by the database's clock. Does nothing while another
   * replica runs.
   */
  async run(at?: Date): Promise<void> {
    for (const step of [() => this.claimCredentials(), () => this.settleDue(at), () => this.deleteEnded(at)]) {
      for (let done = MAX_BATCH_USERS; done === MAX_BATCH_USERS && !this.closing; ) done = await step();
    }
    await this.reclaimCredentials();
  }

  /** Decides who holds the credentials in rows that another program has written. */
  private async claimCredentials(): Promise<number> {
    const find = (manager: EntityManager) => findUnclaimed(manager, MAX_BATCH_USERS);
    if ((await find(this.database.manager)).length === 0) return 0;
    const claims = await this.alone((manager) => claimCredentials(manager, find));
    const losers = (claims ?? []).filter(({ newRivals }) => newRivals.length > 0).length;
    if (losers > 0)
      this.logger.warn(
        `${losers} users have a credential that an older user has, and nodes serve the older one: rampart doctor names them`,
      );
    return claims?.length ?? 0;
  }

  /** Gives credentials that their older holders have given up to the users who have the same ones. */
  private async reclaimCredentials(): Promise<void> {
    const after = this.lastClashing;
    const find = (manager: EntityManager) => findClashing(manager, MAX_BATCH_USERS, after);
    const rows = await find(this.database.manager);
    this.lastClashing = rows.length === MAX_BATCH_USERS ? (rows.at(-1)?.id ?? 0) : 0;
    const claims = rows.length === 0 ? [] : await decideClaims(this.database.manager, rows);
    if (claims.some(({ gains }) => gains)) await this.alone((manager) => claimCredentials(manager, find));
  }

  /** Runs a task, unless another replica runs the life cycle. */
  private alone<T>(task: (manager: EntityManager) => Promise<T>): Promise<T | undefined> {
    return withAdvisoryLock(this.database, LIFE_CYCLE_LOCK, task);
  }

  private async settleDue(at?: Date): Promise<number> {
    const { manager } = this.database;
    const { now, ids } = await dueUsers(manager, MAX_BATCH_USERS, at, await findUsersSetAside(manager, at));
    return this.runIsolatingFailures(ids, (manager, some) => settle(manager, { now, ids: some }));
  }

  private async deleteEnded(at?: Date): Promise<number> {
    const { manager } = this.database;
    const aside = await findUsersSetAside(manager, at);
    const found = await endedUsers(manager, this.rules, MAX_BATCH_USERS, at, aside);
    let deleted = 0;
    const looked = await this.runIsolatingFailures(found, async (manager, some) => {
      await lockRevision(manager);
      const ended = new Set(await endedUsers(manager, this.rules, MAX_BATCH_USERS, at, aside));
      const ids = some.filter((id) => ended.has(id));
      const gone = await deleteUsers(manager, new UserWhere().and('users.id = ANY (?::integer[])', ids));
      if (gone.length === 0) return;
      const names = gone.map(({ username }) => username);
      const after = { affected_users: gone.length };
      await recordAudit(manager, { action: 'user.auto_delete', target: 'users', after, deleted: names });
      deleted += gone.length;
    });
    if (deleted > 0) this.logger.log(`deleted ${deleted} users whose end was long enough ago`);
    return looked;
  }

  /**
   * Runs a task for all users together. When it fails, it runs for each half, until the failing user is isolated and
   * set aside. Returns the number of users; 0 while another replica runs the life cycle.
   */
  private async runIsolatingFailures(
    ids: readonly number[],
    task: (manager: EntityManager, some: readonly number[]) => Promise<void>,
  ): Promise<number> {
    if (ids.length === 0) return 0;
    try {
      const done = await this.alone(async (manager) => {
        await task(manager, ids);
        return ids.length;
      });
      return done ?? 0;
    } catch (error) {
      if (databaseFailure(error)) throw error;
      const [id] = ids;
      if (ids.length === 1 && id !== undefined) await this.setAsideAfterFailure(id, error);
      else for (const half of halves(ids)) await this.runIsolatingFailures(half, task);
      return ids.length;
    }
  }

  private async setAsideAfterFailure(id: number, error: unknown): Promise<void> {
    const username = await setUserAside(this.database.manager, id);
    if (username === undefined) return;
    this.logger.error(`the user "${username}" is set aside, because what is due fails: ${String(error)}`);
  }

  private async repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pause = await this.run().then(
        () => PAUSE_MS,
        (error: Error) => {
          this.logger.warn(`the life cycle of users failed and will be tried again: ${error.message}`);
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
  await clearUsersSetAside(manager, due.ids);
}
