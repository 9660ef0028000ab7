import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { LogRetention } from './log-retention.js';

@Module({ controllers: [AuditController], providers: [AuditRepository, AuditService, LogRetention] })
export class AuditModule {}
