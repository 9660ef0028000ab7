import { BackendType, type RefusedUser } from '@rampart/node-client';
import type { BackendConfig, ProxyBackend } from '../backend/backend.js';
import { NodeError } from '../errors/node-error.js';
import type { LogRing } from '../logs/log-ring.js';
import type { TrafficMeter } from '../traffic/traffic-meter.js';
import type { RawBackend, RawUsersChunk } from '../wire/raw-messages.js';
import { type RawUser, withRevision } from '../wire/raw-user.js';
import { inBatches, inParts, withoutRepeats } from './batches.js';
import { ChangeQueue } from './change-queue.js';
import { gatherChunks } from './chunks.js';
import { configDigest } from './config-digest.js';
import { KeepAlive } from './keep-alive.js';
import { refusalText, type StaleUser, staleSet, staleUsers, usersRefused } from './refusals.js';
import { Revisions } from './revisions.js';
import type { SavedSession, SessionStore } from './session-store.js';

/** Users of a stream that one plan changes at most; more only make the first of them wait. */
const BATCH_SIZE = 500;
/** Users of one list that one plan changes at most: judging them holds up everything else. */
const PART_SIZE = 5000;
const RETRY_MS = 5000;

interface Terms {
  readonly config: BackendConfig;
  readonly keepAlive: bigint;
  readonly digest: string;
}

interface Refusal {
  readonly user: RawUser;
  readonly refusal: RefusedUser;
}

/** A part of one call, and what that call knows so far. */
interface Step {
  readonly users: readonly RawUser[];
  readonly refused: Map<string, Refusal>;
  readonly stale: StaleUser[];
}

type SessionBackend = Pick<
  ProxyBackend,
  'running' | 'users' | 'warnings' | 'start' | 'replaceUsers' | 'changeUsers' | 'endOrphans' | 'stop'
>;

/** What the caller and the node agreed on: one configuration, one user set, in one order of changes. */
export class Session {
  readonly keepAlive: KeepAlive;
  /** When it is settled whether something runs again after the node came up; at once when nobody asked. */
  restored: Promise<void> = Promise.resolve();
  private readonly queue = new ChangeQueue<Step>((steps) => this.changeTogether(steps), BATCH_SIZE);
  private readonly revisions = new Revisions();
  /** Nothing before Start and after Stop. */
  private terms?: Terms;
  private refusedUsers = new Map<string, RefusedUser>();
  private retry?: NodeJS.Timeout;

  constructor(
    private readonly backend: SessionBackend,
    private readonly traffic: Pick<TrafficMeter, 'run' | 'halt'>,
    private readonly logs: LogRing,
    private readonly store: SessionStore,
  ) {
    this.keepAlive = new KeepAlive(() => this.expire());
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
    return [...this.refusedUsers.values()];
  }

  get warnings(): string[] {
    const { problem } = this.store;
    return [...this.backend.warnings, ...(problem === undefined ? [] : [problem])];
  }

  /** Runs again what ran when the node's process ended last. Calls that come meanwhile wait. */
  restore(): Promise<void> {
    this.restored = this.queue.run(async () => {
      await this.backend.endOrphans();
      const saved = await this.store.load();
      if (saved !== undefined) await this.resume(saved);
    });
    return this.restored;
  }

  /** Whoever starts takes over. The same configuration again changes no process, only users. */
  start({ type, config: text, excludeInbounds, keepAlive, users, ...request }: RawBackend): Promise<void> {
    if (type !== BackendType.XRAY) {
      throw new NodeError('INVALID_ARGUMENT', `type ${type} is not known here; use 0 (xray)`);
    }
    const revision = setRevision(request.revision, users);
    return this.queue.run(async () => {
      this.checkSet(revision);
      const refused = await this.run({ text, excludedInbounds: excludeInbounds }, keepAlive, users);
      await this.appliedSet(revision, refused);
    });
  }

  stop(): Promise<void> {
    return this.queue.run(async () => {
      await this.end();
      await this.store.stopped();
    });
  }

  /** The node ends: what runs is to run again when it comes back. */
  close(): Promise<void> {
    return this.queue.run(() => this.end());
  }

  /** Exactly these users from now on. */
  syncUsers(users: readonly RawUser[], givenRevision: bigint): Promise<void> {
    const revision = setRevision(givenRevision, users);
    return this.queue.run(async () => {
      this.checkStarted();
      this.checkSet(revision);
      const refused = await this.backend.replaceUsers(users);
      await this.appliedSet(revision, refused);
      if (refused.length > 0) throw usersRefused(refused);
    });
  }

  /** These users as they are said to be; all others stay. Nothing changes before the last chunk is there. */
  async syncUsersChunked(chunks: AsyncIterable<RawUsersChunk>): Promise<void> {
    await this.changeInSteps(inParts(await gatherChunks(chunks), PART_SIZE));
  }

  /** One user after another as they come. */
  changeUsers(users: AsyncIterable<RawUser> | Iterable<RawUser>): Promise<void> {
    return this.changeInSteps(stepsOf(users));
  }

  /** Users who are refused or overtaken are named at the end; all others hold. */
  private async changeInSteps(steps: AsyncIterable<RawUser[]> | Iterable<RawUser[]>): Promise<void> {
    const refused = new Map<string, Refusal>();
    const stale: StaleUser[] = [];
    let count = 0;
    for await (const users of steps) {
      count += 1;
      await this.queue.change({ users, refused, stale });
    }
    if (count > 1 && refused.size > 0) await this.queue.run(() => this.tryAgain(refused, stale));
    if (refused.size > 0) throw usersRefused([...refused.values()].map(({ refusal }) => refusal));
    if (stale.length > 0) throw staleUsers(stale);
  }

