import { Module } from '@nestjs/common';
import { AdminModule } from '../admins/admin.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { RequiredTotp } from './required-totp.js';
import { TotpController } from './totp.controller.js';
import { TotpRepository } from './totp.repository.js';
import { TotpService } from './totp.service.js';

@Module({
  imports: [AdminModule, SessionModule],
  controllers: [TotpController],
  providers: [RequiredTotp, TotpRepository, TotpService],
  exports: [RequiredTotp, TotpRepository, TotpService],
})
export class TotpModule {}
