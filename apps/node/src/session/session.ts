import { BackendType, type RefusedUser } from '@rampart/node-client';
import type { BackendConfig, ProxyBackend, UserReplacement } from '../backend/backend.js';
import { NodeError } from '../errors/node-error.js';
import type { NodeLog } from '../logs/node-log.js';
import type { TrafficMeter } from '../traffic/traffic-meter.js';
import type { RawBackend, RawUsersChunk } from '../wire/raw-messages.js';
import type { RawUser } from '../wire/raw-user.js';
import { AcceptedUsers } from './accepted-users.js';
import { batchAvailable, splitAtRepeats } from './batches.js';
import { ChangeQueue } from './change-queue.js';
import { configDigest } from './config-digest.js';
import { gatherChunks } from './gather-chunks.js';
import { KeepAlive } from './keep-alive.js';
import { type StaleUser, staleUsersError, usersRefusedError } from './refusal-errors.js';
import type { SavedSession, SessionStore } from './session-store.js';

/** Users of a stream that one plan changes at most; more only make the first of them wait. */
const MAX_BATCH_USERS = 500;
const RETRY_MS = 5000;

interface RunningTerms {
  readonly config: BackendConfig;
  readonly keepAlive: bigint;
  readonly digest: string;
}

interface RefusedChange {
  readonly user: RawUser;
  readonly refusal: RefusedUser;
}

/** What one call knows so far. */
interface CallOutcome {
  readonly refused: Map<string, RefusedChange>;
  readonly stale: StaleUser[];
}

/** A part of one call. */
interface CallStep extends CallOutcome {
  readonly users: readonly RawUser[];
}

/** What is known after a Start; what has changed only where the engine ran on. */
type StartOutcome = Pick<UserReplacement, 'refused'> & Partial<UserReplacement>;

type SessionBackend = Pick<
  ProxyBackend,
  'running' | 'users' | 'warnings' | 'start' | 'replaceUsers' | 'changeUsers' | 'prepare' | 'abortStart' | 'stop'
>;

/** What the caller and the node agreed on: one configuration, one user set, in one order of changes. */
export class Session {
  readonly keepAlive: KeepAlive;
  /** When it is settled whether something runs again after the node came up; at once when nobody asked. */
  restored: Promise<void> = Promise.resolve();
  private readonly queue = new ChangeQueue<CallStep>((steps) => this.applySteps(steps), MAX_BATCH_USERS);
  private readonly users: AcceptedUsers;
  /** Nothing before Start and after Stop. */
  private terms?: RunningTerms;
  private retry?: NodeJS.Timeout;
  /** Why what ran before does not run again. */
  private restoreProblem?: string;

  constructor(
    private readonly backend: SessionBackend,
    private readonly meter: Pick<TrafficMeter, 'startReading' | 'stopReading'>,
    private readonly log: NodeLog,
    private readonly store: SessionStore,
  ) {
    this.users = new AcceptedUsers(() => backend.users, store, log);
    this.keepAlive = new KeepAlive(() => this.endExpiredSession());
  }

  /** Whether Start succeeded and Stop did not follow. */
  get started(): boolean {
    return this.terms !== undefined;
  }

  /** Of the configuration that was started; empty when none is. */
  get configDigest(): string {
    return this.terms?.digest ?? '';
  }

  /** Users of the last Start or sync that are not served, with reasons. */
  get refused(): RefusedUser[] {
    return this.users.refused;
  }

  get warnings(): string[] {
    const problems = [this.restoreProblem, this.store.problem].filter((problem) => problem !== undefined);
    return [...this.backend.warnings, ...problems];
  }

  /** Runs again what ran when the node's process ended last. Calls that come meanwhile wait. */
  restoreSavedSession(): Promise<void> {
    this.restored = this.queue.run(async () => {
      await this.backend.prepare();
      const saved = await this.store.loadSession();
      if (saved !== undefined) await this.resumeSavedSession(saved);
    });
    return this.restored;
  }

