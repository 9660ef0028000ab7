import { createHash } from 'node:crypto';
import { CoreConfigError } from '@rampart/core-config';
import type { BaseInfoResponse, CallOptions, NodeClient } from '@rampart/node-client';
import { WakeSignal } from '../../concurrency/wake-signal.js';
import { RenewalDetector } from '../../core-store/renewal-detector.js';
import { nextRevision, skipRevisions } from '../../database/revision.js';
import { isErrorAnswer, isStaleRevisionError, isUnreachableError, needsStart } from '../connection/call-errors.js';
import { isOtherImplementation } from '../connection/other-implementation.js';
import type { NodeCommand } from '../store/node-channel.js';
import { NodeProblem } from '../store/node-problem.js';
import { TrafficCollector } from '../traffic/traffic-collector.js';
import { NodeConnection } from './node-connection.js';
import { NodeSchedule } from './node-schedule.js';
import { NodeStatusReporter } from './node-status-reporter.js';
import type { NodeSyncContext } from './node-sync-context.js';
import type { NodeTiming } from './node-timing.js';
import { NodeUserSync } from './node-user-sync.js';

/** Timeout of a Start and of a batch of users, which take as long as the engine needs. */
const LONG_CALL_MS = 120_000;
/** Timeout of each call to a node that is put out of service. */
const RELEASE_CALL_MS = 3_000;

/**
 * Keeps one node in step: starts it, sends the changes of users, collects its traffic and checks its health. It makes one
 * call at a time, so between two of its calls the node holds what the last one left.
 */
export class NodeSyncWorker {
  private readonly stopping = new AbortController();
  private readonly reporter: NodeStatusReporter;
  private readonly traffic: TrafficCollector;
  private readonly running: Promise<void>;
  private readonly users: NodeUserSync;
  private readonly schedule: NodeSchedule;
  private readonly longCall: CallOptions & { signal: AbortSignal };
  private readonly connection: NodeConnection;
  /** The last answer of the node to Start or to a health check. */
  private info?: BaseInfoResponse;
  /** The revision with which the node was started. */
  private startedRevision = 0n;
  /** The digest of the configuration with which the node was started. */
  private startedConfigDigest = '';
  private readonly renewals = new RenewalDetector();
  /** The address at which the node was started: what is counted there is traffic of our users. */
  private startedAddress?: string;
  /** A worker begins as if it had been told to reconnect. */
  private mustReconnect = true;
  /** Wakes the worker for changes and commands. */
  private readonly work = new WakeSignal();
  /** Wakes the worker for commands only, which end the pause after a failure. */
  private readonly commands = new WakeSignal();

  constructor(
    private readonly nodeId: number,
    private readonly context: NodeSyncContext,
    timing: NodeTiming,
  ) {
    this.schedule = new NodeSchedule(timing);
    this.connection = new NodeConnection(nodeId, context, this.stopping.signal);
    this.reporter = new NodeStatusReporter(context, nodeId);
    this.traffic = new TrafficCollector(context.traffic, nodeId);
    this.longCall = { signal: this.stopping.signal, timeoutMs: LONG_CALL_MS };
    this.users = new NodeUserSync(nodeId, context, timing.compareMs, this.longCall, {
      batchSent: (client) => this.collectTrafficIfDue(client),
      beforeReplacement: (client) => this.collectBeforeRestart(client),
      usersRefused: () => this.schedule.requestHealthCheck(),
      differenceFound: () => this.reporter.userSetReplaced(),
    });
    this.running = this.run(this.stopping.signal);
  }

  /** There may be changes of users to send. */
  wake(): void {
    this.work.wake();
  }

  /** Has the next step carry out the command, and does not wait for it. */
  runCommand(command: NodeCommand): void {
    if (command === 'reconnect') this.mustReconnect = true;
    else this.users.requestFullSet();
    this.work.wake();
    this.commands.wake();
  }

  /** Ends the open calls without telling the node, which goes on serving its users. */
  async stop(): Promise<void> {
    await this.end();
    await this.connection.close();
  }

  /** Stops a worker whose node is out of service: the last traffic is collected and the engine stopped, if they can be. */
  async stopAndRelease(): Promise<void> {
    await this.end();
    const { opened } = this.connection;
    if (opened) await this.releaseNode(opened);
    await this.connection.close();
  }

  private async releaseNode(client: NodeClient): Promise<void> {
    const options = { timeoutMs: RELEASE_CALL_MS };
    try {
      // Twice, because the first call may only repeat a batch whose answer was lost.
      await this.collectTraffic(client, options);
      await this.collectTraffic(client, options);
    } catch (error) {
      this.reporter.finalTrafficLost(error);
    }
    await client.stop(options).catch(() => undefined);
  }

