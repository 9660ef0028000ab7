import { Module } from '@nestjs/common';
import { CoreModule } from '../cores/core.module.js';
import { GroupBulkService } from '../group-members/group-bulk.service.js';
import { GroupController } from './group.controller.js';
import { GroupService } from './group.service.js';

@Module({
  imports: [CoreModule],
  controllers: [GroupController],
  providers: [GroupService, GroupBulkService],
  exports: [GroupService],
})
export class GroupModule {}
