import { Module } from '@nestjs/common';
import { AdminModule } from '../admins/admin.module.js';
import { ApiTokenModule } from '../api-tokens/api-token.module.js';
import { ManagementEnv } from '../env/management-env.js';
import { Keys } from '../keys/keys.js';
import { SessionModule } from '../sessions/session.module.js';
import { TotpModule } from '../totp/totp.module.js';
import { AccessHook } from './access.hook.js';
import { AccessTokens } from './access-token.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { OpenAnswers } from './open-answers.js';

@Module({
  imports: [AdminModule, ApiTokenModule, SessionModule, TotpModule],
  controllers: [AuthController],
  providers: [
    AccessHook,
    AuthService,
    OpenAnswers,
    {
      provide: AccessTokens,
      inject: [Keys, ManagementEnv],
      useFactory: ({ jwt, previous }: Keys, env: ManagementEnv) =>
        new AccessTokens(jwt, env.tokenMinutes, previous.jwt),
    },
  ],
  exports: [AccessHook, AuthService, OpenAnswers],
})
export class AuthModule {}
