import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { GroupController } from './group.controller.js';
import { GroupRepository } from './group.repository.js';
import { GroupService } from './group.service.js';

@Module({
  imports: [CoreStoreModule],
  controllers: [GroupController],
  providers: [GroupRepository, GroupService],
  exports: [GroupRepository],
})
export class GroupModule {}
