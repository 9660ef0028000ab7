import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/access-level.js';
import { type SubscriptionAnswer, SubscriptionService } from './subscription.service.js';

@Controller('sub')
export class SubscriptionController {
  constructor(private readonly subscriptions: SubscriptionService) {}

  @Get(':token')
  @Public()
  async byDefault(@Res({ passthrough: true }) reply: FastifyReply, @Param('token') token: string): Promise<string> {
    return withHeaders(reply, await this.subscriptions.answer(token));
  }

  @Get(':token/:format')
  @Public()
  async inFormat(
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('token') token: string,
    @Param('format') format: string,
  ): Promise<string> {
    return withHeaders(reply, await this.subscriptions.answer(token, format));
  }
}

function withHeaders(reply: FastifyReply, { headers, body }: SubscriptionAnswer): string {
  void reply.headers(headers);
  return body;
}
