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
  status,
} from '@grpc/grpc-js';
import { ServerGrpc } from '@nestjs/microservices';
import { MAX_MESSAGE_BYTES } from '@rampart/node-client';
import { isObservable, lastValueFrom } from 'rxjs';
import { NodeError } from '../../errors/node-error.js';
import type { EndedCall } from '../../metrics/node-metrics.js';
import type { Authenticate } from '../auth/authenticator.js';
import type { Http2Handler, OnePortServer } from '../one-port/one-port.server.js';
import { callIdIn } from './grpc-call.js';
import { grpcStatusOf } from './grpc-status.js';
import { dispatchHttp2Streams } from './http2-dispatcher.js';
import { MalformedMessage, nodeServiceDefinition, SERVICE_NAME } from './node-service.definition.js';

/** Time that running calls get when the node shuts down; streams end at once. */
const CLOSE_GRACE_MS = 500;

/** The state of grpc-js's decoder between two messages. */
const NO_MESSAGE_BEGUN = 0;

type OpenCall = Parameters<ServerInterceptor>[1];

/** The gRPC server of @nestjs/microservices on connections that OnePortServer hands over. */
export class OnePortGrpcServer extends ServerGrpc implements Http2Handler {
  /** Open calls; the value tells whether the call is a stream. */
  private readonly openCalls = new Map<OpenCall, boolean>();
  private readonly callEvents = new EventEmitter();
  private injectSocket: ((socket: Duplex) => void) | undefined;
  private draining: Promise<void> | undefined;

  constructor(
    private readonly port: OnePortServer,
    private readonly authenticate: Authenticate,
    /** Called at the end of each call. */
    private readonly onCallEnd: (call: EndedCall) => void = () => undefined,
  ) {
    // The loader is not used with a packageDefinition, but ServerGrpc exits the process when it cannot require
    // one.
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
      interceptors: [this.callTracker],
    });
    // Connections that come here are already decrypted.
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    this.injectSocket = (socket) => injector.injectConnection(socket);
    dispatchHttp2Streams(server, {
      onRequest: this.port.onRequest as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void,
      authenticate: this.authenticate,
      onAuthenticated: (socket) => this.port.limiter.markAuthenticated(socket),
    });
    this.port.http2Handler = this;
    return Promise.resolve(server);
  }

  injectConnection(socket: Duplex): void {
    this.injectSocket?.(socket);
  }

  /** Tracks open calls and answers malformed messages. */
  private readonly callTracker: ServerInterceptor = (method, call) => {
    const began = performance.now();
    const name = method.path.slice(method.path.lastIndexOf('/') + 1);
    let code = status.CANCELLED;
    let requestId: string | undefined;
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        if (this.draining !== undefined) {
          call.sendStatus(shuttingDownStatus());
          return;
        }
        this.openCalls.set(call, method.requestStream || method.responseStream);
        requestId = callIdIn(metadata);
        next(metadata);
      })
      .withOnReceiveMessage((message: unknown, next) => {
        if (message instanceof MalformedMessage) call.sendStatus(grpcStatusOf(message.error));
        else next(message);
      })
      .withOnReceiveHalfClose((next) => {
        if (isInMessage(call)) {
          call.sendStatus(
            grpcStatusOf(new NodeError('INVALID_ARGUMENT', 'the requests end in the middle of a message')),
          );
        } else next();
      })
      // grpc-js also calls this after a normal end.
      .withOnCancel(() => {
        this.openCalls.delete(call);
        this.callEvents.emit('call');
        this.onCallEnd({ method: name, code, seconds: (performance.now() - began) / 1000, requestId });
      })
      .build();
    const responder = new ResponderBuilder()
      .withStart((next) => next(listener))
      .withSendStatus((sent, next) => {
        code = sent.code;
        next(sent);
      });
    return new ServerInterceptingCall(call, responder.build());
  };

  /** Nest's own method lets a failing handler reject a promise, which ends the process while the caller waits. */
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

  endCalls(): Promise<void> {
    this.draining ??= this.endOpenCalls();
    return this.draining;
  }

  /** Nest closes the HTTP adapter first, so the sockets are closed by now. */
  override async close(): Promise<void> {
    await this.endCalls();
    const server: Server | null = this.grpcClient;
    server?.forceShutdown();
    this.grpcClient = null;
  }

  private async endOpenCalls(): Promise<void> {
    const server: Server | null = this.grpcClient;
    for (const [call, stream] of this.openCalls) if (stream) call.sendStatus(shuttingDownStatus());
    // Sends GOAWAY. It is not awaited: Node 20 calls back after the last session has ended, Node 24 at once.
    server?.tryShutdown(() => undefined);
    const deadline = AbortSignal.timeout(CLOSE_GRACE_MS);
    while (this.openCalls.size > 0 && !deadline.aborted) {
      await once(this.callEvents, 'call', { signal: deadline }).catch(() => undefined);
    }
    for (const call of this.openCalls.keys()) call.sendStatus(shuttingDownStatus());
  }
}

/** grpc-js (pinned) drops a message that has begun when the stream ends, and has no public way to tell. */
const isInMessage = (call: OpenCall): boolean =>
  (call as { decoder?: { readState?: number } }).decoder?.readState !== NO_MESSAGE_BEGUN;

const shuttingDownStatus = () => grpcStatusOf(new NodeError('SHUTTING_DOWN', 'the node is shutting down'));
