import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Semaphore } from '../../concurrency/semaphore.js';
import { asDatabase } from '../../database/database.js';
import { REVISION_CHANNEL } from '../../database/revision.js';
import { forgetTombstones } from '../../user-store/served/tombstones.js';
import { NODES_CHANNEL, parseNodeCommand } from '../store/node-channel.js';
import { CoordinationConnection } from './coordination-connection.js';
import { NodeLocks } from './node-locks.js';
import { NodeSyncWorker } from './node-sync.worker.js';
import { NodeSyncContext } from './node-sync-context.js';
import { NodeTiming } from './node-timing.js';

/** Runs one worker for each node whose lock this replica holds. */
@Injectable()
export class NodeSyncManager implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Nodes');
  private readonly workers = new Map<number, NodeSyncWorker>();
  private readonly coordination: CoordinationConnection;
  private readonly locks: NodeLocks;
  /** Tasks that change the set of workers run one at a time, in the order in which they were queued. */
  private readonly tasks = new Semaphore(1);
  private closing = false;
  private scanTimer?: NodeJS.Timeout;
  private wakeTimer?: NodeJS.Timeout;

  constructor(
    private readonly context: NodeSyncContext,
    private readonly timing: NodeTiming,
  ) {
    const { directUrl } = asDatabase(context.database);
    this.coordination = new CoordinationConnection(directUrl, [REVISION_CHANNEL, NODES_CHANNEL], {
      connected: () => void this.enqueue(() => this.scanNodes()),
      notificationReceived: (channel, payload) =>
        channel === NODES_CHANNEL ? this.handleNodeMessage(payload) : this.wakeWorkersSoon(),
      connectionLost: (reason) => void this.enqueue(() => this.stopAllWorkers(reason)),
    });
    this.locks = new NodeLocks(this.coordination);
  }

  onApplicationBootstrap(): void {
    this.coordination.start();
    this.scanTimer = setInterval(() => void this.enqueue(() => this.scanNodes()), this.timing.scanMs);
  }

  /** Stops the workers. The nodes and their engines go on running. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.scanTimer);
    clearTimeout(this.wakeTimer);
    await this.enqueue(() => this.stopAllWorkers());
    await this.coordination.stop();
    // The connection may have queued a last task when it ended.
    await this.enqueue(() => Promise.resolve());
  }

  private async enqueue(task: () => Promise<void>): Promise<void> {
    await this.tasks.run(task).catch((error: Error) => this.logger.warn(error.message));
  }

  /** A command for a node without a worker is dropped: its next worker begins with everything that can be commanded. */
  private handleNodeMessage(payload: string): void {
    const message = parseNodeCommand(payload);
    if (message) this.workers.get(message.nodeId)?.runCommand(message.command);
    else void this.enqueue(() => this.scanNodes());
  }

  /** Starts workers for nodes whose locks are free, and stops those of disabled and deleted nodes. */
  private async scanNodes(): Promise<void> {
    if (this.closing) return;
    const heldIds = [...this.workers.keys()];
    const nodes = await this.locks.acquireLocks(heldIds);
    for (const { id } of nodes.filter(({ won }) => won)) {
      this.workers.set(id, new NodeSyncWorker(id, this.context, this.timing));
    }
    const enabled = new Set(nodes.filter(({ enabled }) => enabled).map(({ id }) => id));
    await this.releaseNodes(heldIds.filter((id) => !enabled.has(id)));
    const { database, expectedUsers, traffic } = this.context;
    await forgetTombstones(database, this.workers.size > 0 ? expectedUsers.followedRevision : undefined);
    await traffic.readings.deleteReadingsOfDeletedNodes(database);
  }

  /** For nodes out of service: their engines are stopped, because nobody would tell them any more whom they may serve. */
  private async releaseNodes(ids: readonly number[]): Promise<void> {
    await Promise.all(ids.map((id) => this.workers.get(id)?.stopAndRelease()));
    for (const id of ids) {
      this.workers.delete(id);
      await this.locks.releaseLock(id);
    }
  }

  private async stopWorker(id: number): Promise<void> {
    await this.workers.get(id)?.stop();
    this.workers.delete(id);
  }

  private async stopAllWorkers(reason?: string): Promise<void> {
    if (reason !== undefined && this.workers.size > 0) {
      this.logger.warn(`lost the connection that holds the locks of ${this.workers.size} nodes: ${reason}`);
    }
    await Promise.all([...this.workers.keys()].map((id) => this.stopWorker(id)));
  }

  /** Changes in quick succession wake the workers once. */
  private wakeWorkersSoon(): void {
    this.wakeTimer ??= setTimeout(() => {
      this.wakeTimer = undefined;
      for (const worker of this.workers.values()) worker.wake();
    }, this.timing.gatherChangesMs);
  }
}
