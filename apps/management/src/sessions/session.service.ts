import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource, type FindOptionsWhere } from 'typeorm';
import { type Actor, isByApiToken, reachedBy } from '../access/actor.js';
import { requestContext } from '../access/request-context.js';
import type { Admin } from '../admins/store/admin.entity.js';
import { AdminRepository } from '../admins/store/admin.repository.js';
import { CredentialChanges } from '../admins/store/credential-changes.js';
import { recordAudit } from '../audit/record-audit.js';
import { ManagementEnv } from '../env/management-env.js';
import { ManagementError } from '../errors/management-error.js';
import {
  type EndedSessionsView,
  SessionFilter,
  type SessionListView,
  SessionOwner,
  type SessionView,
} from './session.dto.js';
import type { Session, SessionKind } from './session.entity.js';
import { type SessionActor, SessionRepository } from './session.repository.js';
import { hashOfSession, newSessionSecret } from './session-cookie.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MAX_ADDRESS = 64;
const MAX_USER_AGENT = 256;
const TOKEN_ID_BYTES = 16;
/** So many logins of one admin go on; those that were unused longest end. Some programs log in for each of their runs. */
const MOST: Readonly<Record<SessionKind, number>> = { browser: 20, token: 1000 };

/** The hash under which the login of a token is stored. Its id is signed, and random so that no id is ever given twice. */
export const hashOfTokenId = (id: string): Buffer => createHash('sha256').update(id).digest();

/** Logins of admins: in browsers, and of programs with login tokens. */
@Injectable()
export class SessionService {
  constructor(
    private readonly database: DataSource,
    private readonly sessions: SessionRepository,
    private readonly admins: AdminRepository,
    private readonly env: ManagementEnv,
    changes: CredentialChanges,
  ) {
    changes.listen((manager, { adminId, keeps }) =>
      this.sessions.deleteOutdated(manager, adminId, { id: requestContext()?.actor?.sessionId, kinds: keeps }),
    );
  }

  /** The admin behind the secret of a session; undefined when it has ended. */
  async actorOf(secret: string, use: 'used' | 'unused' = 'used'): Promise<Actor | undefined> {
    const found = await this.sessions.findActorByHash(hashOfSession(secret), this.env.sessionMinutes);
    return found && this.used(found, use);
  }

  /** The admin who acts through a login, whose use is noted. */
  async used({ isUseDue, ...actor }: SessionActor, use: 'used' | 'unused'): Promise<Actor> {
    if (isUseDue && use === 'used' && actor.sessionId !== undefined) await this.sessions.touch(actor.sessionId);
    return actor;
  }

  /** Begins a session of an admin who has logged in with a browser. */
  async begin(admin: Admin, request: FastifyRequest): Promise<{ secret: string; view: SessionView }> {
    const secret = newSessionSecret();
    const stored = await this.insert(admin, request, {
      kind: 'browser',
      hash: hashOfSession(secret),
      lifetimeMs: this.env.sessionDays * DAY_MS,
    });
    return { secret, view: sessionView({ ...stored, admin }, stored.id) };
  }

  /** Notes the login of a program, and returns the id of the token that it gets. */
  async beginToken(admin: Admin, request: FastifyRequest): Promise<string> {
    const id = randomBytes(TOKEN_ID_BYTES).toString('base64url');
    const lifetimeMs = this.env.tokenMinutes * MINUTE_MS;
    await this.insert(admin, request, { kind: 'token', hash: hashOfTokenId(id), lifetimeMs });
    return id;
  }

  /** Lists logins that have not ended. */
  async list(actor: Actor, { admin, ...page }: SessionFilter): Promise<SessionListView> {
    const owner = { ...reachedBy(actor), ...(admin && { username: admin }) };
    const [sessions, total] = await this.sessions.findAndCount(owner, this.env.sessionMinutes, page);
    return { sessions: sessions.map((session) => sessionView(session, actor.sessionId)), total };
  }

  /** Notes that the admin has shown password and factor again. @throws ManagementError where the request has no login */
  async renew({ sessionId }: Actor): Promise<void> {
    const isRenewed = sessionId !== undefined && (await this.sessions.renew(sessionId, new Date(Date.now())));
    if (!isRenewed) throw new ManagementError('SESSION_NOT_FOUND');
  }

  /** Ends the login that the request uses. */
  async endOwn(actor: Actor): Promise<void> {
    if (actor.sessionId === undefined) throw new ManagementError('SESSION_NOT_FOUND');
    await this.endWhere({ id: actor.sessionId }, actor);
  }

  /** Ends a login of the caller, or, for sudo admins, any. */
  end(actor: Actor, id: number): Promise<void> {
    return this.endWhere({ id, ...reachedBy(actor) }, actor);
  }

  /** Ends all logins of the caller but for the one that the request uses, or, for sudo admins, all of another admin. */
  async endAll(actor: Actor, { admin: named }: SessionOwner): Promise<EndedSessionsView> {
    const username = named ?? actor.username;
    if (username !== actor.username && !actor.isSudo) throw new ManagementError('FORBIDDEN');
    if (username === actor.username && actor.id === null) throw new ManagementError('ADMIN_NOT_NAMED');
    checkMayEnd(actor, username);
    return this.database.transaction(async (manager) => {
      const { id } = await this.admins.find(manager, username);
      await this.admins.endLogins(manager, id);
      const kept = { id: actor.sessionId, kinds: ['browser', 'token'] } as const;
      const ended = await this.sessions.deleteOutdated(manager, id, kept);
      await recordAudit(manager, {
        action: 'session.end_all',
        target: `admin/${username}`,
        before: { sessions: ended },
      });
      return { ended };
    });
  }

  private insert(
    admin: Admin,
    { ip, headers }: FastifyRequest,
    { kind, hash, lifetimeMs }: Pick<Session, 'kind' | 'hash'> & { lifetimeMs: number },
  ): Promise<Session> {
    const now = Date.now();
    const session = {
      adminId: admin.id,
      kind,
      hash,
      tokenVersion: admin.tokenVersion,
      address: ip.slice(0, MAX_ADDRESS),
      userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
      authenticatedAt: new Date(now),
      expiresAt: new Date(now + lifetimeMs),
    };
    return this.database.transaction(async (manager) => {
      const stored = await this.sessions.insert(manager, session, MOST[kind]);
      const actor = { id: admin.id, username: admin.username, sessionId: stored.id };
      await recordAudit(manager, { action: 'admin.login', target: `admin/${admin.username}`, actor });
      return stored;
    });
  }

  private async endWhere(where: FindOptionsWhere<Session>, actor: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      const session = await this.sessions.find(manager, where);
      if (!session) throw new ManagementError('SESSION_NOT_FOUND');
      checkMayEnd(actor, session.admin.username);
      await this.sessions.delete(manager, session.id);
      const { is_current, ...before } = sessionView(session, undefined);
      await recordAudit(manager, { action: 'session.end', target: `session/${session.id}`, before });
    });
  }
}

/** Whoever has only a token must not keep its admin from revoking it. */
function checkMayEnd(actor: Actor, username: string): void {
  if (isByApiToken(actor) && username === actor.username) throw new ManagementError('API_TOKEN_OWN_ADMIN');
}

const sessionView = (session: Session, current: number | undefined): SessionView => ({
  id: session.id,
  admin: session.admin.username,
  kind: session.kind,
  address: session.address,
  user_agent: session.userAgent,
  created_at: session.createdAt.toISOString(),
  last_used_at: session.lastUsedAt.toISOString(),
  authenticated_at: session.authenticatedAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
  is_current: session.id === current,
});
