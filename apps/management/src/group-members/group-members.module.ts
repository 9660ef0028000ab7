import { Module } from '@nestjs/common';
import { GroupModule } from '../groups/group.module.js';
import { GroupBulkController } from './group-bulk.controller.js';
import { GroupBulkService } from './group-bulk.service.js';

@Module({ imports: [GroupModule], controllers: [GroupBulkController], providers: [GroupBulkService] })
export class GroupMembersModule {}
