import {
  credentials,
  InterceptingCall,
  type Interceptor,
  logVerbosity,
  Metadata,
  setLogVerbosity,
  status,
} from '@grpc/grpc-js';
import type { TrafficReading } from '../../backend.js';
import type { InboundHandlerConfig } from '../gen/core.js';
import { ObservatoryServiceClient } from '../gen/observatory.js';
import { AlterInboundRequest, HandlerServiceClient, HandlerServiceService } from '../gen/proxyman.js';
import { StatsServiceClient, StatsServiceService } from '../gen/stats.js';
import { addUserOperation, removeUserOperation } from '../messages/user-operations.js';
import { API_HOST } from '../names/reserved.js';
import type { Account } from '../users/account.js';
import { type CountedBefore, CounterDifferences } from './counter-differences.js';
import { callEngine } from './engine-call.js';
import { EngineStatistics } from './engine-statistics.js';
import { MAX_BUSY_MS } from './patience.js';

/** Reading 200,000 counters takes a quarter of a second. */
const READ_TIMEOUT_MS = 5000;

const CHANNEL_OPTIONS = {
  'grpc.http_connect_target': `dns:${API_HOST}:80`,
  'grpc.max_receive_message_length': -1,
  // The API comes up milliseconds after the first attempt; by default the next one would follow after a second.
  'grpc.initial_reconnect_backoff_ms': 10,
  'grpc.min_reconnect_backoff_ms': 10,
  'grpc.max_reconnect_backoff_ms': 50,
  'grpc.enable_http_proxy': 0,
};

/** Status codes of calls that the engine did not answer. */
const UNANSWERED_STATUSES = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED];

export interface EngineApiOptions {
  /** Opens a connection of its own instead of the one that other clients of the engine share. */
  readonly ownConnection?: boolean;
  /** What has been counted already of an engine that another node has started. */
  readonly countedBefore?: CountedBefore | undefined;
}

// grpc-js writes to the console what the calls report anyway, such as an engine that does not listen yet.
setLogVerbosity(logVerbosity.NONE);

export { EngineNotAnswering, EngineRefusal } from './engine-call.js';

/** The calls that the node makes to one run of the engine, over its private API channel. */
export class EngineApi {
  readonly statistics: EngineStatistics;
  /** Number of calls that the engine has answered so far. */
  answeredCalls = 0;
  private readonly handler: HandlerServiceClient;
  private readonly stats: StatsServiceClient;
  private readonly counters: CounterDifferences;

  constructor(socketPath: string, { ownConnection = false, countedBefore }: EngineApiOptions = {}) {
    this.counters = new CounterDifferences(countedBefore);
    const address = `unix:${socketPath}`;
    const options = {
      ...CHANNEL_OPTIONS,
      'grpc.use_local_subchannel_pool': ownConnection ? 1 : 0,
      interceptors: [this.countAnswers()],
    };
    this.handler = new HandlerServiceClient(address, credentials.createInsecure(), options);
    const shared = { ...options, channelOverride: this.handler.getChannel() };
    this.stats = new StatsServiceClient(address, credentials.createInsecure(), shared);
    const observatory = new ObservatoryServiceClient(address, credentials.createInsecure(), shared);
    this.statistics = new EngineStatistics(this.stats, observatory);
  }

  /** Resolves when the engine answers, which it does when all its inbounds listen. */
  async waitUntilReady(deadlineMs: number): Promise<void> {
    const metadata = new Metadata({ waitForReady: true });
    await callEngine((done) => this.stats.getSysStats({}, metadata, { deadline: Date.now() + deadlineMs }, done));
  }

  /** @throws EngineRefusal, EngineNotAnswering */
  async addUser(tag: string, email: string, account: Account): Promise<void> {
    await this.alterInbound({ tag, operation: addUserOperation(email, account) });
  }

  /** @throws EngineRefusal, EngineNotAnswering */
  async removeUser(tag: string, email: string): Promise<void> {
    await this.alterInbound({ tag, operation: removeUserOperation(email) });
  }

  /** Tags of all inbounds, with that of the API. @throws EngineRefusal, EngineNotAnswering */
  async inboundTags(): Promise<string[]> {
    const options = { deadline: Date.now() + READ_TIMEOUT_MS };
    const { inbounds } = await callEngine<{ inbounds: { tag: string }[] }>((done) =>
      this.handler.listInbounds({ isOnlyTags: true }, new Metadata(), options, done),
    );
    return inbounds.map(({ tag }) => tag);
  }

  /**
   * The users of an inbound as the encoded answer of the engine: with 100,000 users it has more than 10 MB.
   * @throws EngineRefusal, EngineNotAnswering
   */
  listUsers(tag: string): Promise<Buffer> {
    const { path, requestSerialize } = HandlerServiceService.getInboundUsers;
    return callEngine<Buffer>((done) =>
      this.handler.makeUnaryRequest(
        path,
        requestSerialize,
        (bytes) => bytes,
        { tag },
        new Metadata(),
        changeOptions(),
        (error, bytes) => done(error, bytes ?? Buffer.alloc(0)),
      ),
    );
  }

  /** Number of users of an inbound. @throws EngineRefusal, EngineNotAnswering */
  async countUsers(tag: string): Promise<number> {
    const { count } = await callEngine<{ count: bigint }>((done) =>
      this.handler.getInboundUsersCount({ tag }, new Metadata(), changeOptions(), done),
    );
    return Number(count);
  }

  /**
   * Adds an inbound; it listens when this resolves. A refused inbound leaves its tag behind, which must then be
   * removed.
   * @throws EngineRefusal, EngineNotAnswering
   */
  async addInbound(inbound: InboundHandlerConfig): Promise<void> {
    await callEngine((done) => this.handler.addInbound({ inbound }, new Metadata(), changeOptions(), done));
  }

  /**
   * Closes the inbound's listener; its connections live on where the transport allows it.
   * @throws EngineRefusal, EngineNotAnswering
   */
  async removeInbound(tag: string): Promise<void> {
    await callEngine((done) => this.handler.removeInbound({ tag }, new Metadata(), changeOptions(), done));
  }

  /** Traffic since the last reading, which must have ended before. @throws EngineNotAnswering */
  async readTraffic(deadlineMs = READ_TIMEOUT_MS): Promise<TrafficReading> {
    const options = { deadline: Date.now() + deadlineMs };
    const { path, requestSerialize } = StatsServiceService.queryStats;
    const request = { pattern: '', reset: false };
    const answer = await callEngine<Buffer>((done) =>
      this.stats.makeUnaryRequest(
        path,
        requestSerialize,
        (bytes) => bytes,
        request,
        new Metadata(),
        options,
        (error, bytes) => done(error, bytes ?? Buffer.alloc(0)),
      ),
    );
    return this.counters.readDifferences(answer);
  }

  close(): void {
    this.handler.close();
    this.stats.close();
  }

  private countAnswers(): Interceptor {
    return (options, nextCall) =>
      new InterceptingCall(nextCall(options), {
        start: (metadata, _listener, next) =>
          next(metadata, {
            onReceiveStatus: (received, pass) => {
              if (!UNANSWERED_STATUSES.includes(received.code)) this.answeredCalls += 1;
              pass(received);
            },
          }),
      });
  }

  private async alterInbound(request: AlterInboundRequest): Promise<void> {
    await callEngine((done) => this.handler.alterInbound(request, new Metadata(), changeOptions(), done));
  }
}

function changeOptions() {
  return { deadline: Date.now() + MAX_BUSY_MS };
}
