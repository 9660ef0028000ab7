import type { EventEmitter } from 'node:events';
import { type Metadata, status } from '@grpc/grpc-js';
import { type ArgumentsHost, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { isRequestId, LAST_EVENT_ID, REQUEST_ID_HEADER } from '@rampart/node-client';
import { parseLastEventId } from '../messages/last-event-id.js';

/** The members of a grpc-js server call that the node uses. */
export interface GrpcCall extends EventEmitter {
  readonly cancelled: boolean;
  /** The metadata that the caller has sent. */
  readonly metadata: Metadata;
  readonly writableNeedDrain?: boolean;
  sendMetadata(metadata: Metadata): void;
  getDeadline(): Date | number;
}

/** A call whose requests come as a stream. */
export interface ClientStream<T> extends GrpcCall {
  iterator(options: { destroyOnReturn: boolean }): AsyncIterableIterator<T>;
}

const SIGNALS = new WeakMap<GrpcCall, AbortSignal>();

/**
 * A signal that aborts when the caller cancels, the deadline passes, the node shuts down, or (without effect) after a
 * normal end.
 */
export function callSignal(call: GrpcCall): AbortSignal {
  const known = SIGNALS.get(call);
  if (known) return known;
  const controller = new AbortController();
  const abort = (): void => controller.abort(cancellationError(call));
  SIGNALS.set(call, controller.signal);
  if (call.cancelled) abort();
  else call.once('cancelled', abort);
  return controller.signal;
}

/** An RpcException, because Nest logs any other error as an internal one. */
const cancellationError = (call: GrpcCall): RpcException =>
  Number(call.getDeadline()) <= Date.now()
    ? new RpcException({ code: status.DEADLINE_EXCEEDED, message: 'deadline exceeded' })
    : new RpcException({ code: status.CANCELLED, message: 'cancelled' });

/** The call is the third argument with @GrpcMethod and the first with @GrpcStreamCall. */
export const grpcCallOf = (context: ArgumentsHost): GrpcCall => context.getArgByIndex(2) ?? context.getArgByIndex(0);

/** The id that the caller has sent with a call; undefined where it has sent none, or a text that is no id. */
export function callIdIn(metadata: Metadata): string | undefined {
  const [id] = metadata.get(REQUEST_ID_HEADER);
  return typeof id === 'string' && isRequestId(id) ? id : undefined;
}

/** Parameter of a handler: the call's AbortSignal. */
export const CallSignal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callSignal(grpcCallOf(context)),
);

/** Parameter of a handler: the last log event that the reader has received. */
export const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext) =>
  parseLastEventId(context.getArgByIndex<Metadata>(1).get(LAST_EVENT_ID)[0]?.toString()),
);

/**
 * Iterates over the messages of a client stream. A cancelled call fails with its own reason instead of a stream error.
 */
export async function* requestMessages<T>(call: ClientStream<T>): AsyncGenerator<T, void, void> {
  try {
    // The handler may answer before the stream ends, and needs a stream that is not destroyed.
    yield* call.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw call.cancelled ? callSignal(call).reason : error;
  }
}
