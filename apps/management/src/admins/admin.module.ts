import { Module } from '@nestjs/common';
import { AdminUsersService } from '../admin-users/admin-users.service.js';
import { AuthModule } from '../auth/auth.module.js';
import { AdminController } from './admin.controller.js';
import { AdminService } from './admin.service.js';
import { AdminPasswordService } from './admin-password.service.js';

@Module({
  imports: [AuthModule],
  controllers: [AdminController],
  providers: [AdminPasswordService, AdminService, AdminUsersService],
  exports: [AdminService],
})
export class AdminModule {}
