import { networkText } from '@rampart/core-config';
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

/** Maximum number of users of a stream in one plan; more would only delay the first of them. */
const MAX_BATCH_USERS = 500;
/** Changes of other calls may come between the steps of so many users. More are one step, for which a new engine may be faster. */
const MAX_INTERLEAVED_USERS = 1_000;
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

/** Results of one call so far. */
interface CallOutcome {
  readonly refused: Map<string, RefusedChange>;
  readonly stale: StaleUser[];
}

/** One step of a call: users that are changed together. */
interface CallStep extends CallOutcome {
  readonly users: readonly RawUser[];
}

/** The result of a Start; `changed` is only known when the engine was not restarted. */
type StartOutcome = Pick<UserReplacement, 'refused'> & Partial<UserReplacement>;

type SessionBackend = Pick<
  ProxyBackend,
  | ('running' | 'users' | 'warnings' | 'start' | 'replaceUsers' | 'changeUsers')
  | ('prepare' | 'abortStart' | 'stop' | 'leave' | 'endLeftEngines')
>;

/** The state between Start and Stop: one configuration, one set of users, and one order of changes. */
export class Session {
  readonly keepAlive: KeepAlive;
  /**
   * Settles when the restore of the saved session has succeeded or failed; already settled when no restore was
   * requested.
   */
  restored: Promise<void> = Promise.resolve();
  private readonly queue = new ChangeQueue<CallStep>((steps) => this.applySteps(steps), MAX_BATCH_USERS);
  private readonly users: AcceptedUsers;
  /** The terms are undefined before Start and after Stop. */
  private terms?: RunningTerms;
  private retry?: NodeJS.Timeout;
  /** Why the saved session could not be restored. */
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

  /** Whether the node was started and not stopped. */
  get started(): boolean {
    return this.terms !== undefined;
  }

  /** Digest of the started configuration; empty when there is none. */
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

  /** Whether the engine should run. */
  get isWanted(): boolean {
    return this.started || this.restoreProblem !== undefined;
  }

  /** Restores the session that ran when the node's process last ended. Calls that arrive meanwhile wait. */
  restoreSavedSession(): Promise<void> {
    this.restored = this.queue.run(async () => {
      await this.backend.prepare();
      const saved = await this.store.loadSession();
      if (saved !== undefined) await this.resumeSavedSession(saved);
      // An engine that the previous node has left must not serve a session that was ended.
      else await this.backend.endLeftEngines();
    });
    return this.restored;
  }

  /** Replaces the current session. With the same configuration only users change, and no process is restarted. */
  start({
    type,
    config: text,
    excludeInbounds,
    privateNetworks,
    keepAlive,
    users,
    ...request
  }: RawBackend): Promise<void> {
    if (type !== BackendType.XRAY) {
      throw new NodeError('INVALID_ARGUMENT', `type ${type} is not known here; use 0 (xray)`);
    }
    const allowedNetworks = privateNetworks?.allowed.map(readNetwork);
    const revision = newestRevisionOf(request.revision, users);
    return this.queue.run(async () => {
      this.users.checkSetRevision(revision);
      const config = { text, excludedInbounds: excludeInbounds, allowedNetworks };
      const before = this.terms?.digest;
      try {
        const { refused, changed } = await this.applyStart(config, keepAlive, users);
        this.log.note(this.describeStart(before));
        await this.users.recordSet({ config, keepAlive }, revision, refused, changed);
      } catch (error) {
        const runsOn = before === undefined ? '' : '; the previous configuration still runs';
        this.log.warn(`Start failed: ${NodeError.from(error).message}${runsOn}`);
        throw error;
      }
    });
  }

  /** Ends the session and deletes its saved state. Interrupts a Start that is under way, since that Start may hang. */
  stop(): Promise<void> {
    this.backend.abortStart(new NodeError('INTERRUPTED', 'Stop came while the engine was starting'));
    return this.queue.run(async () => {
      const ran = this.started;
      await this.endSession();
      await this.store.deleteSession();
      this.log.note(ran ? 'Stop: the engine has ended' : 'Stop: nothing ran');
    });
  }

  /** Ends the engine when the node ends, and keeps the saved session for the next start. */
  close(): Promise<void> {
    return this.queue.run(() => this.endSession());
  }

  /** Leaves the engine running for the next node, and keeps the saved session. */
  leave(): Promise<void> {
    return this.queue.run(() => this.endSession(() => this.backend.leave()));
  }

  /** Replaces all users by exactly these. */
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

