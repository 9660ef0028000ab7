import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { findUser } from '../user-store/find-user.js';
import { type NodeUsageView, UsageQuery, type UsageView, UsersUsageQuery, type UserUsageView } from './usage.dto.js';
import { readUsage } from './usage-history.js';

const USED = {
  columns: ['used_traffic'],
  view: ([total_traffic = 0]: readonly number[]) => ({ total_traffic }),
};

const EXCHANGED = {
  columns: ['uplink', 'downlink'],
  view: ([uplink = 0, downlink = 0]: readonly number[]) => ({ uplink, downlink }),
};

const OF_ADMINS = 'admin_id IN (SELECT id FROM admins WHERE username = ANY ($4::text[]))';

/** What was used, by the hour. */
@Injectable()
export class UsageService {
  constructor(private readonly database: DataSource) {}

  async userUsage(actor: Actor, username: string, query: UsageQuery): Promise<UsageView<UserUsageView>> {
    const { manager } = this.database;
    const { id } = await findUser(manager, actor, username);
    return this.usageOfUserId(id, query);
  }

  /** For callers that know whose usage they may see. */
  usageOfUserId(id: number, query: UsageQuery): Promise<UsageView<UserUsageView>> {
    const condition = { sql: 'user_id = $4', parameter: id };
    return readUsage(this.database.manager, { ...USED, table: 'node_user_usages', condition }, query);
  }

  /** Of everybody, or of the users of some admins: of those whom they owned in that hour. */
  usersUsage(actor: Actor, query: UsersUsageQuery): Promise<UsageView<UserUsageView>> {
    const own = (username: string) => username === actor.username;
    const admins = actor.isSudo ? query.admin : (query.admin ?? [actor.username]).filter(own);
    if (!admins) return readUsage(this.database.manager, { ...USED, table: 'node_usages' }, query);
    const condition = { sql: OF_ADMINS, parameter: admins };
    return readUsage(this.database.manager, { ...USED, table: 'admin_usages', condition }, query);
  }

  /** What nodes exchanged with the world. */
  nodesUsage(query: UsageQuery): Promise<UsageView<NodeUsageView>> {
    return readUsage(this.database.manager, { ...EXCHANGED, table: 'node_usages' }, query);
  }
}