  /** Whoever starts takes over. The same configuration again changes no process, only users. */
  start({ type, config: text, excludeInbounds, keepAlive, users, ...request }: RawBackend): Promise<void> {
    if (type !== BackendType.XRAY) {
      throw new NodeError('INVALID_ARGUMENT', `type ${type} is not known here; use 0 (xray)`);
    }
    const revision = newestRevisionOf(request.revision, users);
    return this.queue.run(async () => {
      this.users.checkSetRevision(revision);
      const config = { text, excludedInbounds: excludeInbounds };
      const before = this.terms?.digest;
      try {
        const { refused, changed } = await this.applyStart(config, keepAlive, users);
        this.log.note(this.describeStart(before));
        await this.users.recordSet({ config, keepAlive }, revision, refused, changed);
      } catch (error) {
        const runsOn = before === undefined ? '' : '; what ran before runs on';
        this.log.warn(`Start failed: ${NodeError.from(error).message}${runsOn}`);
        throw error;
      }
    });
  }

  /** A Start that is under way is interrupted: it may hang. */
  stop(): Promise<void> {
    this.backend.abortStart(new NodeError('INTERRUPTED', 'Stop came while the engine was starting'));
    return this.queue.run(async () => {
      const ran = this.started;
      await this.endSession();
      await this.store.deleteSession();
      this.log.note(ran ? 'Stop: the engine has ended' : 'Stop: nothing ran');
    });
  }

  /** The node ends: what runs is to run again when it comes back. */
  close(): Promise<void> {
    return this.queue.run(() => this.endSession());
  }

  /** Exactly these users from now on. */
  syncUsers(users: readonly RawUser[], givenRevision: bigint): Promise<void> {
    const revision = newestRevisionOf(givenRevision, users);
    return this.queue.run(async () => {
      const terms = this.requireTerms();
      this.users.checkSetRevision(revision);
      const { refused, changed } = await this.backend.replaceUsers(users);
      await this.users.recordSet(terms, revision, refused, changed);
      if (refused.length > 0) throw usersRefusedError(refused);
    });
  }

  /** These users as they are said to be; all others stay. Nothing changes before the last chunk is there. */
  async syncUsersChunked(chunks: AsyncIterable<RawUsersChunk>): Promise<void> {
    await this.changeInSteps([[await gatherChunks(chunks)]]);
  }

  /** One user after another as they come. */
  changeUsers(users: AsyncIterable<RawUser> | Iterable<RawUser>): Promise<void> {
    return this.changeInSteps(batchesWithoutRepeats(users));
  }

  /**
   * Users who are refused or overtaken are named at the end; all others hold. The parts of a batch arrived together: what
   * others say meanwhile comes after all of them.
   */
  private async changeInSteps(
    batches: AsyncIterable<Iterable<RawUser[]>> | Iterable<Iterable<RawUser[]>>,
  ): Promise<void> {
    const outcome: CallOutcome = { refused: new Map(), stale: [] };
    const { refused, stale } = outcome;
    let count = 0;
    for await (const parts of batches) {
      const changes = Array.from(parts, (users) => this.queue.enqueueChange({ users, ...outcome }));
      count += changes.length;
      await waitForAll(changes);
    }
    if (count > 1 && refused.size > 0) await this.queue.run(() => this.retryRefusedUsers(outcome));
    if (refused.size > 0) throw usersRefusedError([...refused.values()].map(({ refusal }) => refusal));
    if (stale.length > 0) throw staleUsersError(stale);
  }

  private async applySteps(steps: readonly CallStep[]): Promise<void> {
    this.requireTerms();
    const current = steps.map((step) => ({ ...step, users: this.users.withoutStaleUsers(step.users, step.stale) }));
    const all = current.flatMap(({ users }) => users);
    const refusals = await this.backend.changeUsers(all);
    const reasons = new Map(refusals.map((refusal) => [refusal.email, refusal]));
    await this.users.recordChanges(all, reasons);
    for (const { users, refused } of current) {
      for (const user of users) {
        const refusal = reasons.get(user.email);
        if (refusal === undefined) refused.delete(user.email);
        else refused.set(user.email, { user, refusal });
      }
    }
    this.keepAlive.recordCall();
  }

