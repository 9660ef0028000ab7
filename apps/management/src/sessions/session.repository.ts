import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { preparedQuery } from '../database/prepared.js';
import { type Page, windowOf } from '../http/page.js';
import { Session } from './session.entity.js';

/** Name and access level come from the admin's row, and its version must be that of the login. */
const ACTOR = {
  name: 'session actor',
  text: `SELECT admins.id, admins.username, admins.is_sudo AS "isSudo", admin_sessions.id AS "sessionId",
      admin_sessions.last_used_at < now() - interval '1 minute' AS "isUseDue"
    FROM admin_sessions JOIN admins ON admins.id = admin_sessions.admin_id
      AND admins.token_version = admin_sessions.token_version
    WHERE hash = $1 AND last_used_at > now() - make_interval(mins => $2) AND NOT admins.is_disabled`,
};

/** An admin who acts through a session. */
export interface SessionActor extends Actor {
  readonly sessionId: number;
  /** Whether the stored time of last use is more than a minute old. */
  isUseDue: boolean;
}

/** Statements on the table of sessions. */
@Injectable()
export class SessionRepository {
  constructor(private readonly database: DataSource) {}

  /** The enabled admin behind a session that was used within the last `minutes`. */
  async findActorByHash(hash: Buffer, minutes: number): Promise<SessionActor | undefined> {
    const [found] = await preparedQuery(this.database)<SessionActor>(ACTOR, [hash, minutes]);
    return found;
  }

  /** Sets the time of last use at most once a minute. Of concurrent requests one writes, and none waits. */
  async touch(id: number): Promise<void> {
    await this.database.query(
      `UPDATE admin_sessions SET last_used_at = now()
       WHERE id = (SELECT id FROM admin_sessions WHERE id = $1 AND last_used_at < now() - interval '1 minute'
         FOR NO KEY UPDATE SKIP LOCKED)`,
      [id],
    );
  }

  insert(
    manager: EntityManager,
    session: Pick<Session, 'adminId' | 'hash' | 'tokenVersion' | 'address' | 'userAgent'>,
  ): Promise<Session> {
    return manager.save(manager.create(Session, session));
  }

  find(manager: EntityManager, where: FindOptionsWhere<Session>): Promise<Session | null> {
    return manager.findOne(Session, { where, relations: { admin: true } });
  }

  /** One page of sessions with their admins, newest first, and the number of all of them. */
  findAndCount(where: FindOptionsWhere<Session>, page: Page): Promise<[Session[], number]> {
    const order = { id: 'DESC' } as const;
    return this.database.manager.findAndCount(Session, { where, relations: { admin: true }, order, ...windowOf(page) });
  }

  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.delete(Session, { id });
  }

  /** Deletes the sessions that were not used since a moment. */
  async deleteUnusedSince(moment: Date): Promise<void> {
    await this.database.query('DELETE FROM admin_sessions WHERE last_used_at < $1', [moment]);
  }
}
