import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { type PreparedQuery, preparedQuery } from '../database/prepared.js';
import { type Page, windowOf } from '../http/page.js';
import { Session, type SessionKind } from './session.entity.js';

const IS_USE_DUE = `admin_sessions.last_used_at < now() - interval '1 minute'`;

/** Name and access level come from the admin's row, and its version must be that of the login. */
const BROWSER_ACTOR = {
  name: 'session actor',
  text: `SELECT admins.id, admins.username, admins.is_sudo AS "isSudo", admin_sessions.id AS "sessionId",
      admin_sessions.authenticated_at AS "authenticatedAt", ${IS_USE_DUE} AS "isUseDue"
    FROM admin_sessions JOIN admins ON admins.id = admin_sessions.admin_id
      AND admins.token_version = admin_sessions.token_version
    WHERE hash = $1 AND kind = 'browser' AND last_used_at > now() - make_interval(mins => $2) AND expires_at > now()
      AND NOT admins.is_disabled`,
};

/**
 * Every request with a login token runs this statement; requests that arrive together share one run. A token without an id is one
 * of a version that did not keep them: its own claim of the version counts.
 */
const TOKEN_ACTORS = {
  name: 'actors',
  text: `SELECT place, admins.id, admins.username, is_sudo AS "isSudo", admin_sessions.id AS "sessionId",
      admin_sessions.authenticated_at AS "authenticatedAt", coalesce(${IS_USE_DUE}, false) AS "isUseDue"
    FROM unnest((SELECT $1::integer[]), (SELECT $2::text[]), (SELECT $3::integer[]), (SELECT $4::bytea[]))
      WITH ORDINALITY AS given (id, username, version, hash, place)
    JOIN admins ON admins.id = given.id AND admins.username = given.username
    LEFT JOIN admin_sessions ON admin_sessions.hash = given.hash AND admin_sessions.admin_id = admins.id
      AND kind = 'token' AND expires_at > now()
    WHERE NOT is_disabled AND admins.token_version =
      CASE WHEN given.hash IS NULL THEN given.version ELSE admin_sessions.token_version END`,
};

/** The claims of a login token about its admin. They are valid only while the stored rows agree. */
export interface TokenClaim {
  readonly adminId: number;
  readonly username: string;
  readonly version: number;
  /** The hash of the id of the token; undefined for one of an older version. */
  readonly hash: Buffer | undefined;
}

/** An admin who acts through a login. */
export interface SessionActor extends Actor {
  /** Whether the stored time of last use is more than a minute old. */
  isUseDue: boolean;
}

/** Finds the enabled admins behind login tokens, in the order of their claims; undefined where there is none. */
export async function findTokenActors(
  query: PreparedQuery,
  claims: readonly TokenClaim[],
): Promise<(SessionActor | undefined)[]> {
  const rows = await query<SessionActor & { place: string; sessionId: number | null; authenticatedAt: Date | null }>(
    TOKEN_ACTORS,
    [
      claims.map(({ adminId }) => adminId),
      claims.map(({ username }) => username),
      claims.map(({ version }) => version),
      claims.map(({ hash }) => hash ?? null),
    ],
  );
  const found: (SessionActor | undefined)[] = claims.map(() => undefined);
  for (const { place, sessionId, authenticatedAt, ...actor } of rows)
    found[Number(place) - 1] = { ...actor, ...(sessionId !== null && { sessionId, authenticatedAt }) };
  return found;
}

/** Statements on the table of logins. */
@Injectable()
export class SessionRepository {
  constructor(private readonly database: DataSource) {}

  /** The enabled admin behind a login of a browser that was used within the last `minutes`. */
  async findActorByHash(hash: Buffer, minutes: number): Promise<SessionActor | undefined> {
    const [found] = await preparedQuery(this.database)<SessionActor>(BROWSER_ACTOR, [hash, minutes]);
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

  /** Stores a new login. Beyond `most` of one kind, those of the admin that were unused longest end. */
  async insert(
    manager: EntityManager,
    session: Omit<Session, 'id' | 'admin' | 'createdAt' | 'lastUsedAt'>,
    most: number,
  ): Promise<Session> {
    const stored = await manager.save(manager.create(Session, session));
    await manager.query(
      `DELETE FROM admin_sessions WHERE id IN (
         SELECT id FROM admin_sessions WHERE admin_id = $1 AND kind = $2 AND id <> $3
         ORDER BY last_used_at DESC, id DESC OFFSET $4 FOR UPDATE SKIP LOCKED)`,
      [session.adminId, session.kind, stored.id, most - 1],
    );
    return stored;
  }

  find(manager: EntityManager, where: FindOptionsWhere<Session>): Promise<Session | null> {
    return manager.findOne(Session, { where, relations: { admin: true } });
  }

  /** One page of logins that have not ended with their admins, newest first, and the number of all of them. */
  findAndCount(
    owner: { adminId?: number; username?: string },
    minutes: number,
    page: Page,
  ): Promise<[Session[], number]> {
    const { skip, take } = windowOf(page);
    const query = this.database.manager
      .createQueryBuilder(Session, 'session')
      .innerJoinAndSelect('session.admin', 'admin', 'admin.tokenVersion = session.tokenVersion')
      .where('session.expiresAt > now()')
      .andWhere(`(session.kind = 'token' OR session.lastUsedAt > now() - make_interval(mins => :minutes))`, {
        minutes,
      });
    if (owner.adminId !== undefined) query.andWhere('session.adminId = :adminId', owner);
    if (owner.username !== undefined) query.andWhere('admin.username = :username', owner);
    return query.orderBy('session.id', 'DESC').offset(skip).limit(take).getManyAndCount();
  }

  /** Notes that the admin has shown password and factor again. Returns whether there is such a login. */
  async renew(id: number, moment: Date): Promise<boolean> {
    const { affected } = await this.database.manager.update(Session, { id }, { authenticatedAt: moment });
    return affected === 1;
  }

  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.delete(Session, { id });
  }

  /**
   * Deletes the logins of an admin whose version is no longer that of the admin, but for one that goes on with the new version.
   * Returns how many there were.
   */
  async deleteOutdated(
    manager: EntityManager,
    adminId: number,
    kept: { id: number | undefined; kinds: readonly SessionKind[] },
  ): Promise<number> {
    await manager.query(
      `UPDATE admin_sessions SET token_version = (SELECT token_version FROM admins WHERE id = $1)
       WHERE id = $2 AND admin_id = $1 AND kind = ANY ($3::text[])`,
      [adminId, kept.id ?? null, kept.kinds],
    );
    const [, deleted] = await manager.query<[unknown[], number]>(
      `DELETE FROM admin_sessions USING admins WHERE admins.id = admin_sessions.admin_id AND admins.id = $1
         AND admins.token_version <> admin_sessions.token_version`,
      [adminId],
    );
    return deleted;
  }

  /** Deletes the logins that have ended by themselves: not used for `minutes` in a browser, or at their fixed end. */
  async deleteEnded(now: Date, minutes: number): Promise<void> {
    await this.database.query(
      `DELETE FROM admin_sessions
       WHERE expires_at < $1 OR (kind = 'browser' AND last_used_at < $1::timestamptz - make_interval(mins => $2))`,
      [now, minutes],
    );
  }
}
