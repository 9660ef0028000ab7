import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Turns } from '../concurrency/turns.js';
import { ManagementError } from '../errors/management-error.js';

/** Whose changes wait for whom. */
@Injectable()
export class ChangeTurns extends Turns<number> {
  constructor() {
    super({ waiting: 16, refusal: () => new ManagementError('TOO_MANY_CHANGES') });
  }
}

@Injectable()
class TurnInterceptor implements NestInterceptor {
  constructor(private readonly turns: ChangeTurns) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { actor } = context.switchToHttp().getRequest<FastifyRequest>();
    return actor ? from(this.turns.take(actor.id, () => lastValueFrom(next.handle()))) : next.handle();
  }
}

/**
 * For changes of many: an admin has one of them made at a time. At once they would hold all connections to the database,
 * each waiting for the one before, and nobody else would be answered.
 */
export const OneAtATime = (): MethodDecorator => UseInterceptors(TurnInterceptor);
