import { Module } from '@nestjs/common';
import { AdminModule } from '../admins/admin.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { TotpController } from './totp.controller.js';
import { TotpRepository } from './totp.repository.js';
import { TotpService } from './totp.service.js';

@Module({
  imports: [AdminModule, SessionModule],
  controllers: [TotpController],
  providers: [TotpRepository, TotpService],
  exports: [TotpRepository, TotpService],
})
export class TotpModule {}
