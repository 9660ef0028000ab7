import { EventEmitter, once } from 'node:events';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Duplex } from 'node:stream';
import {
  ResponderBuilder,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from '@grpc/grpc-js';
import { ServerGrpc } from '@nestjs/microservices';
import { MAX_MESSAGE_BYTES } from '@rampart/node-client';
import { isObservable, lastValueFrom } from 'rxjs';
import { NodeError } from '../../errors/node-error.js';
import type { Authenticate } from '../auth/authenticator.js';
import type { Http2Side, OnePortServer } from '../one-port/one-port.server.js';
import { statusOf } from './grpc-status.js';
import { frontHttp2 } from './http2-dispatcher.js';
import { Malformed, nodeServiceDefinition, SERVICE_NAME } from './node-service.definition.js';

/** What calls under way get when the node shuts down; streams end at once. */
const GRACE_MS = 500;

type OpenCall = Parameters<ServerInterceptor>[1];

/** gRPC hosted by @nestjs/microservices, on connections that the one port hands over. */
export class OnePortGrpc extends ServerGrpc implements Http2Side {
  /** Open call -> whether it is a stream. */
  private readonly calls = new Map<OpenCall, boolean>();
  private readonly ended = new EventEmitter();
  private inject: ((socket: Duplex) => void) | undefined;
  private draining: Promise<void> | undefined;

  constructor(
    private readonly port: OnePortServer,
    private readonly authenticate: Authenticate,
  ) {
    // The loader is never used with a packageDefinition, but ServerGrpc exits the process when it cannot require one.
    super({
      package: 'service',
      packageDefinition: { [SERVICE_NAME]: nodeServiceDefinition },
      protoLoader: '@grpc/grpc-js',
    });
  }

  override createClient(): Promise<Server> {
    const server = new Server({
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
      interceptors: [this.gate],
    });
    // TLS is done before a connection comes here.
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    this.inject = (socket) => injector.injectConnection(socket);
    frontHttp2(server, {
      onRequest: this.port.onRequest as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void,
      authenticate: this.authenticate,
      welcome: (socket) => this.port.gate.markAuthenticated(socket),
    });
    this.port.http2Side = this;
    return Promise.resolve(server);
  }

  injectConnection(socket: Duplex): void {
    this.inject?.(socket);
  }

  /** Nearest to the wire: keeps the book of open calls, and answers broken messages. */
  private readonly gate: ServerInterceptor = (method, call) => {
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        if (this.draining !== undefined) {
          call.sendStatus(shuttingDown());
          return;
        }
        this.calls.set(call, method.requestStream || method.responseStream);
        next(metadata);
      })
      .withOnReceiveMessage((message: unknown, next) => {
        if (message instanceof Malformed) call.sendStatus(statusOf(message.error));
        else next(message);
      })
      // Also called after a normal end.
      .withOnCancel(() => {
        this.calls.delete(call);
        this.ended.emit('call');
      })
      .build();
    return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener)).build());
  };

  /** Nest's own leaves a failing handler as a rejected promise, which ends the process while the caller waits for ever. */
  override createStreamCallMethod(
    ...[handler, isResponseStream]: Parameters<ServerGrpc['createStreamCallMethod']>
  ): ReturnType<ServerGrpc['createStreamCallMethod']> {
    return async (call, callback) => {
      try {
        const result: unknown = await (isResponseStream ? handler(call) : handler(call, callback));
        const value = isObservable(result) ? await lastValueFrom(result, { defaultValue: undefined }) : result;
        if (!isResponseStream && value !== undefined) callback(null, value);
      } catch (error) {
        if (isResponseStream) call.emit('error', error);
        else callback(error, null);
      }
    };
  }

  drain(): Promise<void> {
    this.draining ??= this.endCalls();
    return this.draining;
  }

  /** Nest closes the HTTP adapter first, so the sockets are gone by now. */
  override async close(): Promise<void> {
    await this.drain();
    const server: Server | null = this.grpcClient;
    server?.forceShutdown();
    this.grpcClient = null;
  }

  private async endCalls(): Promise<void> {
    const server: Server | null = this.grpcClient;
    for (const [call, stream] of this.calls) if (stream) call.sendStatus(shuttingDown());
    // Sends GOAWAY. Not awaited: Node 20 calls back after the last session, Node 24 at once.
    server?.tryShutdown(() => undefined);
    const deadline = AbortSignal.timeout(GRACE_MS);
    while (this.calls.size > 0 && !deadline.aborted) {
      await once(this.ended, 'call', { signal: deadline }).catch(() => undefined);
    }
    for (const call of this.calls.keys()) call.sendStatus(shuttingDown());
  }
}

const shuttingDown = () => statusOf(new NodeError('SHUTTING_DOWN', 'the node is shutting down'));
