import { Module } from '@nestjs/common';
import { AdminModule } from '../../admins/admin.module.js';
import { UserModule } from '../user.module.js';
import { TrafficResetService } from './traffic-reset.service.js';
import { UserBulkController } from './user-bulk.controller.js';
import { UserBulkService } from './user-bulk.service.js';
import { UserOwnershipService } from './user-ownership.service.js';

/** Bulk changes of users, resets of all traffic, and the change of a user's admin. */
@Module({
  imports: [AdminModule, UserModule],
  controllers: [UserBulkController],
  providers: [TrafficResetService, UserBulkService, UserOwnershipService],
})
export class UserBulkModule {}
