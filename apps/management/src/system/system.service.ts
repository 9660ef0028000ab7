import { Injectable } from '@nestjs/common';
import type { UserStatus } from '@rampart/domain';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { nodeTotals } from '../nodes/store/node-totals.js';
import { unsettledUsers } from '../user-store/life-cycle/unsettled-users.js';
import { scopeOf, type UserCondition } from '../user-store/user-where.js';
import { Machine } from './machine.js';
import { SystemQuery, type SystemView, type UserCountsView } from './system.dto.js';

const OF_ADMIN = 'users.admin_id = (SELECT id FROM admins WHERE username = ?::text)';

/** The figures of a dashboard. */
@Injectable()
export class SystemService {
  constructor(
    private readonly database: DataSource,
    private readonly machine: Machine,
  ) {}

  async view(actor: Actor, { admin_username }: SystemQuery): Promise<SystemView> {
    const own = scopeOf(actor).and(OF_ADMIN, admin_username || undefined);
    const [machine, users, { uplink, downlink }, unsettled_users] = await Promise.all([
      this.machine.view(),
      this.countUsers(own),
      nodeTotals(this.database.manager),
      unsettledUsers(this.database.manager, own),
    ]);
    return {
      version: MANAGEMENT_VERSION,
      ...machine,
      ...users,
      incoming_bandwidth: uplink,
      outgoing_bandwidth: downlink,
      unsettled_users,
    };
  }

  private async countUsers({ sql, parameters }: UserCondition): Promise<UserCountsView> {
    const rows = await this.database.query<Count[]>(
      `SELECT status, count(*)::integer AS users,
         count(*) FILTER (WHERE online_at > now() - interval '2 minutes')::integer AS online
       FROM users WHERE ${sql} GROUP BY status`,
      [...parameters],
    );
    const of = (status: UserStatus): number => rows.find((row) => row.status === status)?.users ?? 0;
    return {
      total_user: rows.reduce((sum, { users }) => sum + users, 0),
      online_users: rows.reduce((sum, { online }) => sum + online, 0),
      active_users: of('active'),
      on_hold_users: of('on_hold'),
      disabled_users: of('disabled'),
      expired_users: of('expired'),
      limited_users: of('limited'),
    };
  }
}

interface Count {
  status: UserStatus;
  users: number;
  online: number;
}
