import { Module } from '@nestjs/common';
import { AdminModule } from '../admins/admin.module.js';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';
import { SessionCookies } from './session-cookie.js';
import { SessionRetention } from './session-retention.js';

@Module({
  imports: [AdminModule],
  controllers: [SessionController],
  providers: [SessionCookies, SessionRepository, SessionRetention, SessionService],
  exports: [SessionCookies, SessionService],
})
export class SessionModule {}
