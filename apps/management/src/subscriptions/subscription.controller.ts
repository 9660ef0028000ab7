import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { contentType, SUBSCRIPTION_FORMATS } from '@rampart/subscription';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../access/access-level.js';
import { Produces } from '../http/produces.js';
import { UsageQuery, type UsageView, type UserUsageView } from '../usage/usage.dto.js';
import { clientOf } from './client.js';
import { type OfferedApplication, PageQuery, type SubscriptionInfo } from './subscription.dto.js';
import { SubscriptionGuard } from './subscription.guard.js';
import { type SubscriptionAnswer, SubscriptionService } from './subscription.service.js';
import { SubscriptionInfoService } from './subscription-info.service.js';

const MEDIA_TYPES = SUBSCRIPTION_FORMATS.map(contentType);

@Controller('sub')
export class SubscriptionController {
  constructor(
    private readonly subscriptions: SubscriptionService,
    private readonly about: SubscriptionInfoService,
  ) {}

  /** A page for browsers; for applications the format that the rules of the settings give them. */
  @Get(':token')
  @Public()
  @Produces(...MEDIA_TYPES, 'text/html')
  async byClient(
    @Res({ passthrough: true }) reply: FastifyReply,
    @Req() request: FastifyRequest,
    @Param('token') token: string,
    @Query() { lang }: PageQuery,
  ): Promise<Buffer> {
    return withHeaders(reply, await this.subscriptions.byClient(token, clientOf(request), lang));
  }

  /** What a user may see of itself. */
  @Get(':token/info')
  @Public()
  info(@Param('token') token: string): Promise<SubscriptionInfo> {
    return this.about.info(token);
  }

  /** The traffic of the user, by periods. */
  @Get(':token/usage')
  @Public()
  @UseGuards(SubscriptionGuard)
  usage(@Param('token') token: string, @Query() query: UsageQuery): Promise<UsageView<UserUsageView>> {
    return this.about.usage(token, query);
  }

  /** The client programs that the page offers. */
  @Get(':token/apps')
  @Public()
  applications(@Param('token') token: string): Promise<OfferedApplication[]> {
    return this.about.applications(token);
  }

  /** The subscription in one format, where the settings allow to ask for it. */
  @Get(':token/:format')
  @Public()
  @Produces(...MEDIA_TYPES)
  async inFormat(
    @Res({ passthrough: true }) reply: FastifyReply,
    @Req() request: FastifyRequest,
    @Param('token') token: string,
    @Param('format') format: string,
  ): Promise<Buffer> {
    return withHeaders(reply, await this.subscriptions.inFormat(token, format, clientOf(request)));
  }
}

function withHeaders(reply: FastifyReply, { headers, body }: SubscriptionAnswer): Buffer {
  void reply.headers(headers);
  return body;
}
