import { DEFAULT_TIMEOUT_MS } from '../api/node-client.js';
import { NodeClientError, type NodeClientErrorCode } from '../errors/node-client-error.js';
import type { Log, User, UsersChunk } from '../gen/service.js';
import { GrpcTransport } from '../grpc/grpc-transport.js';
import { RestTransport } from '../rest/rest-transport.js';
import { CALLS, type NodeTransport, type TransportOptions, type UnaryCall } from '../transport/node-transport.js';
import { CallScopes } from './call-scopes.js';

/** Errors that do not tell which transport the peer supports. */
const UNDECIDED: ReadonlySet<string> = new Set<NodeClientErrorCode>([
  'UNREACHABLE',
  'TIMEOUT',
  'CANCELLED',
  'TLS_UNTRUSTED',
]);

/** Errors of a peer that does not support gRPC, or does not have our calls there. */
const NOT_GRPC: ReadonlySet<string> = new Set<NodeClientErrorCode>(['PROTOCOL', 'NOT_FOUND']);

/**
 * Uses gRPC if the node supports it, else REST. An info call decides, so that no other call is ever sent twice. The choice
 * holds until the connection is lost.
 */
export class AutoTransport implements NodeTransport {
  private readonly scopes: CallScopes;
  private readonly rest: RestTransport;
  private grpc: GrpcTransport | undefined;
  private choice: Promise<NodeTransport> | undefined;

  constructor(
    private readonly options: TransportOptions,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ) {
    this.scopes = new CallScopes(timeoutMs);
    this.rest = new RestTransport(options);
  }

  get connected(): boolean {
    return this.rest.connected || (this.grpc?.connected ?? false);
  }

  unary<Q, R extends object>(call: UnaryCall<Q, R>, request: Q, signal: AbortSignal): Promise<R> {
    return this.run(signal, (transport) => transport.unary(call, request, signal));
  }

  syncUser(users: AsyncIterable<User>, signal: AbortSignal): Promise<void> {
    return this.run(signal, (transport) => transport.syncUser(users, signal));
  }

  syncUsersChunked(chunks: AsyncIterable<UsersChunk>, signal: AbortSignal): Promise<void> {
    return this.run(signal, (transport) => transport.syncUsersChunked(chunks, signal));
  }

  async *logs(after: bigint, signal: AbortSignal, opened: () => void): AsyncGenerator<Log, void, void> {
    const choice = this.choose();
    try {
      const transport = await choice;
      signal.throwIfAborted();
      yield* transport.logs(after, signal, opened);
    } catch (error) {
      this.reconsider(choice, error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.scopes.close();
    await Promise.all([this.grpc?.close(), this.rest.close()]);
  }

  private async run<T>(signal: AbortSignal, work: (transport: NodeTransport) => Promise<T>): Promise<T> {
    const choice = this.choose();
    try {
      const transport = await choice;
      // A call that has timed out while it waited is not sent.
      signal.throwIfAborted();
      return await work(transport);
    } catch (error) {
      this.reconsider(choice, error);
      throw error;
    }
  }

  private choose(): Promise<NodeTransport> {
    this.choice ??= this.decide();
    return this.choice;
  }

  private reconsider(choice: Promise<NodeTransport>, error: unknown): void {
    const lost = error instanceof NodeClientError && (UNDECIDED.has(error.code) || error.code === 'PROTOCOL');
    if (lost && this.choice === choice) this.choice = undefined;
  }

  private async decide(): Promise<NodeTransport> {
    const grpc = this.grpc ?? new GrpcTransport(this.options, () => this.lost(grpc));
    this.grpc = grpc;
    try {
      await this.scopes.run({}, (signal) => grpc.unary(CALLS.info, {}, signal));
    } catch (error) {
      if (!(error instanceof NodeClientError) || UNDECIDED.has(error.code)) throw error;
      if (NOT_GRPC.has(error.code)) {
        // An open gRPC client would try to connect without end.
        this.grpc = undefined;
        await grpc.close();
        return this.rest;
      }
    }
    return grpc;
  }

  private lost(grpc: GrpcTransport): void {
    if (this.grpc === grpc) this.choice = undefined;
  }
}
