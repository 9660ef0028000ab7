import { userIdOfNodeEmail } from '@rampart/domain';
import type { BaseInfoResponse, CallOptions, NodeClient, Users } from '@rampart/node-client';
import { after, type ChangePosition, type ServedUser } from '../../user-store/served/served-users.js';
import { isStaleRevisionError, isUsersRefusedError } from '../connection/call-errors.js';
import { BATCH_SIZE } from './change-reader.js';
import type { CoreView } from './core-view.js';
import type { ExpectedUserSet } from './expected-users.js';
import type { FullSetPause } from './full-set-pause.js';
import type { NodeSyncContext } from './node-sync-context.js';
import { Overtaking } from './overtaking.js';
import type { StartPlace } from './start-limiter.js';
import type { UserSet } from './start-request-builder.js';
import { UserIds } from './user-ids.js';
import { ViewBatch } from './view-batch.js';

/** Time for a call with few users. A connection that a network outage has left dead is given up after it. */
const BATCH_CALL_MS = 15_000;
/** Time for each user of a call: twice what the slowest protocol takes with 50,000 users. */
const USER_CALL_MS = 100;
/** So many users go in one message: a message of its own for each takes ten times the time of management. */
const MIN_CHUNK_USERS = 50;

export interface NodeUserSyncEvents {
  /** Whether the node is Rampart's, which takes the users of a message in steps, between which others may come. */
  takesChunks(): boolean;
  /** A batch was sent, and more may follow. */
  batchSent(client: NodeClient): Promise<void>;
  /** All users are about to be replaced, which may restart the engine of another implementation. */
  beforeReplacement(client: NodeClient, signal: AbortSignal): Promise<void>;
  /** The node refused users; its next answer to a health check says which and why. */
  usersRefused(): void;
  /** The node held other users than it should. */
  differenceFound(): Promise<void>;
}

/** What a node was started with, and how far it is. */
interface NodeState {
  /** What it needs to know of users, by the core that it runs. */
  readonly view: CoreView;
  /** The last change that it has received. */
  readonly position: ChangePosition;
}

/**
 * The users on one node: sends what changes of those whom it serves, and compares what the node holds with what it should hold.
 * It hears of no other user, except that those whom it may hold are removed.
 */
export class NodeUserSync {
  /** Undefined until the node was started. */
  private state?: NodeState;
  /** Users whom the node may hold: all that it was sent, without those of whom it has confirmed the removal. */
  private held = new UserIds();
  private nextCompare = 0;
  /** Who has asked for the full set: admins, or we ourselves, because sending it has failed. */
  private fullSetRequested: 'by admins' | 'again' | undefined;
  /** Set while more users are sent than fit into one call. */
  private overtaking: Overtaking | undefined;

  /** @param callOptions for calls that carry users, which take as long as the engine needs */
  constructor(
    private readonly nodeId: number,
    private readonly context: NodeSyncContext,
    private readonly compareMs: number,
    private readonly callOptions: CallOptions & { signal: AbortSignal },
    private readonly fullSets: FullSetPause,
    private readonly events: NodeUserSyncEvents,
  ) {}

  /** Whether the node was started, so that changes of users can be sent. */
  get isStarted(): boolean {
    return this.state !== undefined;
  }

  /** No users are sent before the node has been started again. */
  requireStart(): void {
    this.state = undefined;
  }

  /** The next step compares the users of the node, because something failed. */
  requestComparison(): void {
    this.nextCompare = 0;
  }

  requestFullSet(): void {
    this.fullSetRequested = 'by admins';
  }

  /** The node is about to be sent these users, and may hold them even if the call fails. */
  expectHeld(ids: UserIds): void {
    this.held.addAll(ids);
  }

  /** The node holds exactly these users of a revision. @param view by the core that it runs */
  setInStep(revision: bigint, view: CoreView, ids: UserIds): void {
    this.held = ids.copy();
    this.setPosition(view, after(revision), revision);
    this.nextCompare = performance.now() + this.compareMs;
  }

