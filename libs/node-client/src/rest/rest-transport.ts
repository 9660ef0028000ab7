import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { type buildConnector, type Dispatcher, Pool } from 'undici';
import { MAX_MESSAGE_BYTES } from '../api/node-client.js';
import { clientCertificateError } from '../connection/client-certificate-error.js';
import { addressOf, connectSecurely, type Peer } from '../connection/secure-connection.js';
import { NodeClientError } from '../errors/node-client-error.js';
import { type Log, User, type UsersChunk } from '../gen/service.js';
import { requestIdHeader } from '../messages/request-id.js';
import { encodeUsersChunk, type WithUsers } from '../messages/users-message.js';
import { ByteCollector } from '../transport/byte-collector.js';
import { decodeAnswer } from '../transport/decode-answer.js';
import { encodeRequest } from '../transport/encode-request.js';
import { countInformationalAnswers, TOO_MANY_INFORMATIONAL_ANSWERS } from '../transport/informational-answers.js';
import { nextTurn } from '../transport/next-turn.js';
import {
  LAST_EVENT_ID,
  type NodeTransport,
  type TransportOptions,
  type UnaryCall,
} from '../transport/node-transport.js';
import { BoundedClient } from './bounded-client.js';
import { parseEvents } from './event-stream.js';
import { RefusedUsers } from './refused-users.js';
import { answerError, requestError } from './rest-error.js';
import { SendWindow } from './send-window.js';

const PROTOBUF = 'application/x-protobuf';
/** Maximum size of the body of an error. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Chunks of an answer that are read without a turn for others: a node may send them of one byte. */
const CHUNKS_OF_A_TURN = 1_000;
/** Maximum number of users that are sent at once; each open request has its own connection. */
const MAX_CONCURRENT_USERS = 8;

interface Request {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly body?: Uint8Array | Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls over REST, with HTTP/1.1 connections that are kept alive. A log stream has its own connection. */
export class RestTransport implements NodeTransport {
  private readonly pool: Pool;
  private readonly closing = new AbortController();
  private readonly headers: Readonly<Record<string, string>>;
  private readonly requestId: TransportOptions['requestId'];
  /** Set when the node has closed the last connection because of our client certificate. */
  private refusal: NodeClientError | undefined;
  /** Routes of queries that the node does not accept as POST. */
  private readonly getOnly = new Set<string>();

