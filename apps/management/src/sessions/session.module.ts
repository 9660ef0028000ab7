import { Module } from '@nestjs/common';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';
import { SessionRetention } from './session-retention.js';

@Module({
  controllers: [SessionController],
  providers: [SessionRepository, SessionRetention, SessionService],
  exports: [SessionService],
})
export class SessionModule {}
