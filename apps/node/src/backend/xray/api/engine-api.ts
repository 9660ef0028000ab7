import { credentials, logVerbosity, Metadata, type ServiceError, setLogVerbosity, status } from '@grpc/grpc-js';
import { AlterInboundRequest, HandlerServiceClient } from '../gen/proxyman.js';
import { type Counter, StatsServiceClient } from '../gen/stats.js';
import type { Account } from '../users/account.js';
import { addUserOperation, removeUserOperation } from './typed-message.js';

const USER_DEADLINE_MS = 20_000;
/** By the time that it answers its counters are at zero: giving up early would lose them. 200,000 take a quarter second. */
const READ_DEADLINE_MS = 5000;

const CHANNEL_OPTIONS = {
  'grpc.http_connect_target': 'dns:api:80',
  'grpc.max_receive_message_length': -1,
  // The API comes up milliseconds after the first try; the default waits a second before the next.
  'grpc.initial_reconnect_backoff_ms': 10,
  'grpc.min_reconnect_backoff_ms': 10,
  'grpc.max_reconnect_backoff_ms': 50,
  'grpc.enable_http_proxy': 0,
};

// It writes to the console what its calls answer anyway, such as that an engine which just starts does not listen yet.
setLogVerbosity(logVerbosity.NONE);

type Callback<T> = (error: ServiceError | null, response: T) => void;

/** The engine understood the call and refused it, in its own words. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
}

/** The engine did not answer. */
export class EngineSilence extends Error {
  override readonly name = 'EngineSilence';
}

/** The calls that the node makes to its engine, over the private channel of one run. */
export class EngineApi {
  private readonly handler: HandlerServiceClient;
  private readonly stats: StatsServiceClient;

  constructor(socketPath: string) {
    const address = `unix:${socketPath}`;
    this.handler = new HandlerServiceClient(address, credentials.createInsecure(), CHANNEL_OPTIONS);
    this.stats = new StatsServiceClient(address, credentials.createInsecure(), {
      ...CHANNEL_OPTIONS,
      channelOverride: this.handler.getChannel(),
    });
  }

  /** Answers as soon as the engine does, which is when all its inbounds listen. */
  async ready(deadlineMs: number): Promise<void> {
    const metadata = new Metadata({ waitForReady: true });
    await call((done) => this.stats.getSysStats({}, metadata, { deadline: Date.now() + deadlineMs }, done));
  }

  /** @throws EngineRefusal, EngineSilence */
  async addUser(tag: string, email: string, account: Account): Promise<void> {
    await this.alter({ tag, operation: addUserOperation(email, account) });
  }

  /** @throws EngineRefusal, EngineSilence */
  async removeUser(tag: string, email: string): Promise<void> {
    await this.alter({ tag, operation: removeUserOperation(email) });
  }

  /** All counters, which then start at zero again. */
  async takeCounters(deadlineMs = READ_DEADLINE_MS): Promise<Counter[]> {
    const options = { deadline: Date.now() + deadlineMs };
    const request = { pattern: '', reset: true };
    const { stat } = await call<{ stat: Counter[] }>((done) =>
      this.stats.queryStats(request, new Metadata(), options, done),
    );
    return stat;
  }

  close(): void {
    this.handler.close();
    this.stats.close();
  }

  private async alter(request: AlterInboundRequest): Promise<void> {
    const options = { deadline: Date.now() + USER_DEADLINE_MS };
    await call((done) => this.handler.alterInbound(request, new Metadata(), options, done));
  }
}

function call<T>(start: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, response) => {
      if (error === null) resolve(response);
      else if (error.code === status.UNKNOWN) reject(new EngineRefusal(error.details, { cause: error }));
      else reject(new EngineSilence(`the engine did not answer: ${error.details}`, { cause: error }));
    });
  });
}
