import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SubscriptionReader } from './subscription-reader.js';

/** Before a query is checked: who has no subscription is told that there is nothing, whatever else is wrong. */
@Injectable()
export class SubscriptionGuard implements CanActivate {
  constructor(private readonly reader: SubscriptionReader) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { token: string } }>>();
    await this.reader.readSubscription(params.token);
    return true;
  }
}
