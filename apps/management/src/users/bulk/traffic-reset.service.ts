import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { BulkOperations } from '../../bulk/bulk-operations.service.js';
import type { BulkWork } from '../../bulk/bulk-work.js';
import type { DryRunQuery } from '../../http/dry-run.js';
import { clearTraffic } from '../../user-store/life-cycle/clear-traffic.js';
import { settleUsers } from '../../user-store/life-cycle/settle-users.js';
import { countUsers } from '../../user-store/selection/count-users.js';
import { lockUsers } from '../../user-store/selection/user-batches.js';
import { UserWhere } from '../../user-store/selection/user-where.js';
import { markChanged } from '../../user-store/served/raise-revision.js';
import type { TrafficResetView } from './user-bulk.dto.js';

const withTraffic = (): UserWhere => new UserWhere().and('users.used_traffic > ?', 0);

const RESET: BulkWork = {
  action: 'user.bulk_reset',
  target: withTraffic,
  async apply(manager, _order, batch) {
    const ids = await lockUsers(manager, batch);
    await clearTraffic(manager, ids);
    await markChanged(manager, await settleUsers(manager, { ids, now: new Date() }));
    return { count: ids.length };
  },
  audited: (_order, affected_users) => ({ target: 'users', after: { affected_users } }),
};

/** Resets the traffic counters of all users. Their history and their next plans stay. */
@Injectable()
export class TrafficResetService {
  constructor(
    private readonly database: DataSource,
    private readonly operations: BulkOperations,
  ) {
    operations.register(RESET);
  }

  async resetAll(actor: Actor, { dry_run }: DryRunQuery): Promise<TrafficResetView> {
    if (dry_run) return { dry_run, affected_users: await countUsers(this.database.manager, withTraffic()) };
    await this.operations.run(RESET, actor, {});
    return {};
  }
}