  /** Reads the state of the node, and of its refused users those whom it may hold. */
  async readInfo(client: NodeClient): Promise<BaseInfoResponse> {
    const { signal } = this.callOptions;
    return this.withKnownRefused(await client.info({ signal, maxEntries: this.held.size }));
  }

  /** Leaves out of the refused users of an answer whom the node was not sent, and who stands there already. */
  withKnownRefused(info: BaseInfoResponse): BaseInfoResponse {
    const named = new UserIds();
    const refused = info.refused.filter(({ email }) => {
      const id = userIdOfNodeEmail(email);
      if (id === undefined || !this.held.has(id) || named.has(id)) return false;
      named.add(id);
      return true;
    });
    return { ...info, refused };
  }

  /** There may be changes to send. The next step sends them, unless one is sending many users now. */
  announceChange(): void {
    this.overtaking?.announceChange();
  }

  async sendChanges(client: NodeClient): Promise<void> {
    try {
      for (let more = true; more; ) {
        if (!this.state) return;
        const { view, position } = this.state;
        const users = await this.context.changes.changesAfter(position);
        more = users.length === BATCH_SIZE;
        if (more) this.overtaking ??= this.beginOvertaking(client, view, position.revision);
        await this.sendBatch(client, view, users);
        await this.events.batchSent(client);
      }
    } finally {
      const { overtaking } = this;
      this.overtaking = undefined;
      await overtaking?.settle();
    }
  }

  /** @param revision older than every change that may overtake */
  private beginOvertaking(client: NodeClient, view: CoreView, revision: bigint): Overtaking {
    return new Overtaking(revision, {
      read: (newerThan) => this.context.changes.smallChangesAfter(newerThan),
      send: (users) => this.sendAhead(client, ViewBatch.of(users, view)),
    });
  }

  /** Who is removed here may come with the batch that is on its way, so the removal is sent once more in its turn. */
  private async sendAhead(client: NodeClient, batch: ViewBatch): Promise<void> {
    const messages = batch.messages(this.neverHeldOf(batch));
    for (const { id } of batch.served) this.held.add(id);
    if (messages.length > 0) await this.exceptRefused(client.syncUser(messages, this.callOptions));
  }

  /** The ids of users of whom the node must not hear: it neither serves them nor holds them. */
  private neverHeldOf({ others }: ViewBatch): Set<number> {
    return new Set(others.map(({ id }) => id).filter((id) => !this.held.has(id)));
  }

  /** Sends the full set where it was requested or the comparison finds a difference, for which a pause lets nobody look. */
  async compareIfDue(client: NodeClient): Promise<void> {
    if (!this.state) return;
    const { view } = this.state;
    const isOrdered = this.fullSetRequested === 'by admins';
    if (!isOrdered && this.fullSets.text !== undefined) return;
    if (this.fullSetRequested) return this.sendFullSet(client, view, isOrdered);
    if (performance.now() < this.nextCompare) return;
    let result = await this.compare(client);
    if (typeof result === 'object') {
      // The digests in memory may be wrong too, so only a difference to freshly read users counts. Reading them is most of
      // what a full set costs, whatever the node answers then.
      this.fullSets.setSent();
      result = await this.compare(client, result);
    }
    if (result === 'postponed') return;
    this.nextCompare = performance.now() + this.compareMs;
    if (result === 'equal') return;
    await this.events.differenceFound();
    await this.sendFullSet(client, view, true);
  }

  /** Returns `postponed` while too much changes, and the expected users where the node holds others. */
  private async compare(
    client: NodeClient,
    doubted?: ExpectedUserSet,
  ): Promise<'equal' | 'postponed' | ExpectedUserSet> {
    if (!this.state) return 'postponed';
    const { view, position } = this.state;
    const { signal } = this.callOptions;
    const expected = await this.context.expectedUsers.expectedAt(view, position, BATCH_SIZE, signal, doubted);
    if (!expected) return 'postponed';
    await this.sendBatch(client, view, expected.changes);
    return expected.matches(await this.readInfo(client)) ? 'equal' : expected;
  }

