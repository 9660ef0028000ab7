import { Readable } from 'node:stream';
import {
  type ChannelOptions,
  type ClientUnaryCall,
  type ClientWritableStream,
  connectivityState,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { CallScopes } from './call-scopes.js';
import { NodeCredentials } from './credentials.js';
import {
  Backend,
  type BaseInfoResponse,
  CollectTrafficRequest,
  Empty,
  NodeServiceClient,
  StatRequest,
  type StatResponse,
  type TrafficBatch,
  type User,
  Users,
} from './gen/service.js';
import { callError } from './grpc-error.js';
import {
  type CallOptions,
  DEFAULT_TIMEOUT_MS,
  MAX_MESSAGE_BYTES,
  type NodeClient,
  type NodeClientOptions,
} from './node-client.js';
import type { NodeClientError } from './node-client-error.js';
import { addressOf } from './secure-connection.js';

const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  // The retry buffer makes client streams quadratic: 45,000 users a second fall to 3,000.
  'grpc.per_rpc_retry_buffer_size': 0,
  // The default of 64 KiB caps a download at one window per round trip.
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // A node is reached as REST reaches it: directly, not by way of an environment variable.
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
};

type Callback<R> = (error: ServiceError | null, response: R) => void;

/** NodeClient over gRPC: one HTTP/2 connection, kept open and re-opened as needed. */
export class GrpcNodeClient implements NodeClient {
  private readonly calls: CallScopes;
  private readonly credentials: NodeCredentials;
  private readonly stub: NodeServiceClient;
  private readonly metadata = new Metadata();
  private readonly address: string;

  constructor({ host, port, apiKey, tls, timeoutMs = DEFAULT_TIMEOUT_MS }: NodeClientOptions) {
    this.calls = new CallScopes(timeoutMs);
    this.credentials = new NodeCredentials({ host, port, trust: tls });
    this.address = addressOf({ host, port });
    this.stub = new NodeServiceClient(`dns:${this.address}`, this.credentials, CHANNEL_OPTIONS);
    this.metadata.set('authorization', `Bearer ${apiKey}`);
    this.metadata.set('x-api-key', apiKey);
  }

  start(backend: Partial<Backend>, options: CallOptions = {}): Promise<BaseInfoResponse> {
    return this.unary(options, (metadata, done) => this.stub.start(Backend.fromPartial(backend), metadata, done));
  }

  async stop(options: CallOptions = {}): Promise<void> {
    await this.unary<Empty>(options, (metadata, done) => this.stub.stop({}, metadata, done));
  }

  info(options: CallOptions = {}): Promise<BaseInfoResponse> {
    return this.unary(options, (metadata, done) => this.stub.getBaseInfo({}, metadata, done));
  }

  stats(request: Partial<StatRequest>, options: CallOptions = {}): Promise<StatResponse> {
    return this.unary(options, (metadata, done) =>
      this.stub.getStats(StatRequest.fromPartial(request), metadata, done),
    );
  }

  async syncUsers(users: Partial<Users>, options: CallOptions = {}): Promise<void> {
    await this.unary<Empty>(options, (metadata, done) => this.stub.syncUsers(Users.fromPartial(users), metadata, done));
  }

  collectTraffic(request: Partial<CollectTrafficRequest>, options: CallOptions = {}): Promise<TrafficBatch> {
    return this.unary(options, (metadata, done) =>
      this.stub.collectTraffic(CollectTrafficRequest.fromPartial(request), metadata, done),
    );
  }

  syncUser(users: Iterable<User> | AsyncIterable<User>, options: CallOptions = {}): Promise<void> {
    return this.calls.run(options, async (signal) => {
      const source = Readable.from(users);
      try {
        await new Promise<void>((resolve, reject) => {
          const call = this.stub.syncUser(this.metadata.clone(), (error) =>
            error ? reject(this.explain(error)) : resolve(),
          );
          const cancel = (): void => call.cancel();
          signal.addEventListener('abort', cancel, { once: true });
          // The caller's own iterator failed: that is the error to see, not the cancellation which follows.
          source.once('error', reject).once('error', cancel);
          send(source, call);
        });
      } finally {
        source.destroy();
      }
    });
  }

  async *logs(options: CallOptions = {}): AsyncGenerator<string, void, void> {
    const scope = this.calls.begin(options, () => this.isConnected());
    try {
      scope.signal.throwIfAborted();
      yield* this.readLog(scope.signal);
    } catch (error) {
      if (options.signal?.aborted) return;
      throw scope.signal.aborted ? scope.signal.reason : this.explain(error as ServiceError);
    } finally {
      scope.release();
    }
  }

  close(): Promise<void> {
    this.calls.close();
    this.stub.close();
    this.credentials.close();
    return Promise.resolve();
  }

  private unary<R>(
    options: CallOptions,
    invoke: (metadata: Metadata, done: Callback<R>) => ClientUnaryCall,
  ): Promise<R> {
    return this.calls.run(
      options,
      (signal) =>
        new Promise<R>((resolve, reject) => {
          const call = invoke(this.metadata.clone(), (error, response) =>
            error ? reject(this.explain(error)) : resolve(response),
          );
          signal.addEventListener('abort', () => call.cancel(), { once: true });
        }),
    );
  }

  private async *readLog(signal: AbortSignal): AsyncGenerator<string, void, void> {
    const call = this.stub.getLogs(Empty.create(), this.metadata.clone());
    signal.addEventListener('abort', () => call.cancel(), { once: true });
    // After the loop was left, the cancellation still arrives as an event.
    call.on('error', () => undefined);
    try {
      for await (const { detail } of call) yield detail;
    } finally {
      call.cancel();
    }
  }

  private isConnected(): boolean {
    return this.stub.getChannel().getConnectivityState(false) === connectivityState.READY;
  }

  private explain(error: ServiceError): NodeClientError {
    const { failure } = this.credentials;
    if (error.code === status.UNAVAILABLE && failure && error.details.includes(failure.message)) return failure;
    return callError(error, this.address);
  }
}

/** Passes users on as fast as the connection takes them. */
function send(source: Readable, call: ClientWritableStream<User>): void {
  source.on('data', (user: User) => {
    if (call.write(user)) return;
    source.pause();
    call.once('drain', () => source.resume());
  });
  source.once('end', () => call.end());
}
