import { setTimeout as wait } from 'node:timers/promises';
import { type NodeClient, NodeClientError } from '@rampart/node-client';
import type { DataSource } from 'typeorm';
import { skipRevisions } from '../database/revision.js';
import { after, type ChangePosition, changedUsersAfter, type ServedUser } from '../users/served-users.js';
import type { Gate } from './gate.js';
import { Node } from './node.entity.js';
import type { NodeConnector } from './node-connector.js';
import { NodeReport } from './node-report.js';
import type { NodeTiming } from './node-timing.js';
import { nodeUser } from './node-user.js';
import type { StartOrders } from './start-order.js';
import { TrafficCollector } from './traffic-collector.js';

export interface NodeSyncTools {
  database: DataSource;
  connector: NodeConnector;
  orders: StartOrders;
  /** A start holds all users in memory, so only a few run at once. */
  startGate: Gate;
}

const BATCH_SIZE = 1_000;
/** Starts and batches of users take as long as the engine needs. */
const LONG_CALL_MS = 120_000;

/**
 * Keeps one node in step: starts it, sends what changes, collects its traffic, asks how it is. One call at a time. It ends
 * without a word to the node, which goes on serving.
 */
export class NodeSyncWorker {
  private readonly stopping = new AbortController();
  private readonly report: NodeReport;
  private readonly traffic: TrafficCollector;
  private readonly running: Promise<void>;
  private client?: NodeClient;
  /** Undefined until the node was started by this worker. */
  private position?: ChangePosition;
  /** The revision with which it was. */
  private startedAt = 0n;
  private nextHealth = 0;
  private nextCollect = 0;
  private wakeUp: () => void = () => undefined;
  private woken = false;

  constructor(
    private readonly nodeId: number,
    private readonly tools: NodeSyncTools,
    private readonly timing: NodeTiming,
  ) {
    this.report = new NodeReport(tools.database, nodeId);
    this.traffic = new TrafficCollector(tools.database, nodeId);
    this.running = this.run(this.stopping.signal);
  }

  /** There may be changes to send. */
  wake(): void {
    this.woken = true;
    this.wakeUp();
  }

  /** Ends the calls that are open. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.client?.close();
    await this.running;
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.step();
        failures = 0;
        await this.rest();
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        // What the node does now is not known: the next step asks before anything else.
        this.nextHealth = 0;
        if (mustStart(error)) this.position = undefined;
        if (failures === 1 && mustStart(error)) continue;
        await this.report.failed(error).catch(() => undefined);
        await wait(this.pauseAfter(failures), undefined, { signal }).catch(() => undefined);
      }
    }
    await this.client?.close();
  }

  private async step(): Promise<void> {
    this.woken = false;
    this.client ??= await this.connect();
    if (!this.position) await this.startFirst(this.client);
    const restart = await this.restartIsDue();
    if (!restart && performance.now() >= this.nextHealth) await this.checkHealth(this.client);
    await this.sendChanges(this.client);
    await this.collectIfDue(this.client);
    // Last, so that a node which refuses its new core still hears of its users.
    if (restart) await this.start(this.client);
  }

  private async restartIsDue(): Promise<boolean> {
    const node = await this.tools.database.manager.findOne(Node, {
      select: { id: true, startRevision: true },
      where: { id: this.nodeId },
    });
    return node !== null && node.startRevision > this.startedAt;
  }

  private async connect(): Promise<NodeClient> {
    await this.report.connecting();
    const node = await this.tools.database.manager.findOneByOrFail(Node, { id: this.nodeId });
    return this.tools.connector.connect(node);
  }

  /** Whatever the node runs already: with the same configuration only its users change. */
  private async startFirst(client: NodeClient): Promise<void> {
    // A node that does not answer must not take the place of one that does.
    await client.info({ signal: this.stopping.signal });
    await this.start(client);
  }

  private start(client: NodeClient): Promise<void> {
    return this.tools.startGate.run(async () => {
      this.stopping.signal.throwIfAborted();
      const { backend, leftOut } = await this.tools.orders.read(this.nodeId);
      const info = await client.start(backend, this.longCall()).catch(async (error: unknown) => {
        if (isStale(error)) await skipRevisions(this.tools.database.manager, backend.revision);
        throw error;
      });
      await this.tools.database.manager.update(
        Node,
        { id: this.nodeId },
        { corePending: () => `held_core IS NOT NULL OR start_revision > ${backend.revision}` },
      );
      this.startedAt = backend.revision;
      await this.moveTo(after(backend.revision), backend.revision);
      await this.report.started(info, leftOut);
      this.nextHealth = performance.now() + this.timing.healthMs;
    });
  }

  private async checkHealth(client: NodeClient): Promise<void> {
    const info = await client.info({ signal: this.stopping.signal });
    if (!info.running) return this.start(client);
    await this.report.connected(info);
    this.nextHealth = performance.now() + this.timing.healthMs;
  }

  private async sendChanges(client: NodeClient): Promise<void> {
    for (let more = true; more; ) {
      if (!this.position) return;
      const users = await changedUsersAfter(this.tools.database.manager, this.position, BATCH_SIZE);
      const last = users.at(-1);
      if (!last) return;
      await this.send(client, users);
      more = users.length === BATCH_SIZE;
      // Of the last revision in a full batch there may be more users; only whole revisions count as done.
      const done = more ? last.revision - 1n : last.revision;
      await this.moveTo(more ? { revision: last.revision, userId: last.id } : after(last.revision), done);
      await this.collectIfDue(client);
    }
  }

  private async send(client: NodeClient, users: readonly ServedUser[]): Promise<void> {
    try {
      await client.syncUser(users.map(nodeUser), this.longCall());
    } catch (error) {
      // It concerns single users: the others are applied, and these would be refused again.
      if (!(error instanceof NodeClientError && error.code === 'USERS_REFUSED')) throw error;
      this.nextHealth = 0;
    }
  }

  private async moveTo(position: ChangePosition, done: bigint): Promise<void> {
    await this.tools.database.manager.update(Node, { id: this.nodeId }, { syncedRevision: done });
    this.position = position;
  }

  private async collectIfDue(client: NodeClient): Promise<void> {
    if (performance.now() < this.nextCollect) return;
    await this.traffic.collect(client, { signal: this.stopping.signal });
    this.nextCollect = performance.now() + this.timing.collectMs;
  }

  /** Until something is due or somebody wakes it. */
  private async rest(): Promise<void> {
    if (this.woken) return;
    const timer = new AbortController();
    const due = Math.max(0, Math.min(this.nextHealth, this.nextCollect) - performance.now());
    const woken = new Promise<void>((resolve) => {
      this.wakeUp = resolve;
    });
    await Promise.race([woken, wait(due, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
  }

  /** Spread, so that nodes that failed together do not come back together. */
  private pauseAfter(failures: number): number {
    const { firstPauseMs, longestPauseMs } = this.timing;
    return Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs) * (0.5 + Math.random() / 2);
  }

  private longCall() {
    return { signal: this.stopping.signal, timeoutMs: LONG_CALL_MS };
  }
}

const mustStart = (error: unknown): boolean => isStale(error) || saysNothingRuns(error);

/** The node has heard of later changes than ours: from another replica, or before the database was restored. */
const isStale = (error: unknown): boolean => error instanceof NodeClientError && error.code === 'STALE_REVISION';

/** A node that has restarted is no failure: it only has to be started. */
const saysNothingRuns = (error: unknown): boolean =>
  error instanceof NodeClientError &&
  (error.code === 'BACKEND_NOT_INITIALIZED' || error.code === 'BACKEND_NOT_RUNNING');
