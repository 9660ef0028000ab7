import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { messageOf } from '@rampart/program';
import { EVENTS_CHANNEL } from '../../change-events/change-event.js';
import { ChangeFeed } from '../../change-events/change-feed.js';
import { Semaphore } from '../../concurrency/semaphore.js';
import { asDatabase } from '../../database/database.js';
import { REVISION_CHANNEL, requestOfRevision } from '../../database/revision.js';
import { forgetTombstones } from '../../user-store/served/tombstones.js';
import { NODES_CHANNEL, parseNodeCommand } from '../store/node-channel.js';
import { CoordinationConnection } from './coordination-connection.js';
import type { NodeFigures } from './node-figures.js';
import { NodeLocks } from './node-locks.js';
import { NodeSyncWorker } from './node-sync.worker.js';
import { NodeSyncContext } from './node-sync-context.js';
import { NodeTiming } from './node-timing.js';

/** Runs one worker for each node whose lock this replica holds. */
@Injectable()
export class NodeSyncManager implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Nodes');
  private readonly workers = new Map<number, NodeSyncWorker>();
  /** Workers of nodes out of service, and when they have released them. Their locks are still held. */
  private readonly releasing = new Map<number, { readonly worker: NodeSyncWorker; readonly released: Promise<void> }>();
  private readonly coordination: CoordinationConnection;
  private readonly locks: NodeLocks;
  /** Tasks that change the set of workers run one at a time, in the order in which they were queued. */
  private readonly tasks = new Semaphore(1);
  private closing = false;
  private scanTimer?: NodeJS.Timeout;

  constructor(
    private readonly context: NodeSyncContext,
    private readonly timing: NodeTiming,
    private readonly feed: ChangeFeed,
  ) {
    const { directUrl } = asDatabase(context.database);
    this.coordination = new CoordinationConnection(directUrl, [REVISION_CHANNEL, NODES_CHANNEL, EVENTS_CHANNEL], {
      connected: () => {
        feed.restart();
        void this.enqueue(() => this.join());
      },
      notificationReceived: (channel, payload) => this.handleNotification(channel, payload),
      connectionLost: (reason) => void this.enqueue(() => this.stopAllWorkers(reason)),
    });
    this.locks = new NodeLocks(this.coordination);
  }

  /** The figures of the nodes that this replica serves. */
  get figures(): NodeFigures[] {
    return [...this.workers.values()].map(({ figures }) => figures);
  }

  /** Why this replica cannot serve nodes; undefined when it can. */
  get coordinationProblem(): string | undefined {
    return this.coordination.isConnected
      ? undefined
      : 'there is no connection to the database for locks and notifications';
  }

  onApplicationBootstrap(): void {
    this.coordination.start();
    this.scanTimer = setInterval(() => void this.enqueue(() => this.scanNodes()), this.timing.scanMs);
  }

  /** Stops the workers. The nodes and their engines go on running. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.scanTimer);
    await this.enqueue(() => this.stopAllWorkers());
    await Promise.all([...this.releasing.values()].map(({ released }) => released));
    await this.context.syncedRevisions.settle();
    await this.coordination.stop();
    // The connection may have queued a last task when it ended.
    await this.enqueue(() => Promise.resolve());
  }

  private async enqueue(task: () => Promise<void>): Promise<void> {
    await this.tasks.run(task).catch((error: Error) => this.logger.warn(error.message));
  }

  private handleNotification(channel: string, payload: string): void {
    if (channel === EVENTS_CHANNEL) this.feed.receive(payload);
    else if (channel === NODES_CHANNEL) this.handleNodeMessage(payload);
    else this.announceChange(requestOfRevision(payload));
  }

  /** A command for a node without a worker is dropped: its next worker begins with everything that can be commanded. */
  private handleNodeMessage(payload: string): void {
    const message = parseNodeCommand(payload);
    if (message) this.workers.get(message.nodeId)?.runCommand(message.command, message.requestId);
    else void this.enqueue(() => this.scanNodes());
  }

  /** A replica that joins gets its share of the nodes from the others. */
  private async join(): Promise<void> {
    if (this.closing) return;
    await this.locks.joinReplicas();
    await this.scanNodes();
  }

  /**
   * Starts workers for nodes whose locks are free, up to the share of this replica, and stops those of disabled and deleted
   * nodes. What is beyond the share goes to the other replicas.
   */
  private async scanNodes(): Promise<void> {
    if (this.closing) return;
    const heldIds = [...this.workers.keys(), ...this.releasing.keys()];
    const { nodes, share } = await this.locks.acquireLocks(heldIds);
    for (const { id } of nodes.filter(({ won }) => won)) {
      this.workers.set(id, new NodeSyncWorker(id, this.context, this.timing));
    }
    const enabled = new Set(nodes.filter(({ enabled }) => enabled).map(({ id }) => id));
    for (const [id, worker] of this.workers) if (!enabled.has(id)) this.releaseNode(id, worker);
    // The next worker, which begins with a Start, waits no longer than it must.
    for (const [id, { worker }] of this.releasing) if (enabled.has(id)) worker.abandonRelease();
    await this.handOverNodes([...this.workers.keys()].slice(share));
    const { database, expectedUsers, traffic } = this.context;
    await forgetTombstones(database, this.workers.size > 0 ? expectedUsers.followedRevision : undefined);
    // Without them the last traffic of a node that is being released could be counted twice.
    if (this.releasing.size === 0) await traffic.readings.deleteReadingsOfDeletedNodes(database);
  }

  /**
   * For a node out of service: its engine is stopped, because nobody would tell it any more whom it may serve. One that does
   * not answer holds up no other; its lock keeps any other worker from it meanwhile.
   */
  private releaseNode(id: number, worker: NodeSyncWorker): void {
    this.workers.delete(id);
    const release = async () => {
      try {
        await worker.stopAndRelease();
        await this.locks.releaseLock(id);
      } catch (error) {
        this.logger.warn(messageOf(error));
      }
      this.releasing.delete(id);
      // It may be in service again.
      void this.enqueue(() => this.scanNodes());
    };
    this.releasing.set(id, { worker, released: release() });
  }

  /** The nodes go on serving their users, while another replica begins with a Start of the same configuration. */
  private async handOverNodes(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await Promise.all(ids.map((id) => this.stopWorker(id)));
    for (const id of ids) await this.locks.releaseLock(id);
    this.logger.log(`handed over ${ids.length} nodes, so that all replicas have as many`);
    await this.locks.announceFreeNodes();
  }

  private async stopWorker(id: number): Promise<void> {
    await this.workers.get(id)?.stop();
    this.workers.delete(id);
  }

  private async stopAllWorkers(reason?: string): Promise<void> {
    if (reason !== undefined && this.workers.size > 0) {
      this.logger.warn(`lost the connection that holds the locks of ${this.workers.size} nodes: ${reason}`);
    }
    // Without its lock another replica may talk to a node.
    if (reason !== undefined) for (const { worker } of this.releasing.values()) worker.abandonRelease();
    await Promise.all([...this.workers.keys()].map((id) => this.stopWorker(id)));
  }

  /** Idle workers begin at once; the others send the change when the call that is under way has ended. */
  private announceChange(requestId: string | undefined): void {
    for (const worker of this.workers.values()) worker.announceChange(requestId);
  }
}