  private async changeTogether(steps: readonly Step[]): Promise<void> {
    this.checkStarted();
    const current = steps.map((step) => ({ ...step, users: this.inOrder(step.users, step.stale) }));
    const all = current.flatMap(({ users }) => users);
    const refusals = await this.backend.changeUsers(all);
    const reasons = new Map(refusals.map((refusal) => [refusal.email, refusal]));
    await this.appliedUsers(all, reasons);
    for (const { users, refused } of current) {
      for (const user of users) {
        const refusal = reasons.get(user.email);
        if (refusal === undefined) refused.delete(user.email);
        else refused.set(user.email, { user, refusal });
      }
    }
    this.keepAlive.touch();
  }

  /** What they were refused may be free by now: how a stream is cut into steps must not decide who gets in. */
  private tryAgain(refused: Map<string, Refusal>, stale: StaleUser[]): Promise<void> {
    const open = [...refused.values()].filter(({ user, refusal }) => this.refusedUsers.get(user.email) === refusal);
    return this.changeTogether([{ users: open.map(({ user }) => user), refused, stale }]);
  }

  private async run(config: BackendConfig, keepAlive: bigint, users: readonly RawUser[]): Promise<RefusedUser[]> {
    const digest = configDigest(config);
    const same = digest === this.terms?.digest && this.backend.running;
    const refused = same ? await this.backend.replaceUsers(users) : await this.backend.start(config, users);
    clearTimeout(this.retry);
    this.terms = { config, keepAlive, digest };
    this.keepAlive.arm(keepAlive);
    this.traffic.run();
    return refused;
  }

  /** When the machine is at fault it may be so for a while only: then again, until somebody starts or stops. */
  private async resume(saved: SavedSession): Promise<void> {
    try {
      this.noteSet(await this.run(saved.config, saved.keepAlive, saved.users));
      this.revisions.restore(saved);
    } catch (error) {
      const { code, message } = NodeError.from(error);
      this.logs.append(`[rampart] what ran before was not started again: ${message}`);
      if (code !== 'START_FAILED') return;
      const retry = setTimeout(() => {
        void this.queue.run(async () => {
          if (this.retry === retry && !this.started) await this.resume(saved);
        });
      }, RETRY_MS);
      this.retry = retry;
    }
  }

  private async end(): Promise<void> {
    clearTimeout(this.retry);
    this.retry = undefined;
    this.keepAlive.disarm();
    this.traffic.halt();
    await this.backend.stop();
    this.terms = undefined;
    this.revisions.clear();
    this.refusedUsers.clear();
  }

  /** By the time that it is our turn somebody may have called. */
  private expire(): void {
    const ending = this.queue.run(async () => {
      if (!this.keepAlive.expired) return this.keepAlive.watch();
      this.logs.append('[rampart] nobody called within keepAlive: stopping');
      await this.end();
      await this.store.stopped();
    });
    ending.catch((error: unknown) => this.logs.append(`[rampart] not stopped: ${NodeError.from(error).message}`));
  }

  private checkStarted(): void {
    if (!this.started) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
  }

  private checkSet(revision: bigint): void {
    if (this.revisions.staleSet(revision)) throw staleSet(revision, this.revisions.last);
  }

  private async appliedSet(revision: bigint, refused: readonly RefusedUser[]): Promise<void> {
    this.revisions.appliedSet(revision);
    this.noteSet(refused);
    if (this.terms === undefined) return;
    const { config, keepAlive } = this.terms;
    await this.store.started({ config, keepAlive, revision: this.revisions.ofSet }, this.backend.users.all());
  }

  private noteSet(refused: readonly RefusedUser[]): void {
    this.refusedUsers = new Map(refused.map((user) => [user.email, user]));
    if (refused.length > 0) this.logs.append(`[rampart] ${refusalText(refused)}`);
  }

  /** Leaves out, and names, those that a later change has overtaken. */
  private inOrder(users: readonly RawUser[], stale: StaleUser[]): RawUser[] {
    return users.filter(({ email, revision }) => {
      const last = this.revisions.lastOf(email);
      const overtaken = revision !== 0n && revision < last;
      if (overtaken) stale.push({ email, revision, last });
      return !overtaken;
    });
  }

  private async appliedUsers(users: readonly RawUser[], refused: ReadonlyMap<string, RefusedUser>): Promise<void> {
    const accepted: RawUser[] = [];
    for (const user of users) {
      const { email, revision, present } = user;
      this.refusedUsers.delete(email);
      const refusal = refused.get(email);
      if (refusal !== undefined) {
        this.refusedUsers.set(email, refusal);
      } else {
        this.revisions.appliedUser(email, revision, present);
        accepted.push(withRevision(user, this.revisions.lastOf(email)));
      }
    }
    if (refused.size > 0) this.logs.append(`[rampart] ${refusalText([...refused.values()])}`);
    if (accepted.length > 0) await this.store.changed(accepted);
  }
}

async function* stepsOf(users: AsyncIterable<RawUser> | Iterable<RawUser>): AsyncGenerator<RawUser[], void> {
  for await (const batch of inBatches(users, BATCH_SIZE)) yield* withoutRepeats(batch, ({ email }) => email);
}

/** A set is as old as its revision or, without one, as the newest user in it. */
function setRevision(revision: bigint, users: readonly RawUser[]): bigint {
  if (revision !== 0n) return revision;
  let newest = 0n;
  for (const user of users) if (user.revision > newest) newest = user.revision;
  return newest;
}
