import { Module } from '@nestjs/common';
import { GroupModule } from '../groups/group.module.js';
import { ExpiredUserService } from './expired-user.service.js';
import { UserLifeCycle } from './life-cycle/user-life-cycle.js';
import { UserController } from './user.controller.js';
import { UserService } from './user.service.js';
import { UserChangeService } from './user-change.service.js';
import { UserListService } from './user-list.service.js';

@Module({
  imports: [GroupModule],
  controllers: [UserController],
  providers: [ExpiredUserService, UserChangeService, UserLifeCycle, UserListService, UserService],
  exports: [UserChangeService, UserService],
})
export class UserModule {}
