import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { momentOf } from '../validation/moment.js';
import { UsageHours } from './usage.dto.js';
import { partitionEnd, usagePartitions } from './usage-partitions.js';

/** What can be cleared: what users used, or what nodes exchanged. */
export const CLEARABLE = ['node_user_usages', 'node_usages'] as const;
export type ClearableUsage = (typeof CLEARABLE)[number];

interface Span {
  start: Date;
  end: Date;
}

const EARLIEST = new Date(0);
const LATEST = new Date('9999-12-31T23:59:59Z');

/** Purges history. The counters of users, admins and nodes stay as they are. */
@Injectable()
export class ClearUsageService {
  constructor(private readonly database: DataSource) {}

  async clear(table: ClearableUsage, { start, end }: UsageHours): Promise<void> {
    const span = { start: momentOf(start ?? null) ?? EARLIEST, end: momentOf(end ?? null) ?? LATEST };
    await this.database.transaction(async (manager) => {
      await CLEAR[table](manager, span);
      await recordAudit(manager, { action: 'usage.clear', target: table, after: { start, end } });
    });
  }
}

const CLEAR: Readonly<Record<ClearableUsage, (manager: EntityManager, span: Span) => Promise<void>>> = {
  node_user_usages: clearUsers,
  node_usages: (manager, { start, end }) =>
    manager.query('UPDATE node_usages SET uplink = 0, downlink = 0 WHERE hour >= $1 AND hour < $2', [start, end]),
};

/** Traffic waits meanwhile; readers only for whole days. */
async function clearUsers(manager: EntityManager, { start, end }: Span): Promise<void> {
  await manager.query('LOCK TABLE node_user_usages, admin_usages, node_usages IN EXCLUSIVE MODE');
  const days = await usagePartitions(manager);
  const whole = days.filter((day) => day.start >= start && partitionEnd(day) <= end).map(({ table }) => table);
  if (whole.length > 0) await manager.query(`TRUNCATE ${whole.join(', ')}`);
  await manager.query('DELETE FROM node_user_usages WHERE hour >= $1 AND hour < $2', [start, end]);
  await manager.query('DELETE FROM admin_usages WHERE hour >= $1 AND hour < $2', [start, end]);
  await manager.query('UPDATE node_usages SET used_traffic = 0 WHERE hour >= $1 AND hour < $2', [start, end]);
}
