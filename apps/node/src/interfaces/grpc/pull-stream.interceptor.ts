import { once } from 'node:events';
import { Metadata } from '@grpc/grpc-js';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { mergeMap, Observable, of } from 'rxjs';
import { callSignal, type GrpcCall, grpcCallOf } from './grpc-call.js';

/**
 * Lets a handler return an async iterable of batches as a server stream that is read no faster than the client reads.
 * Nest itself buffers without limit.
 */
@Injectable()
export class PullStream implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next
      .handle()
      .pipe(mergeMap((value) => (isAsyncIterable(value) ? pull(grpcCallOf(context), value) : of(value))));
  }
}

type Batches = AsyncIterable<readonly unknown[]>;

const isAsyncIterable = (value: unknown): value is Batches =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const pull = (call: GrpcCall, batches: Batches): Observable<unknown> =>
  new Observable((subscriber) => {
    // The client sees that the stream is open before its first message.
    call.sendMetadata(new Metadata());
    const write = async (): Promise<void> => {
      for await (const values of batches) {
        for (const value of values) {
          if (subscriber.closed) return;
          // Nest writes synchronously inside next().
          subscriber.next(value);
          if (call.writableNeedDrain) await once(call, 'drain', { signal: callSignal(call) });
        }
      }
      subscriber.complete();
    };
    write().catch((error: unknown) => subscriber.error(callSignal(call).aborted ? callSignal(call).reason : error));
  });
