import type { EventEmitter } from 'node:events';
import { type Metadata, status } from '@grpc/grpc-js';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { LAST_EVENT_ID } from '@rampart/node-client';
import { parseLastEventId } from '../messages/last-event-id.js';

/** What we use of a grpc-js server call. */
export interface GrpcCall extends EventEmitter {
  readonly cancelled: boolean;
  readonly writableNeedDrain?: boolean;
  sendMetadata(metadata: Metadata): void;
  getDeadline(): Date | number;
}

/** A call whose requests come as a stream. */
export interface ClientStream<T> extends GrpcCall {
  iterator(options: { destroyOnReturn: boolean }): AsyncIterableIterator<T>;
}

const SIGNALS = new WeakMap<GrpcCall, AbortSignal>();

/** Aborted when the caller cancels, its deadline passes, the node shuts down, and, harmlessly, after a normal end. */
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

/** An RpcException: Nest logs anything else as an error of ours. */
const cancellationError = (call: GrpcCall): RpcException =>
  Number(call.getDeadline()) <= Date.now()
    ? new RpcException({ code: status.DEADLINE_EXCEEDED, message: 'deadline exceeded' })
    : new RpcException({ code: status.CANCELLED, message: 'cancelled' });

/** The call stands third for @GrpcMethod and first for @GrpcStreamCall. */
export const grpcCallOf = (context: ExecutionContext): GrpcCall => context.getArgByIndex(2) ?? context.getArgByIndex(0);

/** Parameter of a handler: the call's AbortSignal. */
export const CallSignal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callSignal(grpcCallOf(context)),
);

/** Parameter of a handler: where a reader of the log has come to. */
export const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext) =>
  parseLastEventId(context.getArgByIndex<Metadata>(1).get(LAST_EVENT_ID)[0]?.toString()),
);

/** The messages of a client stream, one by one. A cancelled call ends in its own reason, not in a stream's error. */
export async function* requestMessages<T>(call: ClientStream<T>): AsyncGenerator<T, void, void> {
  try {
    // Answering does not need the rest of the stream, but a stream that still lives.
    yield* call.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw call.cancelled ? callSignal(call).reason : error;
  }
}
