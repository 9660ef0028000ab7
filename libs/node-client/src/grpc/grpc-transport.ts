import { Readable } from 'node:stream';
import {
  type ChannelOptions,
  Client,
  type ClientWritableStream,
  connectivityState,
  logVerbosity,
  Metadata,
  type MethodDefinition,
  type ServiceError,
  setLogVerbosity,
  status,
} from '@grpc/grpc-js';
import { MAX_MESSAGE_BYTES } from '../api/node-client.js';
import { addressOf } from '../connection/secure-connection.js';
import { NodeClientError } from '../errors/node-client-error.js';
import { Empty, Log, NodeServiceService as rpc, type User, type UsersChunk } from '../gen/service.js';
import { requestIdHeader } from '../messages/request-id.js';
import { encodeUsersChunk, type WithUsers } from '../messages/users-message.js';
import { decodeAnswer, decodeFewFields } from '../transport/decode-answer.js';
import { encodeRequest } from '../transport/encode-request.js';
import {
  LAST_EVENT_ID,
  type NodeTransport,
  type TransportOptions,
  type UnaryCall,
} from '../transport/node-transport.js';
import { NodeCredentials } from './channel-credentials.js';
import { callError } from './grpc-error.js';
import { joinSmallPieces } from './join-pieces.js';
import { prepareSessions } from './sessions.js';

// grpc-js would write what a node sends into the log as it is, in any length.
setLogVerbosity(logVerbosity.NONE);
joinSmallPieces();
prepareSessions();

/** Maximum size of a log line, as over REST. */
const MAX_LINE_BYTES = 512 * 1024;
/** What a line may have beside its text. */
const MAX_BESIDE_TEXT = 1_024;
/** Most bytes of a character in UTF-8, as `length` counts characters. */
const BYTES_OF_CHARACTER = 3;

/** The options of every channel. */
export const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  // The retry buffer makes client streams take quadratic time: 3,000 instead of 45,000 users per second.
  'grpc.per_rpc_retry_buffer_size': 0,
  // The default of 64 KiB limits a download to one window per round trip. A window in frames of one byte, which wait for
  // the reader of a log, takes seventy times its size in memory.
  'grpc-node.flow_control_window': 512 * 1024,
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // A node is reached directly, as over REST, and not through a proxy from an environment variable.
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
};

/** Calls over gRPC, with one HTTP/2 connection that is kept open and opened again as needed. */
export class GrpcTransport implements NodeTransport {
  private readonly credentials: NodeCredentials;
  private readonly client: Client;
  private readonly metadata = new Metadata();
  private readonly address: string;
  private readonly requestId: TransportOptions['requestId'];

  constructor(
    { host, address = host, port, apiKey, tls, requestId }: TransportOptions,
    lost: () => void = () => undefined,
  ) {
    this.requestId = requestId;
    this.credentials = new NodeCredentials({ host, port, trust: tls }, lost);
    this.address = addressOf({ host, port });
    this.client = new Client(`dns:${addressOf({ host: address, port })}`, this.credentials, {
      ...CHANNEL_OPTIONS,
      'grpc.default_authority': this.address,
    });
    this.metadata.set('authorization', `Bearer ${apiKey}`);
    this.metadata.set('x-api-key', apiKey);
  }

  get connected(): boolean {
    return this.client.getChannel().getConnectivityState(false) === connectivityState.READY;
  }

  async unary<Q, R extends object>(unary: UnaryCall<Q, R>, request: Q, signal: AbortSignal): Promise<R> {
    const body = encodeRequest(unary, request);
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const metadata = this.callMetadata();
      const call = this.client.makeUnaryRequest(unary.path, unchanged, unchanged, body, metadata, (error, response) =>
        response === undefined ? reject(this.explain(error)) : resolve(response),
      );
      signal.addEventListener('abort', () => call.cancel(), { once: true });
    });
    return decodeAnswer(unary, answer);
  }

  syncUser(users: AsyncIterable<User>, signal: AbortSignal): Promise<void> {
    return this.send(rpc.syncUser, users, signal);
  }

  syncUsersChunked(chunks: AsyncIterable<WithUsers<UsersChunk>>, signal: AbortSignal): Promise<void> {
    return this.send({ ...rpc.syncUsersChunked, requestSerialize: encodeUsersChunk }, chunks, signal);
  }

  async *logs(after: bigint, signal: AbortSignal, opened: () => void): AsyncGenerator<Log, void, void> {
    const { path, requestSerialize } = rpc.getLogs;
    const metadata = this.callMetadata();
    if (after > 0n) metadata.set(LAST_EVENT_ID, after.toString());
    const call = this.client.makeServerStreamRequest(path, requestSerialize, decodeLine, Empty.create(), metadata);
    signal.addEventListener('abort', () => call.cancel(), { once: true });
    call.once('metadata', opened);
    // After the loop has ended, the cancellation still arrives as an error event.
    call.on('error', () => undefined);
    try {
      yield* call as AsyncIterable<Log>;
    } catch (error) {
      throw this.explain(error as ServiceError);
    } finally {
      call.cancel();
    }
  }

  close(): Promise<void> {
    this.client.close();
    this.credentials.close();
    return Promise.resolve();
  }

  private callMetadata(): Metadata {
    const metadata = this.metadata.clone();
    for (const [name, value] of Object.entries(requestIdHeader(this.requestId))) metadata.set(name, value);
    return metadata;
  }

  private async send<Q>(
    { path, requestSerialize }: Pick<MethodDefinition<Q, Empty>, 'path' | 'requestSerialize'>,
    messages: AsyncIterable<Q>,
    signal: AbortSignal,
  ): Promise<void> {
    const source = Readable.from(messages);
    try {
      await new Promise<void>((resolve, reject) => {
        const metadata = this.callMetadata();
        const call = this.client.makeClientStreamRequest(path, requestSerialize, Empty.create, metadata, (error) =>
          error ? reject(this.explain(error)) : resolve(),
        );
        const cancel = (): void => call.cancel();
        signal.addEventListener('abort', cancel, { once: true });
        source.once('error', cancel);
        pump(source, call);
      });
    } finally {
      source.destroy();
    }
  }

  private explain(error: ServiceError | null): NodeClientError {
    if (!error) return new NodeClientError('PROTOCOL', 'there was neither an answer nor an error');
    const { failure } = this.credentials;
    if (error.code === status.UNAVAILABLE && failure && (isRefusal(failure) || error.details.includes(failure.message)))
      return failure;
    return callError(error, this.address);
  }
}

const unchanged = (bytes: Buffer): Buffer => bytes;

/** @throws RangeError or NodeClientError for a line that takes longer to read than to show */
export function decodeLine(bytes: Buffer): Log {
  if (bytes.length > MAX_LINE_BYTES) throw new RangeError(`a log line is longer than ${MAX_LINE_BYTES} bytes`);
  const line = decodeFewFields('GetLogs', Log, bytes);
  if (bytes.length > MAX_BESIDE_TEXT + BYTES_OF_CHARACTER * line.detail.length)
    throw new RangeError('a log line is hardly anything but what it should not have');
  return line;
}

/** Whether the node has refused our certificate. The call does not see this error, because it comes after the handshake. */
const isRefusal = ({ code }: NodeClientError): boolean => code === 'UNAUTHENTICATED';

/** Writes messages to a call as fast as the connection takes them. */
function pump<Q>(source: Readable, call: ClientWritableStream<Q>): void {
  source.on('data', (message: Q) => {
    if (call.write(message)) return;
    source.pause();
    call.once('drain', () => source.resume());
  });
  source.once('end', () => call.end());
}
