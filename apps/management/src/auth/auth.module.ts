import { Module } from '@nestjs/common';
import { AdminModule } from '../admins/admin.module.js';
import { ApiTokenModule } from '../api-tokens/api-token.module.js';
import { ManagementEnv } from '../env/management-env.js';
import { Keys } from '../keys/keys.js';
import { AccessHook } from './access.hook.js';
import { AccessTokens } from './access-token.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';

@Module({
  imports: [AdminModule, ApiTokenModule],
  controllers: [AuthController],
  providers: [
    AccessHook,
    AuthService,
    {
      provide: AccessTokens,
      inject: [Keys, ManagementEnv],
      useFactory: ({ jwt, previous }: Keys, env: ManagementEnv) =>
        new AccessTokens(jwt, env.tokenMinutes, previous.jwt),
    },
  ],
  exports: [AuthService],
})
export class AuthModule {}
