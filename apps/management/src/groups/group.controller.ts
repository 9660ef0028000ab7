import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { Page } from '../http/page.js';
import { Versioned } from '../http/version.js';
import { IdPipe } from '../validation/pipes/id.pipe.js';
import { GroupCreate, type GroupListView, GroupModify, type GroupView } from './group.dto.js';
import { GroupService } from './group.service.js';

@Controller('api')
export class GroupController {
  constructor(private readonly groups: GroupService) {}

  /** Creates a group. */
  @Versioned()
  @Post('group')
  @Sudo()
  create(@Body() group: GroupCreate): Promise<GroupView> {
    return this.groups.create(group);
  }

  /** Returns one group. */
  @Versioned()
  @Get('group/:group_id')
  @AnyAdmin()
  get(@CurrentAdmin() actor: Actor, @Param('group_id', IdPipe) id: number): Promise<GroupView> {
    return this.groups.get(actor, id);
  }

  /** Changes a group, and with it the inbounds of its users on nodes and in subscriptions. */
  @Versioned()
  @Put('group/:group_id')
  @Sudo()
  modify(
    @CurrentAdmin() actor: Actor,
    @Param('group_id', IdPipe) id: number,
    @Body() change: GroupModify,
  ): Promise<GroupView> {
    return this.groups.modify(actor, id, change);
  }

  /** Deletes a group. Its users lose the inbounds that no other of their groups has. */
  @Versioned()
  @Delete('group/:group_id')
  @Sudo()
  @HttpCode(204)
  delete(@CurrentAdmin() actor: Actor, @Param('group_id', IdPipe) id: number): Promise<void> {
    return this.groups.delete(actor, id);
  }

  /** Lists the groups by id. */
  @Get('groups')
  @AnyAdmin()
  list(@CurrentAdmin() actor: Actor, @Query() page: Page): Promise<GroupListView> {
    return this.groups.list(actor, page);
  }
}
