import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ManagementError } from '../errors/management-error.js';

/** So many of one admin's requests may wait, each of them in memory. */
const LONGEST_QUEUE = 16;

interface Queue {
  length: number;
  end: Promise<unknown>;
}

/** Who does what one after the other. */
@Injectable()
export class Turns {
  private readonly queues = new Map<number, Queue>();

  /** @throws ManagementError when too many wait already */
  async take<T>(id: number, task: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(id) ?? { length: 0, end: Promise.resolve() };
    if (queue.length > LONGEST_QUEUE) throw new ManagementError('TOO_MANY_CHANGES');
    this.queues.set(id, queue);
    queue.length += 1;
    const before = queue.end;
    const turn = before.then(task);
    queue.end = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      queue.length -= 1;
      if (queue.length === 0) this.queues.delete(id);
    }
  }
}

@Injectable()
class TurnInterceptor implements NestInterceptor {
  constructor(private readonly turns: Turns) {}

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
