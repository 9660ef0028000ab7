import { Injectable } from '@nestjs/common';
import { nodeEmail } from '@rampart/domain';
import { DataSource } from 'typeorm';
import type { Actor } from '../auth/actor.js';
import { lockRevision, nextRevision } from '../database/revision.js';
import { momentOf } from '../http/moment.js';
import { type DeletedUsersView, ExpiredUserFilter } from './expired-user.dto.js';
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

  /** Rows are locked in the order of their ids, as traffic is booked, so that the two cannot block each other. */
  async delete(actor: Actor, filter: ExpiredUserFilter): Promise<DeletedUsersView> {
    const { sql, parameters } = expired(actor, filter);
    const users = await this.database.transaction(async (manager) => {
      await lockRevision(manager);
      const gone = await manager.query<{ id: number; username: string }[]>(
        `WITH locked AS (SELECT id FROM users WHERE ${sql} ORDER BY id FOR UPDATE),
         gone AS (DELETE FROM users USING locked WHERE users.id = locked.id RETURNING users.id, users.username)
         SELECT id, username FROM gone ORDER BY id`,
        [...parameters],
      );
      if (gone.length === 0) return gone;
      await manager.query(
        'INSERT INTO user_tombstones (user_id, email, revision) SELECT *, $3 FROM unnest($1::integer[], $2::text[])',
        [
          gone.map(({ id }) => id),
          gone.map(({ id, username }) => nodeEmail(id, username)),
          `${await nextRevision(manager)}`,
        ],
      );
      return gone;
    });
    return { users: users.map(({ username }) => username), count: users.length };
  }
}

/** Also who ran out of traffic before: for both, the time is over. */
function expired(actor: Actor, filter: ExpiredUserFilter): UserCondition {
  return scopeOf(actor)
    .and('users.status = ANY (?::text[])', ['expired', 'limited'])
    .and('users.expire <= ?::timestamptz', new Date())
    .and('users.expire >= ?::timestamptz', momentOf(filter.expired_after ?? null) ?? undefined)
    .and('users.expire <= ?::timestamptz', momentOf(filter.expired_before ?? null) ?? undefined)
    .and('users.admin_id = (SELECT id FROM admins WHERE username = ?)', filter.admin_username || undefined);
}
