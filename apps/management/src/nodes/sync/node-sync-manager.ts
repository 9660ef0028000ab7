import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { asDatabase } from '../../database/database.js';
import { REVISION_CHANNEL } from '../../database/revision.js';
import { forgetTombstones } from '../../user-store/served/tombstones.js';
import { NodeConnector } from '../connection/node-connector.js';
import { NODE_LOCK, NODES_CHANNEL } from '../store/node-channel.js';
import { parseNodeCommand } from '../store/node-command.js';
import { forgetReadings } from '../traffic/forget-readings.js';
import { CoordinationConnection } from './coordination-connection.js';
import { ExpectedUsers } from './expected-users.js';
import { NodeSyncWorker } from './node-sync.worker.js';
import type { NodeSyncContext } from './node-sync-context.js';
import { NodeTiming } from './node-timing.js';
import { StartLimiter } from './start-limiter.js';
import { StartRequestBuilder } from './start-request-builder.js';

/** Serves the nodes that this replica wins: one worker for each, as long as it holds the node's lock. */
@Injectable()
export class NodeSyncManager implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Nodes');
  private readonly workers = new Map<number, NodeSyncWorker>();
  private readonly context: NodeSyncContext;
  private readonly coordination: CoordinationConnection;
  private tasks: Promise<void> = Promise.resolve();
  private closing = false;
  private scanTimer?: NodeJS.Timeout;
  private wakeTimer?: NodeJS.Timeout;

  constructor(
    private readonly database: DataSource,
    connector: NodeConnector,
    startRequests: StartRequestBuilder,
    private readonly timing: NodeTiming,
  ) {
    const expectedUsers = new ExpectedUsers(database);
    this.context = { database, connector, startRequests, expectedUsers, startLimiter: new StartLimiter() };
    this.coordination = new CoordinationConnection(asDatabase(database).directUrl, [REVISION_CHANNEL, NODES_CHANNEL], {
      connected: () => this.enqueue(() => this.scan()),
      notificationReceived: (channel, payload) => (channel === NODES_CHANNEL ? this.hear(payload) : this.wakeSoon()),
      connectionLost: (reason) => this.enqueue(() => this.leaveAll(reason)),
    });
  }

  onApplicationBootstrap(): void {
    this.coordination.start();
    this.scanTimer = setInterval(() => this.enqueue(() => this.scan()), this.timing.scanMs);
  }

  /** Nodes and their engines go on. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.scanTimer);
    clearTimeout(this.wakeTimer);
    this.enqueue(() => this.leaveAll());
    await this.tasks;
    await this.coordination.stop();
    await this.tasks;
  }

  /** One task at a time: the set of workers follows the locks. */
  private enqueue(task: () => Promise<void>): void {
    this.tasks = this.tasks.then(task).catch((error: Error) => this.logger.warn(error.message));
  }

  /** A worker that does not exist yet will begin with all that it could be told. */
  private hear(payload: string): void {
    const told = parseNodeCommand(payload);
    if (told) this.workers.get(told.nodeId)?.runCommand(told.command);
    else this.enqueue(() => this.scan());
  }

  private async scan(): Promise<void> {
    if (this.closing) return;
    const mine = [...this.workers.keys()];
    const nodes = await this.coordination.query<{ id: number; enabled: boolean; won: boolean }>(
      `SELECT id, status <> 'disabled' AS enabled,
         CASE WHEN status = 'disabled' OR id = ANY($2) THEN false ELSE pg_try_advisory_lock($1, id) END AS won
       FROM nodes`,
      [NODE_LOCK, mine],
    );
    for (const { id } of nodes.filter(({ won }) => won)) {
      this.workers.set(id, new NodeSyncWorker(id, this.context, this.timing));
    }
    const enabled = new Set(nodes.filter(({ enabled }) => enabled).map(({ id }) => id));
    await this.dismiss(mine.filter((id) => !enabled.has(id)));
    await forgetTombstones(
      this.database,
      this.workers.size > 0 ? this.context.expectedUsers.followedRevision : undefined,
    );
    await forgetReadings(this.database);
  }

  /** Nodes that are out of service: nobody would tell them any more whom they may serve. */
  private async dismiss(ids: readonly number[]): Promise<void> {
    await Promise.all(ids.map((id) => this.workers.get(id)?.stopAndRelease()));
    for (const id of ids) {
      this.workers.delete(id);
      await this.coordination.query('SELECT pg_advisory_unlock($1, $2)', [NODE_LOCK, id]);
    }
  }

  private async leave(id: number): Promise<void> {
    await this.workers.get(id)?.stop();
    this.workers.delete(id);
  }

  private async leaveAll(reason?: string): Promise<void> {
    if (reason !== undefined && this.workers.size > 0) {
      this.logger.warn(`lost the connection that holds the locks of ${this.workers.size} nodes: ${reason}`);
    }
    await Promise.all([...this.workers.keys()].map((id) => this.leave(id)));
  }

  private wakeSoon(): void {
    this.wakeTimer ??= setTimeout(() => {
      this.wakeTimer = undefined;
      for (const worker of this.workers.values()) worker.changesAvailable();
    }, this.timing.gatherChangesMs);
  }
}
