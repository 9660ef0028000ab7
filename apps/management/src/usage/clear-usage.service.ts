import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { momentOf } from '../validation/moment.js';
import { UsageHours } from './usage.dto.js';
import { UsageRepository } from './usage.repository.js';

/** What can be cleared: what users used, or what nodes transferred. */
export const CLEARABLE = ['node_user_usages', 'node_usages'] as const;
export type ClearableUsage = (typeof CLEARABLE)[number];

const EARLIEST = new Date(0);
const LATEST = new Date('9999-12-31T23:59:59Z');

/** Deletes history. The counters of users, admins and nodes stay as they are. */
@Injectable()
export class ClearUsageService {
  constructor(
    private readonly database: DataSource,
    private readonly usage: UsageRepository,
  ) {}

  async clearUsage(table: ClearableUsage, { start, end }: UsageHours): Promise<void> {
    const span = { start: momentOf(start ?? null) ?? EARLIEST, end: momentOf(end ?? null) ?? LATEST };
    await this.database.transaction(async (manager) => {
      if (table === 'node_user_usages') await this.usage.deleteUserHours(manager, span);
      else await this.usage.clearNodeHours(manager, span);
      await recordAudit(manager, { action: 'usage.clear', target: table, after: { start, end } });
    });
  }
}