  /** What they were refused may be free by now: how a stream is cut into steps must not decide who gets in. */
  private retryRefusedUsers(outcome: CallOutcome): Promise<void> {
    const open = [...outcome.refused.values()].filter(({ refusal }) => this.users.isRefused(refusal));
    return this.applySteps([{ users: open.map(({ user }) => user), ...outcome }]);
  }

  private async applyStart(config: BackendConfig, keepAlive: bigint, users: readonly RawUser[]): Promise<StartOutcome> {
    const digest = configDigest(config);
    const same = digest === this.terms?.digest && this.backend.running;
    const outcome = same
      ? await this.backend.replaceUsers(users)
      : { refused: await this.backend.start(config, users) };
    clearTimeout(this.retry);
    this.restoreProblem = undefined;
    this.terms = { config, keepAlive, digest };
    this.keepAlive.arm(keepAlive);
    this.meter.startReading();
    return outcome;
  }

  /** When the machine is at fault it may be so for a while only: then again, until somebody starts or stops. */
  private async resumeSavedSession(saved: SavedSession): Promise<void> {
    try {
      const { refused } = await this.applyStart(saved.config, saved.keepAlive, saved.users);
      await this.users.recordRestored(saved, refused);
      this.log.note(`what ran before runs again, with ${this.backend.users.count} users`);
    } catch (error) {
      const { code, message } = NodeError.from(error);
      const problem = `what ran before was not started again: ${message}`;
      if (problem !== this.restoreProblem) this.log.warn(problem);
      this.restoreProblem = problem;
      if (code !== 'START_FAILED') return;
      const retry = setTimeout(() => {
        void this.queue.run(async () => {
          if (this.retry === retry && !this.started) await this.resumeSavedSession(saved);
        });
      }, RETRY_MS);
      this.retry = retry;
    }
  }

  private async endSession(): Promise<void> {
    clearTimeout(this.retry);
    this.retry = undefined;
    this.restoreProblem = undefined;
    this.keepAlive.disarm();
    this.meter.stopReading();
    await this.backend.stop();
    this.terms = undefined;
    this.users.clearUsers();
  }

  /** By the time that it is our turn somebody may have called. */
  private endExpiredSession(): void {
    const ending = this.queue.run(async () => {
      if (!this.keepAlive.expired) return this.keepAlive.scheduleCheck();
      this.log.note('nobody called within keepAlive: stopping');
      await this.endSession();
      await this.store.deleteSession();
    });
    ending.catch((error: unknown) => this.log.warn(`not stopped: ${NodeError.from(error).message}`));
  }

  /** @param before the digest of the configuration that ran when the Start came. */
  private describeStart(before: string | undefined): string {
    const users = `${this.backend.users.count} users are served`;
    if (before === undefined) return `Start: the engine runs, ${users}`;
    const what = before === this.configDigest ? 'the configuration that ran' : 'another configuration';
    return `Start took over with ${what}: ${users}`;
  }

  private requireTerms(): RunningTerms {
    if (this.terms === undefined) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
    return this.terms;
  }
}

/** What has arrived, in parts that have nobody twice. */
async function* batchesWithoutRepeats(
  users: AsyncIterable<RawUser> | Iterable<RawUser>,
): AsyncGenerator<Iterable<RawUser[]>, void> {
  for await (const batch of batchAvailable(users, MAX_BATCH_USERS)) yield splitAtRepeats(batch, ({ email }) => email);
}

/** Waits for all of them, also when one fails. */
async function waitForAll(changes: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(changes);
  await Promise.all(changes);
}

/** A set is as old as its revision or, without one, as the newest user in it. */
function newestRevisionOf(revision: bigint, users: readonly RawUser[]): bigint {
  if (revision !== 0n) return revision;
  let newest = 0n;
  for (const user of users) if (user.revision > newest) newest = user.revision;
  return newest;
}
