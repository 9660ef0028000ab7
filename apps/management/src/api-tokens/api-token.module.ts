import { Module } from '@nestjs/common';
import { AdminModule } from '../admins/admin.module.js';
import { ApiTokenController } from './api-token.controller.js';
import { ApiTokenRepository } from './api-token.repository.js';
import { ApiTokenService } from './api-token.service.js';
import { TokenDeeds } from './token-deeds.js';
import { TokenRefusals } from './token-refusals.js';

@Module({
  imports: [AdminModule],
  controllers: [ApiTokenController],
  providers: [ApiTokenRepository, ApiTokenService, TokenDeeds, TokenRefusals],
  exports: [ApiTokenService, TokenDeeds],
})
export class ApiTokenModule {}
