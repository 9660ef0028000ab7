import { type Backend, BackendType, Proxy as Credentials, type RefusedUser, type User } from '@rampart/node-client';
import type { BackendConfig, BackendUser, ProxyBackend } from '../backend/backend.js';
import { NodeError } from '../errors/node-error.js';
import type { LogRing } from '../logs/log-ring.js';
import { SerialQueue } from '../serial-queue.js';
import type { TrafficMeter } from '../traffic/traffic-meter.js';
import { inBatches, withoutRepeats } from './batches.js';
import { configDigest } from './config-digest.js';
import { KeepAlive } from './keep-alive.js';
import { refusalText, type StaleUser, staleSet, staleUsers, usersRefused } from './refusals.js';
import { Revisions } from './revisions.js';

/** Users that one plan changes at most; more only make the first of them wait. */
const BATCH_SIZE = 500;

interface Refusal {
  readonly user: User;
  readonly refusal: RefusedUser;
}

/** What the caller and the node agreed on: one configuration, one user set, in one order of changes. */
export class Session {
  readonly keepAlive: KeepAlive;
  private readonly queue = new SerialQueue();
  private readonly revisions = new Revisions();
  /** Of the configuration that runs; nothing before Start and after Stop. */
  private digest?: string;
  private refusedUsers = new Map<string, RefusedUser>();

  constructor(
    private readonly backend: ProxyBackend,
    private readonly traffic: TrafficMeter,
    private readonly logs: LogRing,
  ) {
    this.keepAlive = new KeepAlive(() => this.expire());
  }

  /** Whether Start succeeded and Stop did not follow. */
  get started(): boolean {
    return this.digest !== undefined;
  }

  /** Users of the last Start or sync that are not served, with reasons. */
  get refused(): RefusedUser[] {
    return [...this.refusedUsers.values()];
  }

  /** Whoever starts takes over. The same configuration again changes no process, only users. */
  start(request: Backend): Promise<void> {
    if (request.type !== BackendType.XRAY) {
      throw new NodeError('INVALID_ARGUMENT', `type ${request.type} is not known here; use 0 (xray)`);
    }
    const config: BackendConfig = { text: request.config, excludedInbounds: request.excludeInbounds };
    const revision = setRevision(request.revision, request.users);
    return this.queue.run(async () => {
      this.checkSet(revision);
      const digest = configDigest(config);
      const users = request.users.map(backendUser);
      const same = digest === this.digest && this.backend.running;
      const refused = same ? await this.backend.replaceUsers(users) : await this.backend.start(config, users);
      this.digest = digest;
      this.appliedSet(revision, refused);
      this.keepAlive.arm(request.keepAlive);
      this.traffic.run();
    });
  }

  stop(): Promise<void> {
    return this.queue.run(() => this.end());
  }

  /** Exactly these users from now on. */
  syncUsers(users: readonly User[], givenRevision: bigint): Promise<void> {
    const revision = setRevision(givenRevision, users);
    return this.queue.run(async () => {
      this.checkStarted();
      this.checkSet(revision);
      const refused = await this.backend.replaceUsers(users.map(backendUser));
      this.appliedSet(revision, refused);
      if (refused.length > 0) throw usersRefused(refused);
    });
  }

  /** One user after another as they come. Those refused or overtaken are named at the end; all others hold. */
  async changeUsers(users: AsyncIterable<User> | Iterable<User>): Promise<void> {
    const refused = new Map<string, Refusal>();
    const stale: StaleUser[] = [];
    let steps = 0;
    for await (const batch of inBatches(users, BATCH_SIZE)) {
      for (const step of withoutRepeats(batch, ({ email }) => email)) {
        steps += 1;
        await this.queue.run(() => this.changeTogether(step, refused, stale));
      }
    }
    if (steps > 1 && refused.size > 0) await this.queue.run(() => this.tryAgain(refused, stale));
    if (refused.size > 0) throw usersRefused([...refused.values()].map(({ refusal }) => refusal));
    if (stale.length > 0) throw staleUsers(stale);
  }

  private async changeTogether(users: readonly User[], refused: Map<string, Refusal>, stale: StaleUser[]) {
    this.checkStarted();
    const current = this.inOrder(users, stale);
    const refusals = await this.backend.changeUsers(current.map(backendUser));
    const reasons = new Map(refusals.map((refusal) => [refusal.email, refusal]));
    this.appliedUsers(current, reasons);
    for (const user of current) {
      const refusal = reasons.get(user.email);
      if (refusal === undefined) refused.delete(user.email);
      else refused.set(user.email, { user, refusal });
    }
    this.keepAlive.touch();
  }

  /** What they were refused may be free by now: how a stream is cut into steps must not decide who gets in. */
  private tryAgain(refused: Map<string, Refusal>, stale: StaleUser[]): Promise<void> {
    const open = [...refused.values()].filter(({ user, refusal }) => this.refusedUsers.get(user.email) === refusal);
    return this.changeTogether(
      open.map(({ user }) => user),
      refused,
      stale,
    );
  }

  private async end(): Promise<void> {
    this.keepAlive.disarm();
    this.traffic.halt();
    await this.backend.stop();
    this.digest = undefined;
    this.revisions.clear();
    this.refusedUsers.clear();
  }

  /** By the time that it is our turn somebody may have called. */
  private expire(): void {
    const ending = this.queue.run(async () => {
      if (!this.keepAlive.expired) return this.keepAlive.watch();
      this.logs.append('[rampart] nobody called within keepAlive: stopping');
      await this.end();
    });
    ending.catch((error: unknown) => this.logs.append(`[rampart] not stopped: ${NodeError.from(error).message}`));
  }

  private checkStarted(): void {
    if (!this.started) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
  }

  private checkSet(revision: bigint): void {
    if (this.revisions.staleSet(revision)) throw staleSet(revision, this.revisions.last);
  }

  private appliedSet(revision: bigint, refused: readonly RefusedUser[]): void {
    this.revisions.appliedSet(revision);
    this.refusedUsers = new Map(refused.map((user) => [user.email, user]));
    if (refused.length > 0) this.logs.append(`[rampart] ${refusalText(refused)}`);
  }

  /** Leaves out, and names, those that a later change has overtaken. */
  private inOrder(users: readonly User[], stale: StaleUser[]): User[] {
    return users.filter(({ email, revision }) => {
      const last = this.revisions.lastOf(email);
      const overtaken = revision !== 0n && revision < last;
      if (overtaken) stale.push({ email, revision, last });
      return !overtaken;
    });
  }

  private appliedUsers(users: readonly User[], refused: ReadonlyMap<string, RefusedUser>): void {
    for (const { email, revision, inbounds } of users) {
      this.refusedUsers.delete(email);
      const refusal = refused.get(email);
      if (refusal === undefined) this.revisions.appliedUser(email, revision, inbounds.length > 0);
      else this.refusedUsers.set(email, refusal);
    }
    if (refused.size > 0) this.logs.append(`[rampart] ${refusalText([...refused.values()])}`);
  }
}

/** A set is as old as its revision or, without one, as the newest user in it. */
function setRevision(revision: bigint, users: readonly User[]): bigint {
  if (revision !== 0n) return revision;
  let newest = 0n;
  for (const user of users) if (user.revision > newest) newest = user.revision;
  return newest;
}

function backendUser({ email, proxies, inbounds }: User): BackendUser {
  return { email, credentials: proxies ?? Credentials.create(), inbounds };
}
