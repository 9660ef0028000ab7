import { createHash } from 'node:crypto';
import { CoreConfigError } from '@rampart/core-config';
import { type BaseInfoResponse, type CallOptions, type NodeClient, StatType } from '@rampart/node-client';
import { WakeSignal } from '../../concurrency/wake-signal.js';
import { RenewalDetector } from '../../core-store/renewal-detector.js';
import { nextRevision, skipRevisions } from '../../database/revision.js';
import {
  isEngineSilent,
  isErrorAnswer,
  isStaleRevisionError,
  isTimeoutError,
  isUnreachableError,
  needsStart,
} from '../connection/call-errors.js';
import { isOtherImplementation } from '../connection/other-implementation.js';
import type { NodeCommand } from '../store/node-channel.js';
import { NodeProblem } from '../store/node-problem.js';
import { TrafficCollector } from '../traffic/traffic-collector.js';
import { FullSetPause, FullSetPaused } from './full-set-pause.js';
import { NodeCertificateRenewal } from './node-certificate-renewal.js';
import { NodeConnection } from './node-connection.js';
import type { NodeFigures } from './node-figures.js';
import { NodeSchedule } from './node-schedule.js';
import { NodeStatusReporter } from './node-status-reporter.js';
import type { NodeSyncContext } from './node-sync-context.js';
import type { NodeTiming } from './node-timing.js';
import { NodeUserSync } from './node-user-sync.js';
import type { StartPlace } from './start-limiter.js';
import type { StartRequest } from './start-request-builder.js';
import { StartTimeout } from './start-timeout.js';
import { SyncId } from './sync-id.js';

/** Timeout of each call to a node that is put out of service. */
const RELEASE_CALL_MS = 3_000;

/**
 * Keeps one node in step: starts it, sends the changes of users, collects its traffic and checks its health. It makes one
 * call at a time, except that small changes overtake a batch of many users.
 */
