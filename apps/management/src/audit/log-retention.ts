import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { alone } from '../database/alone.js';
import { forgetLogMonth, type MonthlyLog, openLogMonths } from '../database/log-months.js';
import { ManagementEnv } from '../env/management-env.js';

const INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** One replica does the work. */
const RETENTION_LOCK = 0x6c_6f_67_73; // "logs"

/** Makes the tables of the months that come, and forgets those that are older than the logs reach. */
@Injectable()
export class LogRetention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Logs');
  private readonly days: Readonly<Record<MonthlyLog, number>>;
  private running: Promise<void> = Promise.resolve();
  private closing = false;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly database: DataSource,
    { auditDays, resetLogDays }: ManagementEnv,
  ) {
    this.days = {
      audit_entries: auditDays,
      user_traffic_resets: resetLogDays,
      admin_traffic_resets: resetLogDays,
    };
  }

  onApplicationBootstrap(): void {
    const run = () => {
      this.running = this.run(new Date()).catch((error: Error) => this.logger.warn(error.message));
    };
    this.timer = setInterval(run, INTERVAL_MS);
    run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** Each table is dropped in a transaction of its own. */
  async run(now: Date): Promise<void> {
    await this.database.transaction(openLogMonths);
    for (const [log, days] of Object.entries(this.days) as [MonthlyLog, number][]) {
      const limit = new Date(now.getTime() - days * DAY_MS);
      for (let more = true; more && !this.closing; )
        more = (await alone(this.database, RETENTION_LOCK, (manager) => forgetLogMonth(manager, log, limit))) ?? false;
    }
  }
}
