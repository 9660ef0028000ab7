import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { withAdvisoryLock } from '../database/advisory-lock.js';
import { HourlyTask } from '../database/hourly-task.js';
import { ManagementEnv } from '../env/management-env.js';
import { partitionEnd, usagePartitions } from './usage-partitions.js';

/** One replica does the work. */
const RETENTION_LOCK = 0x68_6f_75_72; // "hour"

/** Forgets hours that are older than the history reaches, a day in each transaction. */
@Injectable()
export class UsageRetention extends HourlyTask {
  protected readonly logger = new Logger('Usage');

  constructor(
    private readonly database: DataSource,
    private readonly env: ManagementEnv,
  ) {
    super();
  }

  async run(now: Date): Promise<void> {
    const limit = new Date(now.getTime() - this.env.usageDays * 86_400_000);
    for (let more = true; more && !this.closing; ) {
      more = (await withAdvisoryLock(this.database, RETENTION_LOCK, (manager) => forgetDay(manager, limit))) ?? false;
    }
  }
}

/** Answers whether there was anything. */
async function forgetDay(manager: EntityManager, limit: Date): Promise<boolean> {
  const [oldest] = await usagePartitions(manager);
  if (oldest && partitionEnd(oldest) <= limit) {
    // Everybody who reads or writes history waits behind this: rather the next run than a long wait.
    await manager.query(`SET LOCAL lock_timeout = '2s'`);
    await manager.query(`DROP TABLE ${oldest.table}`);
    return true;
  }
  return (await forgetHours(manager, 'admin_usages', limit)) || (await forgetHours(manager, 'node_usages', limit));
}

async function forgetHours(manager: EntityManager, table: string, limit: Date): Promise<boolean> {
  const [, deleted] = await manager.query<[unknown[], number]>(
    `DELETE FROM ${table} WHERE hour < least($1, (SELECT min(hour) FROM ${table}) + interval '1 day')`,
    [limit],
  );
  return deleted > 0;
}
