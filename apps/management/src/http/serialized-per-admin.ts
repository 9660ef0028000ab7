import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { KeyedMutex } from '../concurrency/keyed-mutex.js';
import { ManagementError } from '../errors/management-error.js';

/** Whose changes wait for whom. */
@Injectable()
export class AdminChangeMutex extends KeyedMutex<number> {
  constructor() {
    super({ waiting: 16, refusal: () => new ManagementError('TOO_MANY_CHANGES') });
  }
}

@Injectable()
class AdminChangeInterceptor implements NestInterceptor {
  constructor(private readonly turns: AdminChangeMutex) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { actor } = context.switchToHttp().getRequest<FastifyRequest>();
    return actor ? from(this.turns.run(actor.id, () => lastValueFrom(next.handle()))) : next.handle();
  }
}

/**
 * For changes of many: an admin has one of them made at a time. At once they would hold all connections to the database,
 * each waiting for the one before, and nobody else would be answered.
 */
export const SerializedPerAdmin = (): MethodDecorator => UseInterceptors(AdminChangeInterceptor);
