import { Controller, Get, Param, Query } from '@nestjs/common';
import { AnyAdmin } from '../../access/access-level.js';
import { type Actor, CurrentAdmin } from '../../access/actor.js';
import { Page } from '../../http/page.js';
import { type ApplicationChart, type SubscriptionUpdateList, UpdateFilter } from './subscription-update.dto.js';
import { SubscriptionUpdateService } from './subscription-update.service.js';

@Controller('api')
export class SubscriptionUpdateController {
  constructor(private readonly updates: SubscriptionUpdateService) {}

  /** Lists the latest fetches of the subscription of a user. */
  @Get('user/:username/sub_update')
  @AnyAdmin()
  ofUser(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Query() page: Page,
  ): Promise<SubscriptionUpdateList> {
    return this.updates.ofUser(actor, username, page);
  }

  /** Counts which applications fetch subscriptions, over the latest fetches of each user. */
  @Get('users/sub_update/chart')
  @AnyAdmin()
  chart(@CurrentAdmin() actor: Actor, @Query() filter: UpdateFilter): Promise<ApplicationChart> {
    return this.updates.chart(actor, filter);
  }
}
