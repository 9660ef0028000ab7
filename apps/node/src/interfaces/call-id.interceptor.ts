import {
  type ArgumentsHost,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { finalize, Observable } from 'rxjs';
import { forgetCallIds, withCallId } from '../logs/call-id.js';
import { callIdIn, grpcCallOf } from './grpc/grpc-call.js';
import { requestIdOf } from './request-id.js';

/** Gives the log lines of a call the id that its caller sends in `x-request-id`, over REST and gRPC. */
@Injectable()
export class CallIdInterceptor implements NestInterceptor {
  private openCalls = 0;

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const id = callIdOf(context);
    // An open log writes no lines, and may stay open for days.
    if (id === undefined || context.getHandler().name === 'logs') return next.handle();
    this.openCalls += 1;
    const handled = new Observable((subscriber) => withCallId(id, () => next.handle().subscribe(subscriber)));
    return handled.pipe(
      finalize(() => {
        this.openCalls -= 1;
        if (this.openCalls === 0) forgetCallIds();
      }),
    );
  }
}

/** The id of a call; undefined where the caller has sent none, or a text that is no id. */
export const callIdOf = (host: ArgumentsHost): string | undefined =>
  host.getType() === 'rpc'
    ? callIdIn(grpcCallOf(host).metadata)
    : requestIdOf(host.switchToHttp().getRequest<FastifyRequest>());