  /** Changes these users; all others stay. Nothing changes before the last chunk has arrived. */
  async syncUsersChunked(chunks: AsyncIterable<RawUsersChunk>): Promise<void> {
    const users = await gatherChunks(chunks);
    await this.changeInSteps(users.length > MAX_INTERLEAVED_USERS ? [[users]] : stepsOf(users));
  }

  /** Changes users one after another as they arrive. */
  changeUsers(users: AsyncIterable<RawUser> | Iterable<RawUser>): Promise<void> {
    return this.changeInSteps(batchesWithoutRepeats(users));
  }

  /**
   * Refused and stale users are named at the end; all others are applied. The parts of a batch have arrived together
   * and are queued before changes of other calls.
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

  /**
   * Retries refused users, since their credentials may have become free: the result must not depend on how a stream is
   * split into steps.
   */
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

  /** A problem of the machine may be temporary, so the restore is retried until a Start or Stop comes. */
  private async resumeSavedSession(saved: SavedSession): Promise<void> {
    try {
      const { refused } = await this.applyStart(saved.config, saved.keepAlive, saved.users);
      await this.users.recordRestored(saved, refused);
      this.log.note(`the saved session runs again, with ${this.backend.users.count} users`);
    } catch (error) {
      const { code, message } = NodeError.from(error);
      const problem = `the saved session was not started again: ${message}`;
      if (problem !== this.restoreProblem) this.log.warn(problem);
      this.restoreProblem = problem;
      // A node that shuts down leaves its engine to the next one.
      if (code === 'SHUTTING_DOWN') return;
      // Nothing tells an engine that goes on which users are removed meanwhile.
      if (code !== 'START_FAILED') return this.backend.endLeftEngines();
      const retry = setTimeout(() => {
        void this.queue.run(async () => {
          if (this.retry === retry && !this.started) await this.resumeSavedSession(saved);
        });
      }, RETRY_MS);
      this.retry = retry;
    }
  }

  private async endSession(endEngine = () => this.backend.stop()): Promise<void> {
    clearTimeout(this.retry);
    this.retry = undefined;
    this.restoreProblem = undefined;
    this.keepAlive.disarm();
    this.meter.stopReading();
    await endEngine();
    this.terms = undefined;
    this.users.clearUsers();
  }

  /** Ends the session after keepAlive, unless a call has come before the queued task runs. */
  private endExpiredSession(): void {
    const ending = this.queue.run(async () => {
      if (!this.keepAlive.expired) return this.keepAlive.scheduleCheck();
      this.log.note('no call came within keepAlive: stopping');
      await this.endSession();
      await this.store.deleteSession();
    });
    ending.catch((error: unknown) => this.log.warn(`the engine was not stopped: ${NodeError.from(error).message}`));
  }

  /** @param before digest of the configuration that ran when the Start came */
  private describeStart(before: string | undefined): string {
    const users = `${this.backend.users.count} users are served`;
    if (before === undefined) return `Start: the engine runs, ${users}`;
    const what = before === this.configDigest ? 'the same configuration' : 'another configuration';
    return `Start with ${what}: ${users}`;
  }

  private requireTerms(): RunningTerms {
    if (this.terms === undefined) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
    return this.terms;
  }
}

/** @throws NodeError INVALID_ARGUMENT for what is no network */
function readNetwork(text: string, index: number): string {
  const network = networkText(text);
  if (network !== undefined) return network;
  const path = `private_networks.allowed[${index}]`;
  throw new NodeError('INVALID_ARGUMENT', `${path}: "${text}" is no network; use one such as 10.1.0.0/16`);
}

/** Splits users without repeated e-mails into steps, each of which is carried out before the next one is queued. */
function* stepsOf(users: readonly RawUser[]): Generator<[RawUser[]], void> {
  for (let at = 0; at < users.length; at += MAX_BATCH_USERS) yield [users.slice(at, at + MAX_BATCH_USERS)];
}

/** Splits the arrived users into parts without repeated e-mails. */
async function* batchesWithoutRepeats(
  users: AsyncIterable<RawUser> | Iterable<RawUser>,
): AsyncGenerator<Iterable<RawUser[]>, void> {
  for await (const batch of batchAvailable(users, MAX_BATCH_USERS)) yield splitAtRepeats(batch, ({ email }) => email);
}

/** Waits for all changes, also when one fails. */
async function waitForAll(changes: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(changes);
  await Promise.all(changes);
}

/** Returns the revision of a full set: its own, or else the highest one of its users. */
function newestRevisionOf(revision: bigint, users: readonly RawUser[]): bigint {
  if (revision !== 0n) return revision;
  let newest = 0n;
  for (const user of users) if (user.revision > newest) newest = user.revision;
  return newest;
}
