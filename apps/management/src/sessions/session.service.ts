import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource, type FindOptionsWhere, MoreThan } from 'typeorm';
import { type Actor, reachedBy } from '../access/actor.js';
import type { Admin } from '../admins/store/admin.entity.js';
import { recordAudit } from '../audit/record-audit.js';
import { ManagementEnv } from '../env/management-env.js';
import { ManagementError } from '../errors/management-error.js';
import { SessionFilter, type SessionListView, type SessionView } from './session.dto.js';
import type { Session } from './session.entity.js';
import { SessionRepository } from './session.repository.js';
import { hashOfSession, newSessionSecret } from './session-cookie.js';

const MINUTE_MS = 60_000;
const MAX_ADDRESS = 64;
const MAX_USER_AGENT = 256;

/** Logins of admins in browsers. */
@Injectable()
export class SessionService {
  constructor(
    private readonly database: DataSource,
    private readonly sessions: SessionRepository,
    private readonly env: ManagementEnv,
  ) {}

  /** The admin behind the secret of a session; undefined when it has ended. */
  async actorOf(secret: string, use: 'used' | 'unused' = 'used'): Promise<Actor | undefined> {
    const found = await this.sessions.findActorByHash(hashOfSession(secret), this.env.sessionMinutes);
    if (!found) return undefined;
    const { isUseDue, ...actor } = found;
    if (isUseDue && use === 'used') await this.sessions.touch(actor.sessionId);
    return actor;
  }

  /** Begins a session of an admin who has logged in. */
  async begin(admin: Admin, { ip, headers }: FastifyRequest): Promise<{ secret: string; view: SessionView }> {
    const secret = newSessionSecret();
    const session = {
      adminId: admin.id,
      hash: hashOfSession(secret),
      tokenVersion: admin.tokenVersion,
      address: ip.slice(0, MAX_ADDRESS),
      userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
    };
    return this.database.transaction(async (manager) => {
      const stored = await this.sessions.insert(manager, session);
      await recordAudit(manager, { action: 'admin.login', target: `admin/${admin.username}`, actor: admin });
      return { secret, view: sessionView({ ...stored, admin }, stored.id) };
    });
  }

  /** Lists sessions that have not ended. */
  async list(actor: Actor, { admin, ...page }: SessionFilter): Promise<SessionListView> {
    const used = MoreThan(new Date(Date.now() - this.env.sessionMinutes * MINUTE_MS));
    const where = { lastUsedAt: used, ...reachedBy(actor), ...(admin && { admin: { username: admin } }) };
    const [sessions, total] = await this.sessions.findAndCount(where, page);
    return { sessions: sessions.map((session) => sessionView(session, actor.sessionId)), total };
  }

  /** Ends the session that the request uses. */
  async endOwn({ sessionId }: Actor): Promise<void> {
    if (sessionId === undefined) throw new ManagementError('SESSION_NOT_FOUND');
    await this.endWhere({ id: sessionId });
  }

  /** Ends a session of the caller, or, for sudo admins, any. */
  end(actor: Actor, id: number): Promise<void> {
    return this.endWhere({ id, ...reachedBy(actor) });
  }

  private async endWhere(where: FindOptionsWhere<Session>): Promise<void> {
    await this.database.transaction(async (manager) => {
      const session = await this.sessions.find(manager, where);
      if (!session) throw new ManagementError('SESSION_NOT_FOUND');
      await this.sessions.delete(manager, session.id);
      const { is_current, ...before } = sessionView(session, undefined);
      await recordAudit(manager, { action: 'session.end', target: `session/${session.id}`, before });
    });
  }
}

const sessionView = (
  { id, admin, address, userAgent, createdAt, lastUsedAt }: Session,
  current: number | undefined,
): SessionView => ({
  id,
  admin: admin.username,
  address,
  user_agent: userAgent,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt.toISOString(),
  is_current: id === current,
});
