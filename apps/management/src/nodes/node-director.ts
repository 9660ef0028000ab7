import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { REVISION_CHANNEL } from '../database/revision.js';
import { Coordination } from './coordination.js';
import { Gate } from './gate.js';
import { NodeConnector } from './node-connector.js';
import { NODE_LOCK, NODES_CHANNEL } from './node-lock.js';
import { type NodeSyncTools, NodeSyncWorker } from './node-sync.worker.js';
import { NodeTiming } from './node-timing.js';
import { StartOrders } from './start-order.js';
import { forgetTombstones } from './tombstones.js';

const STARTS_AT_ONCE = 4;

/** Serves the nodes that this replica wins: one worker for each, as long as it holds the node's lock. */
@Injectable()
export class NodeDirector implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Nodes');
  private readonly workers = new Map<number, NodeSyncWorker>();
  private readonly tools: NodeSyncTools;
  private readonly coordination: Coordination;
  private tasks: Promise<void> = Promise.resolve();
  private closing = false;
  private scanTimer?: NodeJS.Timeout;
  private wakeTimer?: NodeJS.Timeout;

  constructor(
    private readonly database: DataSource,
    connector: NodeConnector,
    orders: StartOrders,
    private readonly timing: NodeTiming,
  ) {
    this.tools = { database, connector, orders, startGate: new Gate(STARTS_AT_ONCE) };
    this.coordination = new Coordination(urlOf(database), [REVISION_CHANNEL, NODES_CHANNEL], {
      connected: () => this.after(() => this.scan()),
      notified: (channel) => (channel === NODES_CHANNEL ? this.after(() => this.scan()) : this.wakeSoon()),
      lost: (reason) => this.after(() => this.leaveAll(reason)),
    });
  }

  onApplicationBootstrap(): void {
    this.coordination.start();
    this.scanTimer = setInterval(() => this.after(() => this.scan()), this.timing.scanMs);
  }

  /** Nodes and their engines go on. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.scanTimer);
    clearTimeout(this.wakeTimer);
    this.after(() => this.leaveAll());
    await this.tasks;
    await this.coordination.stop();
    await this.tasks;
  }

  /** One task at a time: the set of workers follows the locks. */
  private after(task: () => Promise<void>): void {
    this.tasks = this.tasks.then(task).catch((error: Error) => this.logger.warn(error.message));
  }

  private async scan(): Promise<void> {
    if (this.closing) return;
    const mine = [...this.workers.keys()];
    const nodes = await this.coordination.query<{ id: number; won: boolean }>(
      `SELECT id, CASE WHEN id = ANY($2) THEN false ELSE pg_try_advisory_lock($1, id) END AS won
       FROM nodes WHERE status <> 'disabled'`,
      [NODE_LOCK, mine],
    );
    for (const { id } of nodes.filter(({ won }) => won)) {
      this.workers.set(id, new NodeSyncWorker(id, this.tools, this.timing));
    }
    const served = new Set(nodes.map(({ id }) => id));
    for (const id of mine.filter((id) => !served.has(id))) {
      await this.leave(id);
      await this.coordination.query('SELECT pg_advisory_unlock($1, $2)', [NODE_LOCK, id]);
    }
    await forgetTombstones(this.database);
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
      for (const worker of this.workers.values()) worker.wake();
    }, this.timing.gatherMs);
  }
}

function urlOf({ options }: DataSource): string {
  if (options.type === 'postgres' && options.url !== undefined) return options.url;
  throw new Error('the data source has no PostgreSQL URL');
}
