import { Module } from '@nestjs/common';
import { AdminController } from './admin.controller.js';
import { AdminService } from './admin.service.js';
import { LoginThrottle } from './passwords/login-throttle.js';
import { PasswordCheck } from './passwords/password-check.js';
import { PasswordHasher } from './passwords/password-hasher.js';
import { AdminRepository } from './store/admin.repository.js';
import { CredentialChanges } from './store/credential-changes.js';

@Module({
  controllers: [AdminController],
  providers: [AdminRepository, AdminService, CredentialChanges, LoginThrottle, PasswordCheck, PasswordHasher],
  exports: [AdminRepository, AdminService, CredentialChanges, PasswordCheck],
})
export class AdminModule {}
