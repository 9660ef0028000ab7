import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type {
  BackendStatsResponse,
  BaseInfoResponse,
  CertificateRequest,
  CollectTrafficRequest,
  IssuedCertificate,
  LatencyRequest,
  LatencyResponse,
  OnlineStatResponse,
  OnlineUsersResponse,
  ProbeRequest,
  ProbeResponse,
  StatRequest,
  StatResponse,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
  TrafficBatch,
} from '@rampart/node-client';
import { DelayedGarbageCollection } from '@rampart/program';
import type { ProxyBackend } from './backend/backend.js';
import { NodeError } from './errors/node-error.js';
import type { LogLine, LogReadOptions, LogRing } from './logs/log-ring.js';
import { NodeMonitor } from './node.monitor.js';
import type { NodeState } from './node.state.js';
import { NODE_VERSION } from './node.version.js';
import type { Session } from './session/session.js';
import type { Statistics } from './stats/statistics.js';
import type { EnrolledCertificate } from './tls/enrolled-certificate.js';
import type { TrafficMeter } from './traffic/traffic-meter.js';
import type { TrafficStore } from './traffic/traffic-store.js';
import { checkStatRequest } from './traffic/traffic-totals.js';
import type { RawBackend, RawUsers, RawUsersChunk } from './wire/raw-messages.js';
import type { RawUser } from './wire/raw-user.js';

export type { LogLine } from './logs/log-ring.js';

