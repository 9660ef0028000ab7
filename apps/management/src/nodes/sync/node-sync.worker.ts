import { createHash } from 'node:crypto';
import { CoreConfigError } from '@rampart/core-config';
import type { BaseInfoResponse, CallOptions, NodeClient } from '@rampart/node-client';
import { WakeSignal } from '../../concurrency/wake-signal.js';
import { RenewalDetector } from '../../core-store/renewal-detector.js';
import { nextRevision, skipRevisions } from '../../database/revision.js';
import { isErrorAnswer, isStaleRevisionError, isUnreachableError, needsStart } from '../connection/call-errors.js';
import { isOtherImplementation } from '../connection/other-implementation.js';
import { restartNode } from '../store/core-change.js';
import { Node } from '../store/node.entity.js';
import type { NodeCommand } from '../store/node-command.js';
import { NodeProblem } from '../store/node-problem.js';
import { TrafficCollector } from '../traffic/traffic-collector.js';
import { NodeConnection } from './node-connection.js';
import { NodeSchedule } from './node-schedule.js';
import { NodeStatusReporter } from './node-status-reporter.js';
import type { NodeSyncContext } from './node-sync-context.js';
import type { NodeTiming } from './node-timing.js';
import { NodeUserSync } from './node-user-sync.js';

/** Starts and batches of users take as long as the engine needs. */
const LONG_CALL_MS = 120_000;
/** What a node that is put out of service may take to answer each call. */
const FAREWELL_MS = 3_000;

/**
 * Keeps one node in step: starts it, sends what changes, collects its traffic, asks how it is. One call at a time, so that
 * between two of its own the node holds what the last one left.
 */
export class NodeSyncWorker {
  private readonly stopping = new AbortController();
  private readonly report: NodeStatusReporter;
  private readonly traffic: TrafficCollector;
  private readonly running: Promise<void>;
  private readonly users: NodeUserSync;
  private readonly pace: NodeSchedule;
  private readonly longCall: CallOptions & { signal: AbortSignal };
  private readonly connection: NodeConnection;
  /** What the node said last. */
  private info?: BaseInfoResponse;
  /** The revision with which the node was started. */
  private startedAt = 0n;
  /** The digest of the configuration with which it was started. */
  private startedWith = '';
  private readonly renewal = new RenewalDetector();
  /** Where it was started: what a node counts there is our users' traffic. */
  private startedAddress?: string;
  /** It begins as it does when it is told to. */
  private mustConnect = true;
  private readonly changes = new WakeSignal();
  private readonly orders = new WakeSignal();

  constructor(
    private readonly nodeId: number,
    private readonly context: NodeSyncContext,
    timing: NodeTiming,
  ) {
    this.pace = new NodeSchedule(timing);
    this.connection = new NodeConnection(nodeId, context, this.stopping.signal);
    this.report = new NodeStatusReporter(context.database, nodeId);
    this.traffic = new TrafficCollector(context.database, nodeId);
    this.longCall = { signal: this.stopping.signal, timeoutMs: LONG_CALL_MS };
    this.users = new NodeUserSync(nodeId, context, timing.compareMs, this.longCall, {
      batchSent: (client) => this.collectIfDue(client),
      beforeReplacement: (client) => this.readBeforeReset(client),
      usersRefused: () => this.pace.requestHealthCheck(),
      differenceFound: () => this.report.userSetReplaced(),
    });
    this.running = this.run(this.stopping.signal);
  }

  /** There may be changes to send. */
  changesAvailable(): void {
    this.changes.wake();
  }

  /** At the next step, for which it does not wait. */
  runCommand(command: NodeCommand): void {
    if (command === 'reconnect') this.mustConnect = true;
    else this.users.requestFullSet();
    this.changes.wake();
    this.orders.wake();
  }

  /** Ends the calls that are open, without a word to the node, which goes on serving. */
  async stop(): Promise<void> {
    await this.end();
    await this.connection.close();
  }

  /** The same for a node that is out of service: where it can be reached, its traffic is collected and its engine ends. */
  async stopAndRelease(): Promise<void> {
    await this.end();
    const { opened } = this.connection;
    if (opened) await this.sayFarewell(opened);
    await this.connection.close();
  }

  private async sayFarewell(client: NodeClient): Promise<void> {
    const options = { timeoutMs: FAREWELL_MS };
    try {
      // Twice, because the first may only be the repetition of a batch that got lost.
      await this.collect(client, options);
      await this.collect(client, options);
    } catch (error) {
      this.report.finalTrafficLost(error);
    }
    await client.stop(options).catch(() => undefined);
  }

