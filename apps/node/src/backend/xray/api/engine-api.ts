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
import { AlterInboundRequest, HandlerServiceClient } from '../gen/proxyman.js';
import { StatsServiceClient, StatsServiceService } from '../gen/stats.js';
import { addUserOperation, removeUserOperation } from '../messages/user-operations.js';
import { API_HOST } from '../reserved.js';
import type { Account } from '../users/account.js';
import { CounterDifferences } from './counter-differences.js';
import { callEngine } from './engine-call.js';
import { EngineStatistics } from './engine-statistics.js';

const CHANGE_TIMEOUT_MS = 20_000;
/** 200,000 counters take a quarter second. */
const READ_TIMEOUT_MS = 5000;

const CHANNEL_OPTIONS = {
  'grpc.http_connect_target': `dns:${API_HOST}:80`,
  'grpc.max_receive_message_length': -1,
  // The API comes up milliseconds after the first try; the default waits a second before the next.
  'grpc.initial_reconnect_backoff_ms': 10,
  'grpc.min_reconnect_backoff_ms': 10,
  'grpc.max_reconnect_backoff_ms': 50,
  'grpc.enable_http_proxy': 0,
};

/** How a call ends that nobody answered. */
const UNANSWERED_STATUSES = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED];

export interface EngineApiOptions {
  /** All others for one engine share a connection. */
  readonly ownConnection?: boolean;
}

// It writes to the console what its calls answer anyway, such as that an engine which just starts does not listen yet.
setLogVerbosity(logVerbosity.NONE);

export { EngineNotAnswering, EngineRefusal } from './engine-call.js';

/** The calls that the node makes to its engine, over the private channel of one run. */
export class EngineApi {
  readonly statistics: EngineStatistics;
  /** How many calls it has answered so far. */
  answeredCalls = 0;
  private readonly handler: HandlerServiceClient;
  private readonly stats: StatsServiceClient;
  private readonly counters = new CounterDifferences();

  constructor(socketPath: string, { ownConnection = false }: EngineApiOptions = {}) {
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

  /** Answers as soon as the engine does, which is when all its inbounds listen. */
  async waitUntilReady(deadlineMs: number): Promise<void> {
    const metadata = new Metadata({ waitForReady: true });
    await callEngine((done) => this.stats.getSysStats({}, metadata, { deadline: Date.now() + deadlineMs }, done));
  }

  /** @throws EngineRefusal, EngineSilence */
  async addUser(tag: string, email: string, account: Account): Promise<void> {
    await this.alterInbound({ tag, operation: addUserOperation(email, account) });
  }

  /** @throws EngineRefusal, EngineSilence */
  async removeUser(tag: string, email: string): Promise<void> {
    await this.alterInbound({ tag, operation: removeUserOperation(email) });
  }

  /** How many users an inbound has. @throws EngineRefusal, EngineSilence */
  async countUsers(tag: string): Promise<number> {
    const { count } = await callEngine<{ count: bigint }>((done) =>
      this.handler.getInboundUsersCount({ tag }, new Metadata(), changeOptions(), done),
    );
    return Number(count);
  }

  /**
   * An inbound that listens as soon as this answers. Refused, it leaves its tag behind, which must then be removed.
   * @throws EngineRefusal, EngineSilence
   */
  async addInbound(inbound: InboundHandlerConfig): Promise<void> {
    await callEngine((done) => this.handler.addInbound({ inbound }, new Metadata(), changeOptions(), done));
  }

  /** Its listener closes; its connections live on where the transport allows it. @throws EngineRefusal, EngineSilence */
  async removeInbound(tag: string): Promise<void> {
    await callEngine((done) => this.handler.removeInbound({ tag }, new Metadata(), changeOptions(), done));
  }

  /** Bytes since the reading before. Not before that one has ended. @throws EngineSilence */
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
  return { deadline: Date.now() + CHANGE_TIMEOUT_MS };
}
