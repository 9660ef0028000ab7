import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type {
  BackendStatsResponse,
  BaseInfoResponse,
  CollectTrafficRequest,
  LatencyRequest,
  LatencyResponse,
  OnlineStatResponse,
  OnlineUsersResponse,
  StatRequest,
  StatResponse,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
  TrafficBatch,
} from '@rampart/node-client';
import type { ProxyBackend } from './backend/backend.js';
import { NodeError } from './errors/node-error.js';
import type { LogLine, LogReadOptions, LogRing } from './logs/log-ring.js';
import { DelayedGarbageCollection } from './machine/delayed-gc.js';
import type { NodeState } from './node.state.js';
import { NODE_VERSION } from './node.version.js';
import type { Session } from './session/session.js';
import type { Statistics } from './stats/statistics.js';
import type { TrafficMeter } from './traffic/traffic-meter.js';
import type { TrafficStore } from './traffic/traffic-store.js';
import { checkStatRequest } from './traffic/traffic-totals.js';
import type { RawBackend, RawUsers, RawUsersChunk } from './wire/raw-messages.js';
import type { RawUser } from './wire/raw-user.js';

export type { LogLine } from './logs/log-ring.js';

/** Everything that a node can do, once, for every door (REST and gRPC). Errors are NodeErrors. */
@Injectable()
export class NodeService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly bootId = randomUUID();
  private closing = false;
  private readonly tidying = new DelayedGarbageCollection();

  constructor(
    private readonly session: Session,
    private readonly backend: ProxyBackend,
    private readonly meter: TrafficMeter,
    private readonly traffic: TrafficStore,
    private readonly ring: LogRing,
    private readonly statistics: Statistics,
    private readonly state: NodeState,
  ) {}

  start(backend: RawBackend): Promise<BaseInfoResponse> {
    return this.call(async () => {
      await this.session.start(backend);
      this.tidying.schedule();
      return this.info();
    });
  }

  /** Does not wait for what runs again after the node came up: that may hang, and is interrupted. */
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
    };
  }

  /**
   * What is kept, then what comes, in batches until the signal aborts; an open log keeps the session alive. Needs no
   * backend: it tells why there is none.
   */
  logs(reading: Omit<LogReadOptions, 'hold'>): Promise<AsyncIterable<readonly LogLine[]>> {
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

  /** A user never seen has none. */
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

  /** Applies users one after another; those that the engine would refuse are named in one USERS_REFUSED, all others hold. */
  syncUser(users: AsyncIterable<RawUser> | Iterable<RawUser>): Promise<void> {
    return this.ask(() => this.session.changeUsers(users));
  }

  syncUsers({ users, revision }: RawUsers): Promise<void> {
    return this.ask(async () => {
      await this.session.syncUsers(users, revision);
      this.tidying.schedule();
    });
  }

  /** Changes the users of all chunks together, with the answers of `syncUser`; all other users stay. */
  syncUsersChunked(chunks: AsyncIterable<RawUsersChunk>): Promise<void> {
    return this.ask(() => this.session.syncUsersChunked(chunks));
  }

  collectTraffic({ ledger, acknowledge }: CollectTrafficRequest): Promise<TrafficBatch> {
    return this.ask(async () => {
      await this.meter.refresh();
      return this.traffic.outbox.collectBatch(ledger, acknowledge, BigInt(Math.floor(Date.now() / 1000)));
    });
  }

  /** Before the doors open; they do not wait for the engine, and who calls meanwhile does. @throws DirectoryInUse */
  async onApplicationBootstrap(): Promise<void> {
    await this.state.open();
    void this.session.restoreSavedSession().then(() => this.tidying.schedule());
  }

  /** After the doors are closed: no engine outlives its node. */
  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    this.statistics.stopSampling();
    this.tidying.cancel();
    this.backend.abortStart();
    try {
      await this.session.close();
    } finally {
      await this.state.close();
    }
  }

  /** A call that needs a backend. */
  private ask<T>(work: () => Promise<T>): Promise<T> {
    return this.call(() => {
      this.checkStarted();
      return work();
    });
  }

  /** Only calls that succeed keep the session alive. */
  private async call<T>(work: () => Promise<T>, ready = this.session.restored): Promise<T> {
    await ready;
    // Also for those who have waited: nothing may start behind the end.
    if (this.closing) throw new NodeError('SHUTTING_DOWN', 'the node is shutting down');
    const result = await work();
    this.session.keepAlive.recordCall();
    return result;
  }

  private checkStarted(): void {
    if (!this.session.started) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
  }
}
