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

/** The queue of bulk changes of each admin, by the id of the admin; that of the control socket is null. */
@Injectable()
export class AdminChangeMutex extends KeyedMutex<number | null> {
  constructor() {
    super({ waiting: 16, refusal: () => new ManagementError('TOO_MANY_CHANGES') });
  }
}

@Injectable()
class AdminChangeInterceptor implements NestInterceptor {
  constructor(private readonly mutex: AdminChangeMutex) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { actor } = context.switchToHttp().getRequest<FastifyRequest>();
    return actor ? from(this.mutex.run(actor.id, () => lastValueFrom(next.handle()))) : next.handle();
  }
}

/**
 * Runs at most one such call of an admin at a time. Concurrent bulk calls of one admin would occupy all database
 * connections while they wait for each other, so that other admins get no answer.
 */
export const SerializedPerAdmin = (): MethodDecorator => UseInterceptors(AdminChangeInterceptor);
