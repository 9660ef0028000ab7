import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { AuditService } from './audit.service.js';
import { LogRetention } from './log-retention.js';

@Module({ controllers: [AuditController], providers: [AuditService, LogRetention] })
export class AuditModule {}
