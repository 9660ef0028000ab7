import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../auth/access-level.js';
import { IdPipe } from '../http/id.pipe.js';
import { Page } from '../http/page.js';
import { GroupCreate, type GroupListView, type GroupView } from './group.dto.js';
import { GroupService } from './group.service.js';

@Controller('api')
export class GroupController {
  constructor(private readonly groups: GroupService) {}

  @Post('group')
  @Sudo()
  create(@Body() group: GroupCreate): Promise<GroupView> {
    return this.groups.create(group);
  }

  @Get('group/:group_id')
  @AnyAdmin()
  get(@Param('group_id', IdPipe) id: number): Promise<GroupView> {
    return this.groups.get(id);
  }

  @Get('groups')
  @AnyAdmin()
  list(@Query() page: Page): Promise<GroupListView> {
    return this.groups.list(page);
  }
}
