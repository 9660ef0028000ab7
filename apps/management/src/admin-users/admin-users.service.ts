import { Injectable } from '@nestjs/common';
import type { UserStatus } from '@rampart/domain';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { AdminRepository } from '../admins/store/admin.repository.js';
import { ADMIN_ID_OF_NAME } from '../admins/store/admin-ids.js';
import { type BulkView, bulkView, dryRunView } from '../bulk/bulk.view.js';
import { BulkOperations } from '../bulk/bulk-operations.service.js';
import type { BulkBatch, BulkWork } from '../bulk/bulk-work.js';
import type { DryRunQuery } from '../http/dry-run.js';
import { activateUsers, type ChangedUsers, disableUsers } from '../user-store/bulk-changes.js';
import { deleteUsers } from '../user-store/delete-users.js';
import { countUsers } from '../user-store/selection/count-users.js';
import { type UserCondition, UserWhere } from '../user-store/selection/user-where.js';
import { markChanged } from '../user-store/served/raise-revision.js';

/** The terms of a bulk change: the admin whose users are changed. */
interface OfAdmin {
  username: string;
}

type Apply = (manager: EntityManager, batch: UserCondition) => Promise<BulkBatch>;

/** Changes all users of an admin at once. */
@Injectable()
export class AdminUsersService {
  private readonly disabling: BulkWork<OfAdmin>;
  private readonly activation: BulkWork<OfAdmin>;
  private readonly deletion: BulkWork<OfAdmin>;

  constructor(
    private readonly database: DataSource,
    private readonly operations: BulkOperations,
    private readonly admins: AdminRepository,
  ) {
    this.disabling = operations.register(this.work('disable_users', changed(disableUsers)));
    this.activation = operations.register(this.work('activate_users', changed(activateUsers)));
    this.deletion = operations.register(
      this.work('delete_users', async (manager, batch) => ({ count: (await deleteUsers(manager, batch)).length })),
    );
  }

  disable(actor: Actor, username: string, query: DryRunQuery): Promise<BulkView> {
    return this.run(actor, username, this.disabling, query);
  }

  activate(actor: Actor, username: string, query: DryRunQuery): Promise<BulkView> {
    return this.run(actor, username, this.activation, query);
  }

  delete(actor: Actor, username: string, query: DryRunQuery): Promise<BulkView> {
    return this.run(actor, username, this.deletion, query);
  }

  private work(verb: string, apply: Apply): BulkWork<OfAdmin> {
    return {
      action: `admin.${verb}`,
      target: ({ terms }) => new UserWhere().and(`users.admin_id = ${ADMIN_ID_OF_NAME}`, terms.username),
      apply: async (manager, { terms }, batch) => {
        // The admin may have been deleted since the previous batch.
        await this.admins.find(manager, terms.username);
        return apply(manager, batch);
      },
      audited: ({ terms }, affected_users) => ({ target: `admin/${terms.username}`, after: { affected_users } }),
    };
  }

  private async run(
    actor: Actor,
    username: string,
    work: BulkWork<OfAdmin>,
    { dry_run }: DryRunQuery,
  ): Promise<BulkView> {
    if (dry_run) return dryRunView(await this.countTargets(username, work));
    return bulkView((await this.operations.run(work, actor, { username })).count);
  }

  private async countTargets(username: string, work: BulkWork<OfAdmin>): Promise<number> {
    const { manager } = this.database;
    const { id } = await this.admins.find(manager, username);
    const status = CHANGED_STATUSES[work.action];
    return countUsers(
      manager,
      new UserWhere().and('users.admin_id = ?', id).and('users.status = ANY (?::text[])', status),
    );
  }
}

/** The states of the users whom a change affects; without an entry, all. */
const CHANGED_STATUSES: Readonly<Record<string, readonly UserStatus[]>> = {
  'admin.disable_users': ['active', 'on_hold'],
  'admin.activate_users': ['disabled'],
};

/** Turns a change of users into a batch of bulk work, of which nodes are told. */
const changed =
  (change: (manager: EntityManager, batch: UserCondition) => Promise<ChangedUsers>): Apply =>
  async (manager, batch) => {
    const { count, userIdsForNodes } = await change(manager, batch);
    await markChanged(manager, userIdsForNodes);
    return { count };
  };
