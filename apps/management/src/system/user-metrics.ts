import { Injectable } from '@nestjs/common';
import { USER_STATUSES } from '@rampart/domain';
import { ProgramMetrics } from '@rampart/program';
import { DataSource } from 'typeorm';
import { countUsersByStatus, type StatusCount } from '../user-store/selection/count-users.js';

/** Counting reads every user, so a count is used again for so many milliseconds. */
const REUSE_MS = 30_000;

/** How many users there are by status, and how many are online. */
@Injectable()
export class UserMetrics {
  private last?: { readonly at: number; readonly counts: readonly StatusCount[] };

  constructor(
    metrics: ProgramMetrics,
    private readonly database: DataSource,
  ) {
    const users = metrics.gauge({ name: 'rampart_users', help: 'Users by status.', labelNames: ['status'] });
    const online = metrics.gauge({
      name: 'rampart_online_users',
      help: 'Users with traffic in the last two minutes, on all nodes.',
    });
    metrics.readAtScrape('users', [users, online], async () => {
      const counts = await this.counts();
      for (const status of USER_STATUSES) {
        users.set({ status }, counts.find((count) => count.status === status)?.users ?? 0);
      }
      online.set(counts.reduce((sum, count) => sum + count.online, 0));
    });
  }

  private async counts(): Promise<readonly StatusCount[]> {
    if (this.last === undefined || performance.now() - this.last.at >= REUSE_MS) {
      const counts = await countUsersByStatus(this.database.manager, { sql: 'true', parameters: [] });
      this.last = { at: performance.now(), counts };
    }
    return this.last.counts;
  }
}
