import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withAdvisoryLock } from '../database/advisory-lock.js';
import { RepeatedTask } from '../database/repeated-task.js';
import { createLogMonths, dropLogMonth, type MonthlyLog } from '../database/schema/log-months.js';
import { ManagementEnv } from '../env/management-env.js';

const DAY_MS = 86_400_000;
/** Only one replica at a time drops tables. */
const RETENTION_LOCK = 0x6c_6f_67_73; // "logs"

/** Creates the tables of the coming months and drops those that are older than the logs are kept. */
@Injectable()
export class LogRetention extends RepeatedTask {
  protected readonly logger = new Logger('Logs');
  private readonly days: Readonly<Record<MonthlyLog, number>>;

  constructor(
    private readonly database: DataSource,
    { auditDays, resetLogDays }: ManagementEnv,
  ) {
    super();
    this.days = {
      audit_entries: auditDays,
      user_traffic_resets: resetLogDays,
      admin_traffic_resets: resetLogDays,
    };
  }

  /** Drops each table in a transaction of its own. */
  async run(now: Date): Promise<void> {
    await this.database.transaction(createLogMonths);
    for (const [log, days] of Object.entries(this.days) as [MonthlyLog, number][]) {
      const limit = new Date(now.getTime() - days * DAY_MS);
      for (let more = true; more && !this.closing; )
        more =
          (await withAdvisoryLock(this.database, RETENTION_LOCK, (manager) => dropLogMonth(manager, log, limit))) ??
          false;
    }
  }
}
