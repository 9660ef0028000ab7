import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type {
  Backend,
  BaseInfoResponse,
  CollectTrafficRequest,
  StatRequest,
  StatResponse,
  TrafficBatch,
  User,
  Users,
} from '@rampart/node-client';
import type { ProxyBackend } from './backend/backend.js';
import { NodeError } from './errors/node-error.js';
import type { LogLine, LogRing } from './logs/log-ring.js';
import { NODE_VERSION } from './node.version.js';
import type { Session } from './session/session.js';
import type { TrafficMeter } from './traffic/traffic-meter.js';
import { checkStatRequest } from './traffic/traffic-totals.js';

export type { LogLine } from './logs/log-ring.js';

/** Everything that a node can do, once, for every door (REST and gRPC). Errors are NodeErrors. */
@Injectable()
export class NodeService implements OnApplicationShutdown {
  private closing = false;

  constructor(
    private readonly session: Session,
    private readonly backend: ProxyBackend,
    private readonly traffic: TrafficMeter,
    private readonly ring: LogRing,
  ) {}

  start(backend: Backend): Promise<BaseInfoResponse> {
    return this.call(async () => {
      await this.session.start(backend);
      return this.info();
    });
  }

  stop(): Promise<void> {
    return this.call(() => this.session.stop());
  }

  info(): BaseInfoResponse {
    this.session.keepAlive.touch();
    return {
      running: this.session.started && this.backend.running,
      coreVersion: this.backend.version,
      version: NODE_VERSION,
      coreType: this.backend.type,
      refused: this.session.refused,
    };
  }

  /** Lines after a sequence number (default: all that are kept), then new ones until the signal aborts. */
  logs({ after, signal }: { after?: bigint; signal: AbortSignal }): AsyncIterable<LogLine> {
    this.checkStarted();
    const lines = this.ring.read({ after, signal });
    return holding(lines, () => this.session.keepAlive.hold());
  }

  stats(request: StatRequest): Promise<StatResponse> {
    return this.call(async () => {
      this.checkStarted();
      checkStatRequest(request);
      await this.traffic.refresh();
      return { stats: this.traffic.totals.query(request) };
    });
  }

  /** Applies users one after another; those that the engine would refuse are named in one USERS_REFUSED, all others hold. */
  syncUser(users: AsyncIterable<User> | Iterable<User>): Promise<void> {
    return this.call(() => {
      this.checkStarted();
      return this.session.changeUsers(users);
    });
  }

  syncUsers({ users, revision }: Users): Promise<void> {
    return this.call(() => {
      this.checkStarted();
      return this.session.syncUsers(users, revision);
    });
  }

  collectTraffic({ ledger, acknowledge }: CollectTrafficRequest): Promise<TrafficBatch> {
    return this.call(async () => {
      this.checkStarted();
      await this.traffic.refresh();
      return this.traffic.ledger.collect(ledger, acknowledge, BigInt(Math.floor(Date.now() / 1000)));
    });
  }

  /** After the doors are closed: no engine outlives its node. */
  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.session.stop();
  }

  /** Only calls that succeed keep the session alive. */
  private async call<T>(work: () => Promise<T>): Promise<T> {
    if (this.closing) throw new NodeError('SHUTTING_DOWN', 'the node is shutting down');
    const result = await work();
    this.session.keepAlive.touch();
    return result;
  }

  private checkStarted(): void {
    if (!this.session.started) throw new NodeError('BACKEND_NOT_INITIALIZED', 'backend not initialized');
  }
}

/** Passes items on; from the first request for one until the end something is held. */
async function* holding<T>(items: AsyncIterable<T>, hold: () => () => void): AsyncGenerator<T, void> {
  const release = hold();
  try {
    yield* items;
  } finally {
    release();
  }
}