  constructor({ host, address, port, apiKey, tls, requestId }: TransportOptions) {
    this.requestId = requestId;
    setMaxListeners(0, this.closing.signal);
    this.headers = { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey };
    const peer: Peer = { host, address, port, trust: tls };
    const connect: buildConnector.connector = (_options, callback) => {
      connectSecurely(peer, { alpn: 'http/1.1', signal: this.closing.signal }).then(
        (socket) => {
          this.refusal = undefined;
          // This handler runs before that of undici, which only sees the end of a connection.
          socket.prependOnceListener('error', (error) => {
            this.refusal = clientCertificateError(error);
          });
          callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    };
    this.pool = new Pool(`https://${addressOf({ host, port })}`, {
      factory: (origin, options) => new BoundedClient(origin, { ...options, connect }),
      // The call has its own timeout, and a log stream may be silent for hours.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  get connected(): boolean {
    return (this.pool.stats.connected ?? 0) > 0;
  }

  async unary<Q, R extends object>(call: UnaryCall<Q, R>, request: Q, signal: AbortSignal): Promise<R> {
    const { method, route } = call;
    const body = encodeRequest(call, request);
    const bytes =
      method === 'QUERY'
        ? await this.query(route, body, signal)
        : await this.exchange({ method, path: route, ...(body.length > 0 ? { body } : {}) }, signal);
    return decodeAnswer(call, bytes);
  }

  async syncUser(users: AsyncIterable<User>, signal: AbortSignal): Promise<void> {
    const refused = new RefusedUsers();
    const window = new SendWindow(MAX_CONCURRENT_USERS);
    const ended = AbortSignal.any([signal, window.signal]);
    // Each request listens to this signal until its response is closed.
    setMaxListeners(2 * MAX_CONCURRENT_USERS, ended);
    try {
      for await (const user of users) {
        await window.begin(user.email, async () => {
          const request = { method: 'PUT', path: '/user/sync', body: User.encode(user).finish() } as const;
          await this.exchange(request, ended).catch((error: unknown) => refused.add(error));
        });
      }
      await window.end();
    } finally {
      // When the iterator of users fails, no request may outlive the call, or arrive after those of the next call.
      window.abandon();
    }
    refused.throwIfAny();
  }

  async syncUsersChunked(chunks: AsyncIterable<WithUsers<UsersChunk>>, signal: AbortSignal): Promise<void> {
    const body = Readable.from(frameChunks(chunks));
    try {
      await this.exchange({ method: 'PUT', path: '/users/sync/chunked', body }, signal);
    } finally {
      body.destroy();
    }
  }

  async *logs(after: bigint, signal: AbortSignal, opened: () => void): AsyncGenerator<Log, void, void> {
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (after > 0n) headers[LAST_EVENT_ID] = after.toString();
    try {
      const { body } = await this.request({ method: 'GET', path: '/logs', headers }, signal);
      opened();
      yield* parseEvents(body);
    } catch (error) {
      throw this.explain(error);
    }
  }

  close(): Promise<void> {
    this.closing.abort();
    return this.pool.destroy();
  }

  /** Sends a query as POST, whose body passes every intermediary; as GET when the node does not accept POST. */
  private async query(path: string, body: Uint8Array, signal: AbortSignal): Promise<Buffer> {
    if (!this.getOnly.has(path)) {
      try {
        return await this.exchange({ method: 'POST', path, body }, signal);
      } catch (error) {
        if (!(error instanceof NodeClientError) || (error.httpStatus !== 404 && error.httpStatus !== 405)) throw error;
        this.getOnly.add(path);
      }
    }
    return this.exchange({ method: 'GET', path, body }, signal);
  }

  private async exchange(request: Request, signal: AbortSignal): Promise<Buffer> {
    try {
      const { body } = await this.request({ ...request, headers: { 'content-type': PROTOBUF } }, signal);
      return await readResponse(body);
    } catch (error) {
      throw this.explain(error);
    }
  }

  private explain(error: unknown): NodeClientError {
    return (error instanceof NodeClientError ? undefined : this.refusal) ?? requestError(error);
  }

  private async request(
    { method, path, body, headers }: Request,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    if (body && !(body instanceof Readable) && body.length > MAX_MESSAGE_BYTES) {
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
      headers: { ...this.headers, ...requestIdHeader(this.requestId), ...headers },
      // Without this, undici closes the connection after each GET with a body.
      reset: false,
      // undici reads them without end. What this throws ends the request, and closes its connection.
      onInfo: countInformationalAnswers(() => {
        throw new NodeClientError('PROTOCOL', TOO_MANY_INFORMATIONAL_ANSWERS);
      }),
    });
    if (response.statusCode === 200) return response;
    throw answerError(response.statusCode, await readText(response.body));
  }
}

/** Reads a whole response; throws `TOO_LARGE` when it exceeds the limit, which also closes the connection. */
async function readResponse(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const answer = new ByteCollector();
  let count = 0;
  for await (const chunk of body) {
    answer.add(chunk);
    count += 1;
    if (count % CHUNKS_OF_A_TURN === 0) await nextTurn();
    if (answer.length > MAX_MESSAGE_BYTES) {
      throw new NodeClientError('TOO_LARGE', `the answer exceeds the limit of ${MAX_MESSAGE_BYTES} bytes`);
    }
  }
  return answer.bytes();
}

/** Reads the text of an error, of which the beginning suffices. Leaving the loop closes the connection. */
async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_ERROR_BYTES);
}

/** Frames chunks for the REST route: each is its length as a varint, and then its bytes. */
async function* frameChunks(chunks: AsyncIterable<WithUsers<UsersChunk>>): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) yield new BinaryWriter().bytes(encodeUsersChunk(chunk)).finish();
}
