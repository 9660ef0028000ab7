import { Module } from '@nestjs/common';
import { AdminController } from './admin.controller.js';
import { AdminService } from './admin.service.js';
import { KnownOrigins } from './passwords/known-origins.js';
import { LoginThrottle } from './passwords/login-throttle.js';
import { PasswordCheck } from './passwords/password-check.js';
import { PasswordHasher } from './passwords/password-hasher.js';
import { PasswordsWithoutCode } from './passwords/passwords-without-code.js';
import { UnknownNames } from './passwords/unknown-names.js';
import { AdminRepository } from './store/admin.repository.js';
import { CredentialChanges } from './store/credential-changes.js';
import { UserLimit } from './store/user-limit.js';

@Module({
  controllers: [AdminController],
  providers: [
    AdminRepository,
    AdminService,
    CredentialChanges,
    KnownOrigins,
    LoginThrottle,
    PasswordCheck,
    PasswordHasher,
    PasswordsWithoutCode,
    UnknownNames,
    UserLimit,
  ],
  exports: [AdminRepository, AdminService, CredentialChanges, KnownOrigins, LoginThrottle, PasswordCheck, UserLimit],
})
export class AdminModule {}
