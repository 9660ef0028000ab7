import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { ADMIN_ID_OF_NAME } from '../../admins/store/admin-ids.js';
import { type BulkView, dryRunView } from '../../bulk/bulk.view.js';
import { BulkOperations } from '../../bulk/bulk-operations.service.js';
import type { BulkWork } from '../../bulk/bulk-work.js';
import { deleteUsers } from '../../user-store/delete-users.js';
import { usernamesOf } from '../../user-store/selection/user-batches.js';
import { scopeOf, type UserWhere } from '../../user-store/selection/user-where.js';
import { momentOf } from '../../validation/moment.js';
import { type DeletedUsersView, ExpiredUserFilter, ExpiredUserSelection } from './expired-user.dto.js';

const DELETE_EXPIRED: BulkWork<{ filter: ExpiredUserFilter; now: string }> = {
  action: 'user.bulk_delete_expired',
  target: ({ actor, terms: { filter, now } }) => expired(actor, filter, new Date(now)),
  async apply(manager, _order, batch) {
    const gone = await deleteUsers(manager, batch);
    return { count: gone.length, names: gone.map(({ username }) => username) };
  },
  audited: ({ terms }, affected_users) => ({ target: 'users', after: { affected_users, ...terms.filter } }),
};

/** Lists and deletes users whose end has passed. */
@Injectable()
export class ExpiredUserService {
  constructor(
    private readonly database: DataSource,
    private readonly operations: BulkOperations,
  ) {
    operations.register(DELETE_EXPIRED);
  }

  list(actor: Actor, filter: ExpiredUserFilter): Promise<string[]> {
    return usernamesOf(this.database.manager, expired(actor, filter));
  }

  async delete(actor: Actor, { dry_run, ...filter }: ExpiredUserSelection): Promise<DeletedUsersView | BulkView> {
    if (dry_run) return dryRunView((await this.list(actor, filter)).length);
    const now = new Date().toISOString();
    const { names, count } = await this.operations.run(DELETE_EXPIRED, actor, { filter, now });
    return { users: [...names], count };
  }
}

/** The condition for users whose end has passed, including those who had used up their traffic before. */
function expired(actor: Actor, filter: ExpiredUserFilter, now = new Date()): UserWhere {
  return scopeOf(actor)
    .and('users.status = ANY (?::text[])', filter.target ? [filter.target] : ['expired', 'limited'])
    .and('users.expire <= ?::timestamptz', now)
    .and('users.expire >= ?::timestamptz', momentOf(filter.expired_after ?? null) ?? undefined)
    .and('users.expire <= ?::timestamptz', momentOf(filter.expired_before ?? null) ?? undefined)
    .and(`users.admin_id = ${ADMIN_ID_OF_NAME}`, filter.admin_username || undefined);
}
