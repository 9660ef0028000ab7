import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { type ClearableUsage, ClearUsageService } from './clear-usage.service.js';
import { ClearableUsagePipe } from './clearable-usage.pipe.js';
import {
  type NodeUsageView,
  UsageHours,
  UsageQuery,
  type UsageView,
  UsersUsageQuery,
  type UserUsageView,
} from './usage.dto.js';
import { UsageService } from './usage.service.js';

@Controller('api')
export class UsageController {
  constructor(
    private readonly usage: UsageService,
    private readonly clearing: ClearUsageService,
  ) {}

  /** Returns the traffic of a user by periods. */
  @Get('user/:username/usage')
  @AnyAdmin()
  ofUser(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Query() query: UsageQuery,
  ): Promise<UsageView<UserUsageView>> {
    return this.usage.userUsage(actor, username, query);
  }

  /** Returns the traffic of many users together by periods. */
  @Get('users/usage')
  @AnyAdmin()
  ofUsers(@CurrentAdmin() actor: Actor, @Query() query: UsersUsageQuery): Promise<UsageView<UserUsageView>> {
    return this.usage.usersUsage(actor, query);
  }

  /** Returns the raw bytes that nodes transferred, by periods. */
  @Get('node/usage')
  @Sudo()
  ofNodes(@Query() query: UsageQuery): Promise<UsageView<NodeUsageView>> {
    return this.usage.nodesUsage(query);
  }

  /** Deletes history. The counters of users, admins and nodes stay as they are. */
  @Delete('nodes/clear_usage_data/:table')
  @Sudo()
  @HttpCode(204)
  clear(@Param('table', ClearableUsagePipe) table: ClearableUsage, @Query() hours: UsageHours): Promise<void> {
    return this.clearing.clearUsage(table, hours);
  }
}
