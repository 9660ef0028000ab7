import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { findUser } from '../user-store/find-user.js';
import { type NodeUsageView, UsageQuery, type UsageView, UsersUsageQuery, type UserUsageView } from './usage.dto.js';
import { ofAdmins, ofUser, UsageRepository, type UsageSource } from './usage.repository.js';
import { inZone, usageRange } from './usage-range.js';

/** What an answer shows of a source: the sums of its columns under their names. */
interface ShownSource<Sums extends object> extends UsageSource {
  view: (sums: readonly number[]) => Sums;
}

const USED_TRAFFIC = {
  columns: ['used_traffic'],
  view: ([total_traffic = 0]: readonly number[]) => ({ total_traffic }),
};

const NODE_TRAFFIC = {
  columns: ['uplink', 'downlink'],
  view: ([uplink = 0, downlink = 0]: readonly number[]) => ({ uplink, downlink }),
};

/** The history of traffic, summed up by periods. */
@Injectable()
export class UsageService {
  constructor(
    private readonly database: DataSource,
    private readonly usage: UsageRepository,
  ) {}

  async userUsage(actor: Actor, username: string, query: UsageQuery): Promise<UsageView<UserUsageView>> {
    const { id } = await findUser(this.database.manager, actor, username);
    return this.usageOfUserId(id, query);
  }

  /** For callers that have checked whose usage they may see. */
  usageOfUserId(id: number, query: UsageQuery): Promise<UsageView<UserUsageView>> {
    return this.sumUp({ ...USED_TRAFFIC, table: 'node_user_usages', condition: ofUser(id) }, query);
  }

  /** The traffic of all users, or of the users of some admins: of those whom they owned in that hour. */
  usersUsage(actor: Actor, query: UsersUsageQuery): Promise<UsageView<UserUsageView>> {
    const own = (username: string) => username === actor.username;
    const admins = actor.isSudo ? query.admin : (query.admin ?? [actor.username]).filter(own);
    if (!admins) return this.sumUp({ ...USED_TRAFFIC, table: 'node_usages' }, query);
    return this.sumUp({ ...USED_TRAFFIC, table: 'admin_usages', condition: ofAdmins(admins) }, query);
  }

  /** Raw bytes that nodes transferred. */
  nodesUsage(query: UsageQuery): Promise<UsageView<NodeUsageView>> {
    return this.sumUp({ ...NODE_TRAFFIC, table: 'node_usages' }, query);
  }

  private async sumUp<Sums extends object>(
    source: ShownSource<Sums>,
    query: UsageQuery,
  ): Promise<UsageView<Sums & { period_start: string }>> {
    const range = usageRange(query, new Date());
    const { period, start, end, offset } = range;
    const nodes = { nodeId: query.node_id, byNode: query.group_by_node ?? false };
    const rows = await this.usage.sumUsage(this.database.manager, source, range, nodes);
    const stats: Record<string, (Sums & { period_start: string })[]> = {};
    for (const { node_id, period_start, sums } of rows) {
      stats[node_id] ??= [];
      stats[node_id].push({ ...source.view(sums), period_start: inZone(period_start, offset) });
    }
    return { period, start: inZone(start, offset), end: inZone(end, offset), stats };
  }
}
