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

  /**
   * Returns the subscription: a page for browsers, and for applications the format that the rules of the settings
   * select.
   */
  @Get(':token')
  @Public()
  @Produces(...MEDIA_TYPES, 'text/html')
  async byClient(
    @Res({ passthrough: true }) reply: FastifyReply,
    @Req() request: FastifyRequest,
    @Param('token') token: string,
    @Query() chosen: PageQuery,
  ): Promise<Buffer> {
    return withHeaders(reply, await this.subscriptions.byClient(token, clientOf(request), chosen));
  }

  /** Returns what users may see about themselves. */
  @Get(':token/info')
  @Public()
  info(@Param('token') token: string): Promise<SubscriptionInfo> {
    return this.about.info(token);
  }

  /** Returns the traffic of the user by period. */
  @Get(':token/usage')
  @Public()
  @UseGuards(SubscriptionGuard)
  usage(@Param('token') token: string, @Query() query: UsageQuery): Promise<UsageView<UserUsageView>> {
    return this.about.usage(token, query);
  }

  /** Lists the applications that the page offers. */
  @Get(':token/apps')
  @Public()
  applications(@Param('token') token: string): Promise<OfferedApplication[]> {
    return this.about.applications(token);
  }

  /** Returns the subscription in one format, if the settings offer it on a path of its own. */
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
