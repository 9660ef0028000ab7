import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import type { Actor } from '../auth/actor.js';
import { momentOf } from '../http/moment.js';
import { type BulkView, dryRunView } from './bulk/bulk-view.js';
import { deleteUsers } from './delete-users.js';
import { type DeletedUsersView, ExpiredUserFilter, ExpiredUserSelection } from './expired-user.dto.js';
import { scopeOf, type UserCondition } from './user-where.js';

/** Users whose time is over. */
@Injectable()
export class ExpiredUserService {
  constructor(private readonly database: DataSource) {}

  async list(actor: Actor, filter: ExpiredUserFilter): Promise<string[]> {
    const { sql, parameters } = expired(actor, filter);
    const rows = await this.database.query<{ username: string }[]>(
      `SELECT username FROM users WHERE ${sql} ORDER BY id`,
      [...parameters],
    );
    return rows.map(({ username }) => username);
  }

  async delete(actor: Actor, { dry_run, ...filter }: ExpiredUserSelection): Promise<DeletedUsersView | BulkView> {
    if (dry_run) return dryRunView((await this.list(actor, filter)).length);
    const users = await this.database.transaction(async (manager) => {
      const gone = await deleteUsers(manager, expired(actor, filter));
      const after = { affected_users: gone.length, ...filter };
      await recordAudit(manager, { action: 'user.bulk_delete_expired', target: 'users', after });
      return gone;
    });
    return { users: users.map(({ username }) => username), count: users.length };
  }
}

/** Also who ran out of traffic before: for both, the time is over. */
function expired(actor: Actor, filter: ExpiredUserFilter): UserCondition {
  return scopeOf(actor)
    .and('users.status = ANY (?::text[])', filter.target ? [filter.target] : ['expired', 'limited'])
    .and('users.expire <= ?::timestamptz', new Date())
    .and('users.expire >= ?::timestamptz', momentOf(filter.expired_after ?? null) ?? undefined)
    .and('users.expire <= ?::timestamptz', momentOf(filter.expired_before ?? null) ?? undefined)
    .and('users.admin_id = (SELECT id FROM admins WHERE username = ?)', filter.admin_username || undefined);
}
