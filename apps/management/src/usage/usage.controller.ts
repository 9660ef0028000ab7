import { Controller, Delete, Get, HttpCode, Injectable, Param, type PipeTransform, Query } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { invalidFields } from '../errors/management-error.js';
import { oneOf } from '../validation/messages.js';
import { CLEARABLE, type ClearableUsage, ClearUsageService } from './clear-usage.service.js';
import {
  type NodeUsageView,
  UsageHours,
  UsageQuery,
  type UsageView,
  UsersUsageQuery,
  type UserUsageView,
} from './usage.dto.js';
import { UsageService } from './usage.service.js';

/** The part of the history that a path names. */
@Injectable()
class ClearableUsagePipe implements PipeTransform<string, ClearableUsage> {
  transform(name: string): ClearableUsage {
    const table = CLEARABLE.find((known) => known === name);
    if (!table) throw invalidFields({ table: oneOf(CLEARABLE).message });
    return table;
  }
}

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
