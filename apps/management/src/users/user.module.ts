import { Module } from '@nestjs/common';
import { AdminModule } from '../admins/admin.module.js';
import { GroupModule } from '../groups/group.module.js';
import { UserStoreModule } from '../user-store/user-store.module.js';
import { ChosenCredentials } from './change/chosen-credentials.js';
import { UserService } from './change/user.service.js';
import { UserChangeService } from './change/user-change.service.js';
import { ExpiredUserService } from './expired/expired-user.service.js';
import { UserLifeCycle } from './life-cycle/user-life-cycle.js';
import { UserListService } from './list/user-list.service.js';
import { UserController } from './user.controller.js';

@Module({
  imports: [AdminModule, GroupModule, UserStoreModule],
  controllers: [UserController],
  providers: [ChosenCredentials, ExpiredUserService, UserChangeService, UserLifeCycle, UserListService, UserService],
  exports: [UserChangeService, UserService],
})
export class UserModule {}
