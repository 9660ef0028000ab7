import { Controller, Get, Query } from '@nestjs/common';
import { Sudo } from '../access/access-level.js';
import { AuditFilter, type AuditListView } from './audit.dto.js';
import { AuditService } from './audit.service.js';

@Controller('api/audit')
export class AuditController {
  constructor(private readonly log: AuditService) {}

  /** Lists the audit log page by page, newest entries first. */
  @Get()
  @Sudo()
  list(@Query() filter: AuditFilter): Promise<AuditListView> {
    return this.log.list(filter);
  }
}
