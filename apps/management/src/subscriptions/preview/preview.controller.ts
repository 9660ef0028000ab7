import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { AnyAdmin, Sudo, TellsSecrets } from '../../access/access-level.js';
import { type Actor, CurrentAdmin } from '../../access/actor.js';
import { HostElement } from '../../hosts/host.dto.js';
import { PreviewQuery, type SubscriptionPreview } from './preview.dto.js';
import { PreviewService } from './preview.service.js';

@Controller('api')
export class PreviewController {
  constructor(private readonly previews: PreviewService) {}

  /** Returns what a client would get for the subscription of a user, and why it would not get the other hosts. */
  @Get('user/:username/preview')
  @AnyAdmin()
  @TellsSecrets('subscriptions', 'any')
  ofUser(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Query() query: PreviewQuery,
  ): Promise<SubscriptionPreview> {
    return this.previews.preview(actor, username, query);
  }

  /** Returns what a client would get if a host were saved: in place of the one with its id, or as a new one. */
  @Post('user/:username/preview')
  @Sudo()
  @HttpCode(200)
  @TellsSecrets('subscriptions', 'any')
  withHost(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Query() query: PreviewQuery,
    @Body() host: HostElement,
  ): Promise<SubscriptionPreview> {
    return this.previews.preview(actor, username, query, host);
  }
}
