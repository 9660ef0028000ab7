import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withAdvisoryLock } from '../database/advisory-lock.js';
import { RepeatedTask } from '../database/repeated-task.js';
import { ManagementEnv } from '../env/management-env.js';
import { UsageRepository } from './usage.repository.js';

/** Advisory lock of the replica that deletes old history. */
const RETENTION_LOCK = 0x68_6f_75_72; // "hour"

/** Deletes history that is older than the settings allow, one day in each transaction. */
@Injectable()
export class UsageRetention extends RepeatedTask {
  protected readonly logger = new Logger('Usage');

  constructor(
    private readonly database: DataSource,
    private readonly usage: UsageRepository,
    private readonly env: ManagementEnv,
  ) {
    super();
  }

  async run(now: Date): Promise<void> {
    const limit = new Date(now.getTime() - this.env.usageDays * 86_400_000);
    for (let more = true; more && !this.closing; ) {
      more =
        (await withAdvisoryLock(this.database, RETENTION_LOCK, (manager) =>
          this.usage.deleteOldestDay(manager, limit),
        )) ?? false;
    }
  }
}