/** All operations of a node, used by REST and gRPC. Errors are NodeErrors. */
@Injectable()
export class NodeService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly bootId = randomUUID();
  private closing = false;
  private leaving = false;
  private onSuccessor: (() => void) | undefined;
  private readonly tidying = new DelayedGarbageCollection();

  constructor(
    private readonly session: Session,
    private readonly backend: ProxyBackend,
    private readonly meter: TrafficMeter,
    private readonly traffic: TrafficStore,
    private readonly ring: LogRing,
    private readonly statistics: Statistics,
    private readonly state: NodeState,
    /** Whether the engine may outlive this process. */
    private readonly keepsEngine: boolean,
    /** Absent in a node that has a certificate of its own. */
    private readonly certificate?: EnrolledCertificate,
  ) {}

  /** What metrics and health checks read. */
  get monitor(): NodeMonitor {
    const { session, backend, traffic, state } = this;
    return new NodeMonitor({ session, backend, traffic, state });
  }

  start(backend: RawBackend): Promise<BaseInfoResponse> {
    return this.call(async () => {
      await this.session.start(backend);
      this.tidying.schedule();
      return this.info();
    });
  }

  /** Does not wait for the restored session: that start may hang, and is interrupted. */
  stop(): Promise<void> {
    return this.call(() => this.session.stop(), Promise.resolve());
  }

  info(): BaseInfoResponse {
    const { session, backend } = this;
    session.keepAlive.recordCall();
    return {
      running: session.started && backend.running,
      coreVersion: backend.version,
      version: NODE_VERSION,
      coreType: backend.type,
      refused: session.refused,
      configDigest: session.configDigest,
      usersDigest: Buffer.from(backend.users.digest),
      usersCount: BigInt(backend.users.count),
      bootId: this.bootId,
      restarts: BigInt(backend.restarts),
      lastExit: backend.lastExit,
      warnings: [...session.warnings, ...this.state.problems],
      certificateExpiresAt: BigInt(this.certificate?.expiresAt ?? 0),
      timeMs: BigInt(Date.now()),
      fallback: backend.hasFallenBack,
    };
  }

  /**
   * Yields kept log lines, then new ones, in batches until the signal aborts; an open log keeps the session alive. It
   * needs no backend, since it tells why there is none.
   */
  logs(reading: Omit<LogReadOptions, 'onOpen'>): Promise<AsyncIterable<readonly LogLine[]>> {
    return this.call(async () => this.ring.readLines({ ...reading, onOpen: () => this.session.keepAlive.holdOpen() }));
  }

  stats(request: StatRequest): Promise<StatResponse> {
    return this.ask(async () => {
      checkStatRequest(request);
      await this.meter.refresh();
      return { stats: await this.traffic.totals.queryStats(request) };
    });
  }

  systemStats(): Promise<SystemStatsResponse> {
    return this.ask(() => this.statistics.systemStats());
  }

  backendStats(): Promise<BackendStatsResponse> {
    return this.ask(() => this.statistics.backendStats());
  }

  /** An unknown user has no connections. */
  onlineStats(request: StatRequest): Promise<OnlineStatResponse> {
    return this.ask(() => this.statistics.onlineCount(request));
  }

  onlineAddresses(request: StatRequest): Promise<StatsOnlineIpListResponse> {
    return this.ask(() => this.statistics.onlineAddresses(request));
  }

  onlineUsers(): Promise<OnlineUsersResponse> {
    return this.ask(() => this.statistics.onlineUsers());
  }

  latencies(request: LatencyRequest): Promise<LatencyResponse> {
    return this.ask(() => this.statistics.latencies(request));
  }

  /**
   * Applies users one after another; USERS_REFUSED names those that the engine would refuse, all others are applied.
   */
  syncUser(users: AsyncIterable<RawUser> | Iterable<RawUser>): Promise<void> {
    return this.ask(() => this.session.changeUsers(users));
  }

  syncUsers({ users, revision }: RawUsers): Promise<void> {
    return this.ask(async () => {
      await this.session.syncUsers(users, revision);
      this.tidying.schedule();
    });
  }

  /** Applies the users of all chunks together, with the same errors as `syncUser`; all other users stay. */
  syncUsersChunked(chunks: AsyncIterable<RawUsersChunk>): Promise<void> {
    return this.ask(() => this.session.syncUsersChunked(chunks));
  }

  collectTraffic({ ledger, acknowledge }: CollectTrafficRequest): Promise<TrafficBatch> {
    return this.ask(async () => {
      await this.meter.refreshForBatch();
      return this.traffic.outbox.collectBatch(ledger, acknowledge, BigInt(Math.floor(Date.now() / 1000)));
    });
  }

  /** It needs no backend: a certificate is renewed whether or not the engine runs. */
  requestCertificate(): Promise<CertificateRequest> {
    return this.call(async () => ({ request: await this.enrolledCertificate().createRequest() }));
  }

  installCertificate({ certificate }: IssuedCertificate): Promise<void> {
    return this.call(() => this.enrolledCertificate().install(certificate));
  }

  /** It needs no backend: what is probed is elsewhere. */
  probe(request: ProbeRequest): Promise<ProbeResponse> {
    return this.call(() => this.backend.probe(request));
  }

  /**
   * Runs before the port listens. It does not wait for the engine; calls that come meanwhile do. @throws DirectoryInUse
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.state.open();
    void this.session.restoreSavedSession().then(() => this.tidying.schedule());
  }

  /**
   * Calls back when another node asks for the data directory. The callback must shut this one down. Without a callback
   * the request is refused.
   */
  whenAskedToLeave(callback: () => void): void {
    this.onSuccessor = callback;
  }

  /** Another node asks for the data directory. Returns whether this one ends and leaves it, with the engine. */
  giveWay(): boolean {
    if (!this.keepsEngine || this.onSuccessor === undefined) return false;
    this.leaveEngine();
    this.onSuccessor();
    return true;
  }

  /** The shutdown that follows leaves the engine to the next node, where the settings allow that. */
  leaveEngine(): void {
    this.leaving = this.keepsEngine;
  }

  /** Runs after the port is closed, and ends the engine, unless it is left to the next node. */
  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    this.statistics.stopSampling();
    this.tidying.cancel();
    this.backend.abortStart();
    try {
      await this.backend.endProbes();
      await (this.leaving ? this.session.leave() : this.session.close());
    } finally {
      await this.state.close();
    }
  }

  /** Makes a call that needs a started backend. */
  private ask<T>(work: () => Promise<T>): Promise<T> {
    return this.call(() => {
      this.checkStarted();
      return work();
    });
  }

  /** Waits for `ready` and runs the call. Only calls that succeed keep the session alive. */
  private async call<T>(work: () => Promise<T>, ready = this.session.restored): Promise<T> {
    await ready;
    // Also refuses calls that have waited: nothing may start during the shutdown.
    if (this.closing) throw new NodeError('SHUTTING_DOWN', 'the node is shutting down');
    const result = await work();
    this.session.keepAlive.recordCall();
    return result;
  }

  private enrolledCertificate(): EnrolledCertificate {
    if (this.certificate) return this.certificate;
    throw new NodeError('NOT_ENROLLED', 'the node has a certificate of its own, which nobody renews over this link');
  }

  private checkStarted(): void {
    if (!this.session.started) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
  }
}
