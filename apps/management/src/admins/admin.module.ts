import { Module } from '@nestjs/common';
import { AdminController } from './admin.controller.js';
import { AdminService } from './admin.service.js';
import { AdminPasswordService } from './admin-password.service.js';
import { LoginThrottle } from './passwords/login-throttle.js';
import { PasswordCheck } from './passwords/password-check.js';
import { PasswordHasher } from './passwords/password-hasher.js';
import { AdminRepository } from './store/admin.repository.js';

@Module({
  controllers: [AdminController],
  providers: [AdminPasswordService, AdminRepository, AdminService, LoginThrottle, PasswordCheck, PasswordHasher],
  exports: [AdminRepository, AdminService, PasswordCheck],
})
export class AdminModule {}
