import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { PasswordHasher } from './password-hasher.js';

@Module({
  controllers: [AuthController],
  providers: [AuthService, PasswordHasher, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [PasswordHasher],
})
export class AuthModule {}
