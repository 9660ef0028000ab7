import type { CallOptions, NodeClient } from '@rampart/node-client';
import {
  after,
  type ChangePosition,
  changedUsersAfter,
  type ServedUser,
} from '../../user-store/served/served-users.js';
import { isUsersRefusedError } from '../connection/call-errors.js';
import { Node } from '../store/node.entity.js';
import type { ExpectedUserSet } from './expected-users.js';
import type { NodeSyncContext } from './node-sync-context.js';
import { nodeUser } from './node-user.js';

const BATCH_SIZE = 1_000;

export interface NodeUserSyncEvents {
  /** A batch was sent, and there may be more. */
  batchSent(client: NodeClient): Promise<void>;
  /** All users are about to be replaced, with which an engine may begin anew. */
  beforeReplacement(client: NodeClient): Promise<void>;
  /** The node refused somebody, and can say whom. */
  usersRefused(): void;
  /** The node held other users than it should. */
  differenceFound(): void;
}

/** The users on one node: sends what changes, and sees to it that the node holds what it should. */
export class NodeUserSync {
  /** Up to where the node has heard; unknown until it was started. */
  private position?: ChangePosition;
  private nextCompare = 0;
  private setOrdered = false;

  /** @param calls batches of users take as long as the engine needs */
  constructor(
    private readonly nodeId: number,
    private readonly context: NodeSyncContext,
    private readonly compareMs: number,
    private readonly calls: CallOptions & { signal: AbortSignal },
    private readonly events: NodeUserSyncEvents,
  ) {}

  /** Whether the node was started, and has users to be changed. */
  get isStarted(): boolean {
    return this.position !== undefined;
  }

  /** The node has to be started before it hears of anybody again. */
  requireStart(): void {
    this.position = undefined;
  }

  /** Something failed: what the node holds is compared next. */
  requestComparison(): void {
    this.nextCompare = 0;
  }

  requestFullSet(): void {
    this.setOrdered = true;
  }

  /** It holds exactly the users of a revision. */
  async setInStep(revision: bigint): Promise<void> {
    await this.moveTo(after(revision), revision);
    this.nextCompare = performance.now() + this.compareMs;
  }

  async sendChanges(client: NodeClient): Promise<void> {
    for (let more = true; more; ) {
      if (!this.position) return;
      const users = await changedUsersAfter(this.context.database.manager, this.position, BATCH_SIZE);
      more = users.length === BATCH_SIZE;
      await this.send(client, users);
      await this.events.batchSent(client);
    }
  }

  async compareIfDue(client: NodeClient): Promise<void> {
    if (this.setOrdered) return this.sendSet(client);
    if (performance.now() < this.nextCompare) return;
    let found = await this.compare(client);
    // What this management remembers may be wrong too: a difference counts when everything was read anew.
    if (typeof found === 'object') found = await this.compare(client, found);
    if (found === 'later') return;
    this.nextCompare = performance.now() + this.compareMs;
    if (found === 'equal') return;
    this.events.differenceFound();
    await this.sendSet(client);
  }

  /** `later`: too much changes now. Otherwise what the node should hold and does not. */
  private async compare(client: NodeClient, doubted?: ExpectedUserSet): Promise<'equal' | 'later' | ExpectedUserSet> {
    const { signal } = this.calls;
    const wanted =
      this.position && (await this.context.expectedUsers.expectedAt(this.position, BATCH_SIZE, signal, doubted));
    if (!wanted) return 'later';
    await this.send(client, wanted.changes);
    const info = await client.info({ signal });
    return wanted.matches(info) ? 'equal' : wanted;
  }

  private async sendSet(client: NodeClient): Promise<void> {
    const send = async () => {
      // An order that comes while the set is on its way is for the next one.
      this.setOrdered = false;
      const users = await this.context.startRequests.users();
      await this.events.beforeReplacement(client);
      await this.unlessRefused(client.syncUsers(users, this.calls));
      await this.setInStep(users.revision);
    };
    try {
      await this.context.startLimiter.run(this.nodeId, client, send, this.calls.signal);
    } catch (error) {
      this.setOrdered = true;
      throw error;
    }
  }

  private async send(client: NodeClient, users: readonly ServedUser[]): Promise<void> {
    const last = users.at(-1);
    if (!last) return;
    await this.unlessRefused(client.syncUser(users.map(nodeUser), this.calls));
    // Of the last revision in a full batch there may be more users; only whole revisions count as done.
    if (users.length < BATCH_SIZE) await this.moveTo(after(last.revision), last.revision);
    else await this.moveTo({ revision: last.revision, userId: last.id }, last.revision - 1n);
  }

  private async unlessRefused(call: Promise<void>): Promise<void> {
    try {
      await call;
    } catch (error) {
      if (!isUsersRefusedError(error)) throw error;
      this.events.usersRefused();
    }
  }

  private async moveTo(position: ChangePosition, done: bigint): Promise<void> {
    await this.context.database.manager.update(Node, { id: this.nodeId }, { syncedRevision: done });
    this.position = position;
  }
}