  private async end(): Promise<void> {
    this.stopping.abort();
    this.work.wake();
    this.commands.wake();
    await this.running;
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.step();
        failures = 0;
        await this.work.sleep(this.schedule.msUntilNextTask);
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        // What the node does now is unknown, so the next step checks its health and its users first.
        this.schedule.requestHealthCheck();
        this.users.requestComparison();
        if (isUnreachableError(error)) await this.connection.close();
        if (needsStart(error)) this.users.requireStart();
        if (failures === 1 && needsStart(error)) continue;
        await this.reporter.failed(error).catch(() => undefined);
        await this.commands.sleep(this.schedule.retryDelayMs(failures));
      }
    }
  }

  private async step(): Promise<void> {
    this.work.reset();
    this.commands.reset();
    if (this.mustReconnect) await this.prepareReconnect();
    const client = await this.connection.open();
    if (!this.users.isStarted) await this.startConnectedNode(client);
    const restart = (await this.isRestartDue()) || (await this.orderRestartForCertificates());
    if (!restart && this.schedule.isHealthDue) await this.checkHealth(client);
    await this.users.sendChanges(client);
    await this.users.compareIfDue(client);
    await this.collectTrafficIfDue(client);
    // The restart comes last, so that a node that refuses its new core still gets the changes of its users.
    if (restart) await this.start(client);
  }

  private async isRestartDue(): Promise<boolean> {
    const { nodes, database } = this.context;
    const startRevision = await nodes.findStartRevision(database.manager, this.nodeId);
    return startRevision !== undefined && startRevision > this.startedRevision;
  }

  /** With renewed certificate files the configuration is another one, so a restart by a revision is ordered. */
  private async orderRestartForCertificates(): Promise<boolean> {
    if (!this.schedule.takeCertificateCheck()) return false;
    const { startRequests, cores, database } = this.context;
    const now = await startRequests.buildConfig(this.nodeId).then(digestOf, unreadableConfig);
    if (!this.renewals.isRenewed(this.startedConfigDigest, now)) return false;
    await database.transaction(async (manager) => {
      await cores.restartNode(manager, this.nodeId, await nextRevision(manager));
    });
    this.reporter.certificatesRenewed();
    return true;
  }

  /** Another machine may answer at the address of the node now. */
  private async prepareReconnect(): Promise<void> {
    this.mustReconnect = false;
    this.startedAddress = undefined;
    this.users.requireStart();
    await this.connection.close();
    await this.reporter.connecting();
  }

  /** A node that runs the same configuration already only gets its users. */
  private async startConnectedNode(client: NodeClient): Promise<void> {
    // A node that does not answer must not take a place in the start limiter.
    this.info = await client.info({ signal: this.stopping.signal });
    await this.start(client);
  }

  private start(client: NodeClient): Promise<void> {
    const { signal } = this.stopping;
    return this.context.startLimiter.run(this.nodeId, client, () => this.startNow(client), signal);
  }

  private async startNow(client: NodeClient): Promise<void> {
    const { startRequests, nodes, database } = this.context;
    const { backend, ...request } = await startRequests.buildStartRequest(this.nodeId);
    await this.collectBeforeRestart(client);
    const info = await client.start(backend, this.longCall).catch(async (error: unknown) => {
      if (isStaleRevisionError(error)) await skipRevisions(database.manager, backend.revision);
      throw error;
    });
    await nodes.markStarted(database.manager, this.nodeId, backend.revision);
    this.info = info;
    this.startedAddress = this.connection.address;
    this.traffic.resetProtocol();
    this.startedRevision = backend.revision;
    this.startedConfigDigest = digestOf(backend.config);
    this.schedule.setKeepAlive(backend.keepAlive);
    await this.users.setInStep(backend.revision);
    await this.reporter.started(info, request);
    this.schedule.healthChecked();
  }

  private async checkHealth(client: NodeClient): Promise<void> {
    const info = await client.info({ signal: this.stopping.signal });
    this.info = info;
    if (!info.running) return this.start(client);
    await this.reporter.connected(info);
    this.schedule.healthChecked();
  }

  private async collectTrafficIfDue(client: NodeClient): Promise<void> {
    if (!this.schedule.isCollectDue) return;
    try {
      await this.collectTraffic(client, { signal: this.stopping.signal });
      await this.reporter.trafficRead();
    } catch (error) {
      if (!this.traffic.readsCounters || !isErrorAnswer(error)) throw error;
      await this.reporter.trafficReadFailed(error);
    }
    this.schedule.trafficCollected(this.traffic.lastCounterCount);
  }

  private collectTraffic(client: NodeClient, options: CallOptions): Promise<void> {
    const { address } = this.connection;
    const countsSinceOurStart = address === this.startedAddress;
    return this.traffic.collectTraffic(client, options, { address, countsSinceOurStart });
  }

  /** A node of another implementation loses its counters when its engine restarts, so they are read before. */
  private async collectBeforeRestart(client: NodeClient): Promise<void> {
    if (!this.info?.running || !isOtherImplementation(this.info)) return;
    const { signal } = this.stopping;
    try {
      await this.collectTraffic(client, { signal });
    } catch (error) {
      // Where only the answer was lost, the counters can be read again before anything else is done.
      if (signal.aborted || isUnreachableError(error)) throw error;
      this.reporter.restartTrafficLost(error);
    }
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A certificate file may be missing for a moment or half written: that is no renewal. */
function unreadableConfig(error: unknown): undefined {
  if (!(error instanceof CoreConfigError || error instanceof NodeProblem)) throw error;
}
