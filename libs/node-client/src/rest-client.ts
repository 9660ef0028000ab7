import { setMaxListeners } from 'node:events';
import { type Dispatcher, Pool } from 'undici';
import { CallScopes } from './call-scopes.js';
import { linesOfEvents } from './event-stream.js';
import {
  Backend,
  BaseInfoResponse,
  CollectTrafficRequest,
  Empty,
  type MessageFns,
  StatRequest,
  StatResponse,
  TrafficBatch,
  User,
  Users,
} from './gen/service.js';
import {
  type CallOptions,
  DEFAULT_TIMEOUT_MS,
  MAX_MESSAGE_BYTES,
  type NodeClient,
  type NodeClientOptions,
} from './node-client.js';
import { NodeClientError } from './node-client-error.js';
import { RefusedUsers } from './refused-users.js';
import { answerError, requestError } from './rest-error.js';
import { addressOf, connectSecurely } from './secure-connection.js';
import { SendWindow } from './send-window.js';

const PROTOBUF = 'application/x-protobuf';
/** Each has a connection of its own while it is under way. */
const USERS_AT_ONCE = 8;

/** NodeClient over REST: HTTP/1.1 connections, kept alive. A log stream has one of its own. */
export class RestNodeClient implements NodeClient {
  private readonly calls: CallScopes;
  private readonly pool: Pool;
  private readonly closing = new AbortController();
  private readonly headers: Readonly<Record<string, string>>;

  constructor({ host, port, apiKey, tls, timeoutMs = DEFAULT_TIMEOUT_MS }: NodeClientOptions) {
    this.calls = new CallScopes(timeoutMs);
    setMaxListeners(0, this.closing.signal);
    this.headers = { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey };
    this.pool = new Pool(`https://${addressOf({ host, port })}`, {
      connect: (_options, callback) => {
        connectSecurely({ host, port, trust: tls }, { alpn: 'http/1.1', signal: this.closing.signal }).then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
      // Time is kept by the call; a log stream may rest for hours.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  start(backend: Partial<Backend>, options: CallOptions = {}): Promise<BaseInfoResponse> {
    const body = Backend.encode(Backend.fromPartial(backend)).finish();
    return this.message(BaseInfoResponse, 'POST', '/start', body, options);
  }

  async stop(options: CallOptions = {}): Promise<void> {
    await this.message(Empty, 'PUT', '/stop', undefined, options);
  }

  info(options: CallOptions = {}): Promise<BaseInfoResponse> {
    return this.message(BaseInfoResponse, 'GET', '/info', undefined, options);
  }

  stats(request: Partial<StatRequest>, options: CallOptions = {}): Promise<StatResponse> {
    const body = StatRequest.encode(StatRequest.fromPartial(request)).finish();
    return this.message(StatResponse, 'GET', '/stats', body, options);
  }

  async syncUsers(users: Partial<Users>, options: CallOptions = {}): Promise<void> {
    const body = Users.encode(Users.fromPartial(users)).finish();
    await this.message(Empty, 'PUT', '/users/sync', body, options);
  }

  collectTraffic(request: Partial<CollectTrafficRequest>, options: CallOptions = {}): Promise<TrafficBatch> {
    const body = CollectTrafficRequest.encode(CollectTrafficRequest.fromPartial(request)).finish();
    return this.message(TrafficBatch, 'POST', '/traffic/collect', body, options);
  }

  syncUser(users: Iterable<User> | AsyncIterable<User>, options: CallOptions = {}): Promise<void> {
    return this.calls.run(options, async (signal) => {
      const refused = new RefusedUsers();
      const window = new SendWindow(USERS_AT_ONCE);
      const ended = AbortSignal.any([signal, window.signal]);
      // Each request listens to the one signal until its answer is closed.
      setMaxListeners(2 * USERS_AT_ONCE, ended);
      try {
        for await (const user of users) {
          await window.begin(user.email, async () => {
            const body = User.encode(user).finish();
            await this.exchange('PUT', '/user/sync', body, ended).catch((error: unknown) => refused.add(error));
          });
        }
        await window.end();
      } finally {
        // When the source of users fails, no request may outlive the call or arrive behind those of the next one.
        window.abandon();
      }
      refused.throwIfAny();
    });
  }

  async *logs(options: CallOptions = {}): AsyncGenerator<string, void, void> {
    const scope = this.calls.begin(options, () => (this.pool.stats.connected ?? 0) > 0);
    try {
      scope.signal.throwIfAborted();
      const { body } = await this.request('GET', '/logs', undefined, scope.signal, { accept: 'text/event-stream' });
      yield* linesOfEvents(body);
    } catch (error) {
      if (options.signal?.aborted) return;
      throw scope.signal.aborted ? scope.signal.reason : requestError(error);
    } finally {
      scope.release();
    }
  }

  close(): Promise<void> {
    this.calls.close();
    this.closing.abort();
    return this.pool.destroy();
  }

  private message<T>(
    type: MessageFns<T>,
    method: Dispatcher.HttpMethod,
    path: string,
    body: Uint8Array | undefined,
    options: CallOptions,
  ): Promise<T> {
    return this.calls.run(options, async (signal) => {
      const bytes = await this.exchange(method, path, body, signal);
      try {
        return type.decode(bytes);
      } catch (cause) {
        throw new NodeClientError('PROTOCOL', `the answer to ${method} ${path} is not the message it should be`, {
          cause,
        });
      }
    });
  }

  private async exchange(
    method: Dispatcher.HttpMethod,
    path: string,
    body: Uint8Array | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    try {
      const response = await this.request(method, path, body, signal, { 'content-type': PROTOBUF });
      return await wholeAnswer(response.body);
    } catch (error) {
      throw requestError(error);
    }
  }

  private async request(
    method: Dispatcher.HttpMethod,
    path: string,
    body: Uint8Array | undefined,
    signal: AbortSignal,
    headers: Record<string, string>,
  ): Promise<Dispatcher.ResponseData> {
    if (body && body.length > MAX_MESSAGE_BYTES) {
      throw new NodeClientError(
        'TOO_LARGE',
        `a message of ${body.length} bytes exceeds the limit of ${MAX_MESSAGE_BYTES}`,
      );
    }
    const response = await this.pool.request({
      method,
      path,
      body: body ?? null,
      signal,
      headers: { ...this.headers, ...headers },
      // Without it undici closes the connection after each GET with a body.
      reset: false,
    });
    if (response.statusCode === 200) return response;
    throw answerError(response.statusCode, Buffer.from(await wholeAnswer(response.body)).toString());
  }
}

/** The bytes of an answer. One that is too large ends here, and its connection with it. */
async function wholeAnswer(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_MESSAGE_BYTES) {
      throw new NodeClientError('TOO_LARGE', `the answer exceeds the limit of ${MAX_MESSAGE_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