  private async end(): Promise<void> {
    this.stopping.abort();
    this.changes.wake();
    this.orders.wake();
    await this.running;
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.step();
        failures = 0;
        await this.changes.sleep(this.pace.msUntilNextTask);
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        // What the node does now is not known: the next step asks before anything else.
        this.pace.requestHealthCheck();
        this.users.requestComparison();
        if (isUnreachableError(error)) await this.connection.close();
        if (needsStart(error)) this.users.requireStart();
        if (failures === 1 && needsStart(error)) continue;
        await this.report.failed(error).catch(() => undefined);
        await this.orders.sleep(this.pace.retryDelayMs(failures));
      }
    }
  }

  private async step(): Promise<void> {
    this.changes.reset();
    this.orders.reset();
    if (this.mustConnect) await this.beginAnew();
    const client = await this.connection.open();
    if (!this.users.isStarted) await this.startFirst(client);
    const restart = (await this.restartIsDue()) || (await this.certificatesAreRenewed());
    if (!restart && this.pace.isHealthDue) await this.checkHealth(client);
    await this.users.sendChanges(client);
    await this.users.compareIfDue(client);
    await this.collectIfDue(client);
    // Last, so that a node which refuses its new core still hears of its users.
    if (restart) await this.start(client);
  }

  private async restartIsDue(): Promise<boolean> {
    const node = await this.context.database.manager.findOne(Node, {
      select: { id: true, startRevision: true },
      where: { id: this.nodeId },
    });
    return node !== null && node.startRevision > this.startedAt;
  }

  /** What the node runs names files: with other contents it would be another configuration. Its start is ordered then. */
  private async certificatesAreRenewed(): Promise<boolean> {
    if (!this.pace.takeCertificateCheck()) return false;
    const { startRequests, database } = this.context;
    const now = await startRequests.config(this.nodeId).then(digestOf, unreadable);
    if (!this.renewal.isRenewed(this.startedWith, now)) return false;
    await database.transaction(async (manager) => restartNode(manager, this.nodeId, await nextRevision(manager)));
    this.report.certificatesRenewed();
    return true;
  }

  /** The node may be another one than before. */
  private async beginAnew(): Promise<void> {
    this.mustConnect = false;
    this.startedAddress = undefined;
    this.users.requireStart();
    await this.connection.close();
    await this.report.connecting();
  }

  /** Whatever the node runs already: with the same configuration only its users change. */
  private async startFirst(client: NodeClient): Promise<void> {
    // A node that does not answer must not take the place of one that does.
    this.info = await client.info({ signal: this.stopping.signal });
    await this.start(client);
  }

  private start(client: NodeClient): Promise<void> {
    const { signal } = this.stopping;
    return this.context.startLimiter.run(this.nodeId, client, () => this.startInTurn(client), signal);
  }

  private async startInTurn(client: NodeClient): Promise<void> {
    const { manager } = this.context.database;
    const { backend, ...order } = await this.context.startRequests.buildStartRequest(this.nodeId);
    await this.readBeforeReset(client);
    const info = await client.start(backend, this.longCall).catch(async (error: unknown) => {
      if (isStaleRevisionError(error)) await skipRevisions(manager, backend.revision);
      throw error;
    });
    await manager.update(
      Node,
      { id: this.nodeId },
      { corePending: () => `pinned_core IS NOT NULL OR start_revision > ${backend.revision}` },
    );
    this.info = info;
    this.startedAddress = this.connection.address;
    this.traffic.resetProtocol();
    this.startedAt = backend.revision;
    this.startedWith = digestOf(backend.config);
    this.pace.setKeepAlive(backend.keepAlive);
    await this.users.setInStep(backend.revision);
    await this.report.started(info, order);
    this.pace.healthChecked();
  }

  private async checkHealth(client: NodeClient): Promise<void> {
    const info = await client.info({ signal: this.stopping.signal });
    this.info = info;
    if (!info.running) return this.start(client);
    await this.report.connected(info);
    this.pace.healthChecked();
  }

  private async collectIfDue(client: NodeClient): Promise<void> {
    if (!this.pace.isCollectDue) return;
    try {
      await this.collect(client, { signal: this.stopping.signal });
      await this.report.trafficRead();
    } catch (error) {
      if (!this.traffic.readsCounters || !isErrorAnswer(error)) throw error;
      await this.report.trafficReadFailed(error);
    }
    this.pace.trafficCollected(this.traffic.lastCounterCount);
  }

  private collect(client: NodeClient, options: CallOptions): Promise<void> {
    const { address } = this.connection;
    return this.traffic.collect(client, options, { address, countsSinceOurStart: address === this.startedAddress });
  }

  /** An engine of other make ends with what it has counted. */
  private async readBeforeReset(client: NodeClient): Promise<void> {
    if (!this.info?.running || !isOtherImplementation(this.info)) return;
    const { signal } = this.stopping;
    try {
      await this.collect(client, { signal });
    } catch (error) {
      // The answer was lost, and not what it said: it is read again before anything else is done.
      if (signal.aborted || isUnreachableError(error)) throw error;
      this.report.restartTrafficLost(error);
    }
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A file that is missing for a moment, or half written. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof CoreConfigError || error instanceof NodeProblem)) throw error;
}
