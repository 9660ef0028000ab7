import type { CallOptions, NodeClient } from '@rampart/node-client';
import { after, type ChangePosition, type ServedUser } from '../../user-store/served/served-users.js';
import { isStaleRevisionError, isUsersRefusedError } from '../connection/call-errors.js';
import { BATCH_SIZE } from './change-reader.js';
import type { ExpectedUserSet } from './expected-users.js';
import type { NodeSyncContext } from './node-sync-context.js';
import { encodedBatch, nodeUser } from './node-user.js';
import { Overtaking } from './overtaking.js';

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
  beforeReplacement(client: NodeClient): Promise<void>;
  /** The node refused users; its next answer to a health check says which and why. */
  usersRefused(): void;
  /** The node held other users than it should. */
  differenceFound(): Promise<void>;
}

/** The users on one node: sends what changes, and compares what the node holds with what it should hold. */
export class NodeUserSync {
  /** The last change that the node has received; undefined until it was started. */
  private position?: ChangePosition;
  private nextCompare = 0;
  private fullSetRequested = false;
  /** Set while more users are sent than fit into one call. */
  private overtaking: Overtaking | undefined;

  /** @param callOptions for calls that carry users, which take as long as the engine needs */
  constructor(
    private readonly nodeId: number,
    private readonly context: NodeSyncContext,
    private readonly compareMs: number,
    private readonly callOptions: CallOptions & { signal: AbortSignal },
    private readonly events: NodeUserSyncEvents,
  ) {}

  /** Whether the node was started, so that changes of users can be sent. */
  get isStarted(): boolean {
    return this.position !== undefined;
  }

  /** No users are sent before the node has been started again. */
  requireStart(): void {
    this.position = undefined;
  }

  /** The next step compares the users of the node, because something failed. */
  requestComparison(): void {
    this.nextCompare = 0;
  }

  requestFullSet(): void {
    this.fullSetRequested = true;
  }

  /** The node holds exactly the users of this revision. */
  setInStep(revision: bigint): void {
    this.setPosition(after(revision), revision);
    this.nextCompare = performance.now() + this.compareMs;
  }

  /** There may be changes to send. The next step sends them, unless one is sending many users now. */
  announceChange(): void {
    this.overtaking?.announceChange();
  }

  async sendChanges(client: NodeClient): Promise<void> {
    try {
      for (let more = true; more; ) {
        if (!this.position) return;
        const users = await this.context.changes.changesAfter(this.position);
        more = users.length === BATCH_SIZE;
        if (more) this.overtaking ??= this.beginOvertaking(client, this.position.revision);
        await this.sendBatch(client, users);
        await this.events.batchSent(client);
      }
    } finally {
      const { overtaking } = this;
      this.overtaking = undefined;
      await overtaking?.settle();
    }
  }

  /** @param revision older than every change that may overtake */
  private beginOvertaking(client: NodeClient, revision: bigint): Overtaking {
    return new Overtaking(revision, {
      read: (newerThan) => this.context.changes.smallChangesAfter(newerThan),
      send: (users) => this.exceptRefused(client.syncUser(users.map(nodeUser), this.callOptions)),
    });
  }

  /** Sends the full set where it was requested or the comparison found a difference. */
  async compareIfDue(client: NodeClient): Promise<void> {
    if (this.fullSetRequested) return this.sendFullSet(client);
    if (performance.now() < this.nextCompare) return;
    let result = await this.compare(client);
    // The digests in memory may be wrong too, so only a difference to freshly read users counts.
    if (typeof result === 'object') result = await this.compare(client, result);
    if (result === 'postponed') return;
    this.nextCompare = performance.now() + this.compareMs;
    if (result === 'equal') return;
    await this.events.differenceFound();
    await this.sendFullSet(client);
  }

  /** Returns `postponed` while too much changes, and the expected users where the node holds others. */
  private async compare(
    client: NodeClient,
    doubted?: ExpectedUserSet,
  ): Promise<'equal' | 'postponed' | ExpectedUserSet> {
    const { signal } = this.callOptions;
    const { expectedUsers } = this.context;
    const expected = this.position && (await expectedUsers.expectedAt(this.position, BATCH_SIZE, signal, doubted));
    if (!expected) return 'postponed';
    await this.sendBatch(client, expected.changes);
    const info = await client.info({ signal });
    return expected.matches(info) ? 'equal' : expected;
  }

  private async sendFullSet(client: NodeClient): Promise<void> {
    const { startRequests, startLimiter } = this.context;
    const send = async () => {
      // A request that arrives while this set is sent asks for another one.
      this.fullSetRequested = false;
      await startRequests.withUserSet(async (users) => {
        await this.events.beforeReplacement(client);
        await this.exceptRefused(client.syncUsers(users, this.callOptions));
        this.setInStep(users.revision);
      });
    };
    try {
      await startLimiter.run(this.nodeId, client, send, this.callOptions.signal);
    } catch (error) {
      this.fullSetRequested = true;
      throw error;
    }
  }

  private async sendBatch(client: NodeClient, users: readonly ServedUser[]): Promise<void> {
    const last = users.at(-1);
    if (!last) return;
    const { overtaking } = this;
    const current = overtaking?.withoutOvertaken(users) ?? users;
    try {
      const timeoutMs = BATCH_CALL_MS + current.length * USER_CALL_MS;
      const options = { ...this.callOptions, timeoutMs };
      if (current.length >= MIN_CHUNK_USERS && this.events.takesChunks()) {
        await this.context.batchTurns.next();
        await this.exceptRefused(client.syncUsersChunked(encodedBatch(current), options));
      } else if (current.length > 0) await this.exceptRefused(client.syncUser(current.map(nodeUser), options));
    } catch (error) {
      // A change has overtaken the batch on its way: the node has the newer word on that user, and all others of the batch.
      if (!(isStaleRevisionError(error) && overtaking?.hasOvertaken(current))) throw error;
    }
    // A full batch may end within a revision; only revisions that were sent as a whole are stored as synced.
    if (users.length < BATCH_SIZE) this.setPosition(after(last.revision), last.revision);
    else this.setPosition({ revision: last.revision, userId: last.id }, last.revision - 1n);
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

  private setPosition(position: ChangePosition, syncedRevision: bigint): void {
    this.context.syncedRevisions.set(this.nodeId, syncedRevision);
    this.position = position;
  }
}
