import { Injectable } from '@nestjs/common';
import type { UserStatus } from '@rampart/domain';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { ADMIN_ID_OF_NAME } from '../admins/store/admin-ids.js';
import { lifetimeTraffic } from '../admins/store/lifetime-traffic.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { NodeTotalsRepository } from '../nodes/store/node-totals.repository.js';
import { credentialClashes } from '../user-store/clashes/credential-clashes.js';
import { unsettledUsers } from '../user-store/life-cycle/unsettled-users.js';
import { countUsersByStatus } from '../user-store/selection/count-users.js';
import { scopeOf, type UserCondition } from '../user-store/selection/user-where.js';
import { Machine, type MachineView } from './machine.js';
import { SystemQuery, type SystemView, type UserCountsView } from './system.dto.js';

/** SQL: users of the admin with this name; no user when there is no such admin. */
const OF_ADMIN = `users.admin_id = ${ADMIN_ID_OF_NAME}`;

type InstallationView = MachineView &
  Pick<SystemView, 'incoming_bandwidth' | 'outgoing_bandwidth' | 'credential_clashes'>;

/** The figures of the machine for admins who are not sudo; clients expect the members. */
const NO_MACHINE: MachineView = {
  mem_total: 0,
  mem_used: 0,
  disk_total: 0,
  disk_used: 0,
  cpu_cores: 0,
  cpu_usage: 0,
  uptime_seconds: 0,
};

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
    const [users, unsettled_users, installation] = await Promise.all([
      this.countUsers(own),
      unsettledUsers(this.database.manager, own),
      actor.isSudo ? this.wholeInstallation() : this.ownPart(actor),
    ]);
    return { version: MANAGEMENT_VERSION, ...users, ...installation, unsettled_users };
  }

  /** What only sudo admins see: it tells of the users of others. */
  private async wholeInstallation(): Promise<InstallationView> {
    const { manager } = this.database;
    const [machine, { uplink, downlink }, credential_clashes] = await Promise.all([
      this.machine.view(),
      this.nodeTotals.readTotals(manager),
      credentialClashes(manager),
    ]);
    return { ...machine, incoming_bandwidth: uplink, outgoing_bandwidth: downlink, credential_clashes };
  }

  private async ownPart({ id }: Actor): Promise<InstallationView> {
    const outgoing_bandwidth = await lifetimeTraffic(this.database.manager, id);
    return { ...NO_MACHINE, incoming_bandwidth: 0, outgoing_bandwidth, credential_clashes: [] };
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
