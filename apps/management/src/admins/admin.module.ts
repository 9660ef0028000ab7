import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AdminController } from './admin.controller.js';
import { AdminService } from './admin.service.js';
import { AdminPasswordService } from './admin-password.service.js';
import { AdminUsersService } from './admin-users.service.js';

@Module({
  imports: [AuthModule],
  controllers: [AdminController],
  providers: [AdminPasswordService, AdminService, AdminUsersService],
  exports: [AdminService],
})
export class AdminModule {}
