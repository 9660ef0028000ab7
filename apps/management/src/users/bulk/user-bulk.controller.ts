import { Body, Controller, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { AnyAdmin, Sudo, TellsSecrets } from '../../access/access-level.js';
import { type Actor, CurrentAdmin } from '../../access/actor.js';
import type { BulkView } from '../../bulk/bulk.view.js';
import { DryRunQuery } from '../../http/dry-run.js';
import { SerializedPerAdmin } from '../../http/serialized-per-admin.js';
import { Versioned } from '../../http/version.js';
import { WithoutBody } from '../../validation/reject-unknown-members.js';
import type { UserView } from '../view/user.dto.js';
import { TrafficResetService } from './traffic-reset.service.js';
import { BulkDataLimit, BulkExpire, BulkProxySettings, NewOwner, type TrafficResetView } from './user-bulk.dto.js';
import { UserBulkService } from './user-bulk.service.js';
import { UserOwnershipService } from './user-ownership.service.js';

@Controller('api')
export class UserBulkController {
  constructor(
    private readonly bulk: UserBulkService,
    private readonly traffic: TrafficResetService,
    private readonly ownership: UserOwnershipService,
  ) {}

  /** Moves the ends of many users. */
  @Post('users/bulk/expire')
  @AnyAdmin()
  @SerializedPerAdmin()
  @HttpCode(200)
  expire(@CurrentAdmin() actor: Actor, @Body() request: BulkExpire): Promise<BulkView> {
    return this.bulk.expire(actor, request);
  }

  /** Raises or lowers the limits of many users. */
  @Post('users/bulk/data_limit')
  @AnyAdmin()
  @SerializedPerAdmin()
  @HttpCode(200)
  dataLimit(@CurrentAdmin() actor: Actor, @Body() request: BulkDataLimit): Promise<BulkView> {
    return this.bulk.dataLimit(actor, request);
  }

  /** Changes the flow or the method of many users. */
  @Post('users/bulk/proxy_settings')
  @AnyAdmin()
  @SerializedPerAdmin()
  @HttpCode(200)
  proxySettings(@CurrentAdmin() actor: Actor, @Body() request: BulkProxySettings): Promise<BulkView> {
    return this.bulk.proxySettings(actor, request);
  }

  /** Sets the traffic of all users to zero. */
  @Post('users/reset')
  @Sudo()
  @WithoutBody()
  @SerializedPerAdmin()
  @HttpCode(200)
  resetTraffic(@CurrentAdmin() actor: Actor, @Query() query: DryRunQuery): Promise<TrafficResetView> {
    return this.traffic.resetAll(actor, query);
  }

  /** Gives a user to another admin. */
  @Versioned()
  @Put('user/:username/set_owner')
  @Sudo()
  @TellsSecrets('users')
  setOwner(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Query() { admin_username }: NewOwner,
  ): Promise<UserView> {
    return this.ownership.setOwner(actor, username, admin_username);
  }
}
