import { Injectable } from '@nestjs/common';
import type { UserStatus } from '@rampart/domain';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { ADMIN_ID_OF_NAME } from '../admins/store/admin-ids.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { NodeTotalsRepository } from '../nodes/store/node-totals.repository.js';
import { unsettledUsers } from '../user-store/life-cycle/unsettled-users.js';
import { countUsersByStatus } from '../user-store/selection/count-users.js';
import { scopeOf, type UserCondition } from '../user-store/selection/user-where.js';
import { Machine } from './machine.js';
import { SystemQuery, type SystemView, type UserCountsView } from './system.dto.js';

/** SQL: users of the admin with this name; no user when there is no such admin. */
const OF_ADMIN = `users.admin_id = ${ADMIN_ID_OF_NAME}`;

/** The figures of the dashboard. */
@Injectable()
export class SystemService {
  constructor(
    private readonly database: DataSource,
    private readonly nodeTotals: NodeTotalsRepository,
    private readonly machine: Machine,
  ) {}

  async view(actor: Actor, { admin_username }: SystemQuery): Promise<SystemView> {
    const own = scopeOf(actor).and(OF_ADMIN, admin_username || undefined);
    const [machine, users, { uplink, downlink }, unsettled_users] = await Promise.all([
      this.machine.view(),
      this.countUsers(own),
      this.nodeTotals.readTotals(this.database.manager),
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

  private async countUsers(where: UserCondition): Promise<UserCountsView> {
    const rows = await countUsersByStatus(this.database.manager, where);
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