export class NodeSyncWorker {
  private readonly stopping = new AbortController();
  private readonly reporter: NodeStatusReporter;
  private readonly traffic: TrafficCollector;
  private readonly running: Promise<void>;
  private readonly users: NodeUserSync;
  private readonly schedule: NodeSchedule;
  private readonly startTimeout: StartTimeout;
  private readonly connection: NodeConnection;
  private readonly certificate: NodeCertificateRenewal;
  /** The last answer of the node to Start or to a health check. */
  private info?: BaseInfoResponse;
  /** The revision with which the node was started. */
  private startedRevision = 0n;
  /** The digest of the configuration with which the node was started. */
  private startedConfigDigest = '';
  /** The digest of the configuration with which a Start of the node was last tried. */
  private triedConfigDigest = '';
  /** The revision up to which restarts that were ordered have been tried. */
  private triedRevision = 0n;
  private readonly fullSets: FullSetPause;
  private readonly renewals = new RenewalDetector();
  private readonly syncId = new SyncId();
  /** The address at which the node was started: what is counted there is traffic of our users. */
  private startedAddress?: string;
  /** A worker begins as if it had been told to reconnect. */
  private mustReconnect = true;
  /** Whether the Start after that is still to come. */
  private mustStart = true;
  /** When the node last had every change of users, by the monotonic clock. */
  private inStepAt = performance.now();
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
    const requestId = () => this.syncId.current;
    this.connection = new NodeConnection(nodeId, context, this.stopping.signal, requestId);
    this.fullSets = new FullSetPause(timing);
    this.reporter = new NodeStatusReporter(context, nodeId, requestId, this.fullSets);
    this.traffic = new TrafficCollector(context.traffic, nodeId);
    this.startTimeout = new StartTimeout(timing.longCallMs);
    const longCall = { signal: this.stopping.signal, timeoutMs: timing.longCallMs };
    this.users = new NodeUserSync(nodeId, context, timing.compareMs, longCall, this.fullSets, {
      takesChunks: () => this.info !== undefined && !isOtherImplementation(this.info),
      batchSent: (client) => this.collectTrafficIfDue(client),
      beforeReplacement: (client, signal) => this.collectBeforeRestart(client, signal),
      usersRefused: () => this.schedule.requestHealthCheck(),
      differenceFound: () => this.reporter.driftFound(),
    });
    this.certificate = new NodeCertificateRenewal(nodeId, context, timing.renewalRetryMs, this.stopping.signal, {
      renewed: (endsAt) => {
        this.reporter.certificateRenewed(endsAt);
        // Its answer has the new end, without which the next step would renew the certificate again.
        this.schedule.requestHealthCheck();
      },
      failed: (error) => this.reporter.renewalFailed(error),
    });
    this.running = this.run(this.stopping.signal);
  }

  get figures(): NodeFigures {
    return {
      nodeId: this.nodeId,
      behindSeconds: (performance.now() - this.inStepAt) / 1_000,
      refusedUsers: this.info?.refused.length ?? 0,
      fullSetPauseSeconds: this.fullSets.remainingMs / 1_000,
    };
  }

  /** There may be changes to send; `requestId` is the request that made them, if one did. */
  announceChange(requestId?: string): void {
    this.syncId.addCause(requestId);
    this.wake();
  }

  /** There may be changes to send. */
  wake(): void {
    this.schedule.requestRead();
    this.users.announceChange();
    this.work.wake();
  }

  /** Has the next step carry out the command, and does not wait for it. */
  runCommand(command: NodeCommand, requestId?: string): void {
    if (command === 'reconnect') this.reconnect();
    else this.users.requestFullSet();
    this.announceChange(requestId);
    this.commands.wake();
  }

  /** Ends the open calls, which a node that has gone would let wait until their timeout. */
  private reconnect(): void {
    this.mustReconnect = true;
    void this.connection.close();
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

  /** Ends the calls of `stopAndRelease`, whose result nobody needs any more. */
  abandonRelease(): void {
    void this.connection.close();
  }

  private async releaseNode(client: NodeClient): Promise<void> {
    const options = { timeoutMs: RELEASE_CALL_MS };
    try {
      // A batch may be some seconds old where counters are many; GetStats has the node read them now.
      await client.stats({ type: StatType.Outbounds, name: '', reset: false }, options).catch((error: unknown) => {
        // A node that does not answer would not answer the next calls either.
        if (isTimeoutError(error)) throw error;
      });
      // Twice, because the first call may only repeat a batch whose answer was lost.
      await this.collectTraffic(client, options);
      await this.collectTraffic(client, options);
    } catch (error) {
      this.reporter.finalTrafficLost(error);
    }
    if (this.connection.opened === client) await client.stop(options).catch(() => undefined);
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
        this.schedule.requestRead();
        this.users.requestComparison();
        // After an outage a new connection is there at once; an old one may wait a minute to send again.
        if (isUnreachableError(error) || isTimeoutError(error)) await this.connection.close();
        if (needsStart(error)) this.users.requireStart();
        // A command to reconnect has ended the call: the node has not failed.
        if (this.mustReconnect || (failures === 1 && needsStart(error))) continue;
        await this.reporter.failed(error).catch(() => undefined);
        await this.commands.sleep(this.schedule.retryDelayMs(failures));
      }
    }
  }

  private async step(): Promise<void> {
    this.work.reset();
    this.commands.reset();
    this.syncId.beginStep();
    if (this.mustReconnect) await this.prepareReconnect();
    const client = await this.connection.open();
    if (!this.users.isStarted) await this.startConnectedNode(client);
    const mustRead = this.schedule.takeRead();
    if (this.schedule.isHealthDue && !(await this.isRestartDue())) await this.checkHealth(client);
    if (mustRead) await this.users.sendChanges(client);
    this.inStepAt = performance.now();
    const restart = (await this.orderRestartForCertificates()) || (mustRead && (await this.isRestartDue()));
    await this.users.compareIfDue(client);
    await this.collectTrafficIfDue(client);
    await this.certificate.renewIfDue(client, this.info);
    // The restart comes last, so that a node that refuses its new core still gets the changes of its users.
    if (restart) await this.start(client);
  }

  private async isRestartDue(): Promise<boolean> {
    const startRevision = await this.context.changes.startRevisionOf(this.nodeId);
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
    this.mustStart = true;
    this.startedAddress = undefined;
    this.users.requireStart();
    await this.connection.close();
    await this.reporter.connecting();
  }

  /** A node that runs the same configuration already only gets its users. */
  private async startConnectedNode(client: NodeClient): Promise<void> {
    // A node that does not answer must not take a place in the start limiter.
    this.info = await this.users.readInfo(client);
    await this.start(client);
  }

  private async start(client: NodeClient): Promise<void> {
    const isOrdered = await this.isStartOrdered();
    const { text } = this.fullSets;
    if (!isOrdered && text !== undefined) throw new FullSetPaused(text);
    const { signal } = this.stopping;
    await this.context.startLimiter.run(
      this.nodeId,
      client,
      (place) => this.startNow(client, place, isOrdered),
      signal,
    );
  }

  /** Whether admins have caused the Start, which is tried once without a pause. */
  private async isStartOrdered(): Promise<boolean> {
    if (this.mustStart) return true;
    const { changes, startRequests } = this.context;
    if (((await changes.startRevisionOf(this.nodeId)) ?? 0n) > this.triedRevision) return true;
    if (this.fullSets.text === undefined) return false;
    const digest = await startRequests.buildConfig(this.nodeId).then(digestOf, unreadableConfig);
    return digest !== this.triedConfigDigest;
  }

  private startNow(client: NodeClient, place: StartPlace, isOrdered: boolean): Promise<void> {
    return this.context.startRequests.withStartRequest(this.nodeId, (request) => {
      if (!isOrdered) this.fullSets.setSent();
      this.mustStart = false;
      this.triedRevision = request.backend.revision;
      this.triedConfigDigest = digestOf(request.backend.config);
      return place.timed((givenUp) =>
        this.startWith(client, request, AbortSignal.any([givenUp, this.stopping.signal])),
      );
    });
  }

  private async startWith(
    client: NodeClient,
    { backend, view, ids, ...request }: StartRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { nodes, database } = this.context;
    await this.collectBeforeRestart(client, signal);
    await nodes.prepareStart(database.manager, this.nodeId, view.inboundTags);
    const options = { signal, timeoutMs: this.startTimeout.milliseconds };
    this.users.expectHeld(ids);
    const started = await client.start(backend, { ...options, maxEntries: ids.size }).catch(async (error: unknown) => {
      if (isStaleRevisionError(error)) await skipRevisions(database.manager, backend.revision);
      throw this.startTimeout.startFailed(error, this.info);
    });
    this.startTimeout.startSucceeded();
    await nodes.markStarted(database.manager, this.nodeId, {
      revision: backend.revision,
      inboundTags: view.inboundTags,
    });
    const info = this.users.withKnownRefused(started);
    this.info = info;
    this.startedAddress = this.connection.address;
    this.traffic.resetProtocol();
    this.startedRevision = backend.revision;
    this.startedConfigDigest = this.triedConfigDigest;
    this.schedule.setKeepAlive(backend.keepAlive);
    this.users.setInStep(backend.revision, view, ids);
    await this.reporter.started(info, request);
    this.schedule.healthChecked();
  }

  private async checkHealth(client: NodeClient): Promise<void> {
    const info = await this.users.readInfo(client);
    this.info = info;
    if (!info.running) return this.start(client);
    await this.reporter.connected(info);
    this.schedule.healthChecked();
  }

  private async collectTrafficIfDue(client: NodeClient): Promise<void> {
    if (!this.schedule.isCollectDue) return;
    try {
      await this.collectTraffic(client, { signal: this.stopping.signal });
      await this.reporter.trafficRead(this.traffic.implausible);
    } catch (error) {
      // The node serves its users, and its warnings say why the engine does not answer.
      if (isEngineSilent(error)) this.schedule.requestHealthCheck();
      else if (!this.traffic.readsCounters || !isErrorAnswer(error)) throw error;
      await this.reporter.trafficReadFailed(error);
    }
    this.schedule.trafficCollected(this.traffic.lastCounterCount, this.traffic.lastBatchUsers);
  }

  private collectTraffic(client: NodeClient, options: CallOptions): Promise<void> {
    const { address } = this.connection;
    const countsSinceOurStart = address === this.startedAddress;
    return this.traffic.collectTraffic(client, options, { address, countsSinceOurStart });
  }

  /** A node of another implementation loses its counters when its engine restarts, so they are read before. */
  private async collectBeforeRestart(client: NodeClient, signal: AbortSignal): Promise<void> {
    if (!this.info?.running || !isOtherImplementation(this.info)) return;
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
