import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SubscriptionReader } from './subscription-reader.js';

/** Checks the token before the query is validated, so that requests without a valid subscription always get 404. */
@Injectable()
export class SubscriptionGuard implements CanActivate {
  constructor(private readonly reader: SubscriptionReader) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { token: string } }>>();
    await this.reader.readSubscription(params.token);
    return true;
  }
}