  /** @param isFree whether it counts for no pause: admins have ordered it, or it is counted already */
  private async sendFullSet(client: NodeClient, view: CoreView, isFree: boolean): Promise<void> {
    const { startRequests, startLimiter } = this.context;
    const send = async (place: StartPlace) => {
      // A request that arrives while this set is sent asks for another one.
      this.fullSetRequested = undefined;
      await startRequests.withUserSet(view, (set) => {
        if (!isFree) this.fullSets.setSent();
        return place.timed((givenUp) =>
          this.replaceUsers(client, view, set, AbortSignal.any([givenUp, this.callOptions.signal])),
        );
      });
    };
    try {
      await startLimiter.run(this.nodeId, client, send, this.callOptions.signal);
    } catch (error) {
      this.fullSetRequested ??= 'again';
      throw error;
    }
  }

  private async replaceUsers(
    client: NodeClient,
    view: CoreView,
    { users, ids }: UserSet<Users>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.events.beforeReplacement(client, signal);
    this.expectHeld(ids);
    await this.exceptRefused(client.syncUsers(users, { ...this.callOptions, signal }));
    this.setInStep(users.revision, view, ids);
  }

  private async sendBatch(client: NodeClient, view: CoreView, users: readonly ServedUser[]): Promise<void> {
    const last = users.at(-1);
    if (!last) return;
    const batch = ViewBatch.of(users, view);
    const leftOut = this.neverHeldOf(batch);
    for (const { id } of this.overtakenOf(users)) leftOut.add(id);
    for (const { id } of batch.served) if (!leftOut.has(id)) this.held.add(id);
    try {
      await this.sendUsers(client, batch, leftOut, users.length - leftOut.size);
    } catch (error) {
      // A change has overtaken the batch on its way: the node has the newer word on that user, and all others of the batch.
      if (!isStaleRevisionError(error) || this.overtakenOf(users).every(({ id }) => leftOut.has(id))) throw error;
    }
    for (const { id } of this.overtakenOf(users)) leftOut.add(id);
    for (const { id } of batch.others) if (!leftOut.has(id)) this.held.delete(id);
    // A full batch may end within a revision; only revisions that were sent as a whole are stored as synced.
    if (users.length < BATCH_SIZE) this.setPosition(view, after(last.revision), last.revision);
    else this.setPosition(view, { revision: last.revision, userId: last.id }, last.revision - 1n);
  }

  private async sendUsers(
    client: NodeClient,
    batch: ViewBatch,
    leftOut: ReadonlySet<number>,
    count: number,
  ): Promise<void> {
    if (count === 0) return;
    const options = { ...this.callOptions, timeoutMs: BATCH_CALL_MS + count * USER_CALL_MS };
    if (count < MIN_CHUNK_USERS || !this.events.takesChunks()) {
      return this.exceptRefused(client.syncUser(batch.messages(leftOut), options));
    }
    await this.context.batchTurns.next();
    return this.exceptRefused(client.syncUsersChunked(batch.encode(leftOut), options));
  }

  private overtakenOf(users: readonly ServedUser[]): readonly ServedUser[] {
    return this.overtaking?.overtakenOf(users) ?? [];
  }

  /** Users that the node refuses do not fail the call: the others are applied. */
  private async exceptRefused(call: Promise<void>): Promise<void> {
    try {
      await call;
    } catch (error) {
      if (!isUsersRefusedError(error)) throw error;
      this.events.usersRefused();
    }
  }

  private setPosition(view: CoreView, position: ChangePosition, syncedRevision: bigint): void {
    this.context.syncedRevisions.set(this.nodeId, syncedRevision);
    this.state = { view, position };
  }
}
