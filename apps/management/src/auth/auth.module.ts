import { Module } from '@nestjs/common';
import { ApiTokenModule } from '../api-tokens/api-token.module.js';
import { ManagementEnv } from '../env/management-env.js';
import { Keys } from '../keys/keys.js';
import { AccessHook } from './access.hook.js';
import { AccessTokens } from './access-token.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { LoginThrottle } from './login-throttle.js';
import { PasswordHasher } from './password-hasher.js';

@Module({
  imports: [ApiTokenModule],
  controllers: [AuthController],
  providers: [
    AccessHook,
    AuthService,
    LoginThrottle,
    PasswordHasher,
    {
      provide: AccessTokens,
      inject: [Keys, ManagementEnv],
      useFactory: ({ jwt, previous }: Keys, env: ManagementEnv) =>
        new AccessTokens(jwt, env.tokenMinutes, previous.jwt),
    },
  ],
  exports: [AuthService, PasswordHasher],
})
export class AuthModule {}
