import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { isFresh } from '../access/fresh-login.js';
import type { CheckedAdminView, PasswordChange } from '../admins/admin.dto.js';
import { AdminService, checkPassword } from '../admins/admin.service.js';
import { deviceCookie, deviceOf } from '../admins/passwords/device-cookie.js';
import { KnownOrigins } from '../admins/passwords/known-origins.js';
import { PasswordCheck, recordLoginFailure, type SecondFactor } from '../admins/passwords/password-check.js';
import type { Admin } from '../admins/store/admin.entity.js';
import { isApiToken } from '../api-tokens/api-token.js';
import { ApiTokenService } from '../api-tokens/api-token.service.js';
import { recordAudit } from '../audit/record-audit.js';
import { BatchLoader } from '../database/batch-loader.js';
import { withPreparedConnection } from '../database/prepared.js';
import { ManagementEnv } from '../env/management-env.js';
import { ManagementError } from '../errors/management-error.js';
import { isForHttps, originOf, publicUrl } from '../http/public-url.js';
import type { SessionView } from '../sessions/session.dto.js';
import { findTokenActors, type SessionActor, type TokenClaim } from '../sessions/session.repository.js';
import { hashOfTokenId, SessionService } from '../sessions/session.service.js';
import { checkOwnPage, SessionCookies } from '../sessions/session-cookie.js';
import { TotpService } from '../totp/totp.service.js';
import { AccessTokens } from './access-token.js';
import { Login, type StepUp, type TokenView } from './auth.dto.js';

/** Who may call the API: verifies logins and resolves tokens. */
@Injectable()
export class AuthService {
  private readonly actors: BatchLoader<TokenClaim, SessionActor>;

  constructor(
    private readonly database: DataSource,
    private readonly passwords: PasswordCheck,
    private readonly admins: AdminService,
    private readonly tokens: AccessTokens,
    private readonly apiTokens: ApiTokenService,
    private readonly sessions: SessionService,
    private readonly cookies: SessionCookies,
    private readonly totps: TotpService,
    private readonly origins: KnownOrigins,
    private readonly env: ManagementEnv,
  ) {
    this.actors = new BatchLoader((work) =>
      withPreparedConnection(database, (query) => work((claims) => findTokenActors(query, claims))),
    );
  }

  async login(login: Login, request: FastifyRequest): Promise<TokenView> {
    this.checkOwnOrigin(request);
    return this.passwords.withVerified(
      login,
      request.ip,
      (admin) => this.createLoginToken(admin, login.password, request),
      this.secondFactor(login),
    );
  }

  /**
   * The admin behind an `Authorization` header. Name and access level come from the admin's row, so a change of the
   * admin invalidates the token.
   */
  async authenticate(
    authorization: string | undefined,
    address: string,
    use: 'used' | 'unused' = 'used',
  ): Promise<Actor> {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const actor = token === undefined ? undefined : await this.actorOfToken(token, address, use);
    if (!actor) throw new ManagementError('UNAUTHENTICATED');
    return actor;
  }

  /** The admin behind the session cookie of a request, which must come from a page of this management to change anything. */
  async authenticateBrowser(request: FastifyRequest, use: 'used' | 'unused' = 'used'): Promise<Actor> {
    const actors: Actor[] = [];
    for (const secret of this.cookies.secretsOf(request)) {
      const actor = await this.sessions.actorOf(secret, use);
      if (actor) actors.push(actor);
    }
    const [actor] = actors;
    // Over plain HTTP a sister site can add a cookie of its own: a browser must not act as another admin than it shows.
    if (!actor || actors.some(({ id }) => id !== actor.id)) throw new ManagementError('UNAUTHENTICATED');
    checkOwnPage(request);
    return actor;
  }

  /** Logs in an admin in a browser, and returns the cookie to set. */
  async beginSession(login: Login, request: FastifyRequest): Promise<{ cookie: string[]; view: SessionView }> {
    // Otherwise another site could log a browser in as somebody else.
    checkOwnPage(request);
    const begin = async (found: Admin | undefined) => {
      const admin = await this.admitted(found, login.password);
      const { secret, view } = await this.sessions.begin(admin, request);
      return { cookie: [...this.cookies.set(secret, request), await this.deviceCookie(admin, request)], view };
    };
    return this.passwords.withVerified(login, request.ip, begin, this.secondFactor(login));
  }

  /** Takes password and factor of a login that is older than what it wants to change allows. */
  async stepUp(actor: Actor, { password, totp }: StepUp, ip: string): Promise<void> {
    await this.totps.prove(actor, { password, code: totp }, ip);
    await this.sessions.renew(actor);
    await recordAudit(this.database.manager, { action: 'admin.step_up', target: `admin/${actor.username}` });
  }

  /** Changes the own password. The present one is required, so that a stolen token is not enough. */
  async changePassword(
    actor: Actor,
    { current_password, password, totp, revoke_tokens }: PasswordChange,
    ip: string,
  ): Promise<CheckedAdminView> {
    const proof = { password: current_password, code: totp };
    await this.totps.prove(actor, proof, ip, {
      password: 'current_password',
      isCodeNeeded: !isFresh(actor),
      judge: () => checkPassword(password, actor.username),
    });
    return this.admins.modify(actor.username, { password, revoke_tokens });
  }

  private async actorOfToken(token: string, address: string, use: 'used' | 'unused'): Promise<Actor | undefined> {
    if (isApiToken(token)) return this.apiTokens.actorOfToken(token, address, use);
    const claims = await this.tokens.verifyToken(token);
    if (!claims) return undefined;
    const { id, issuedAt, ...claim } = claims;
    const found = await this.actors.load({ ...claim, hash: id === undefined ? undefined : hashOfTokenId(id) });
    const actor = found && (await this.sessions.used(found, use));
    // A token without a stored login shows the moment of the login itself.
    return actor && issuedAt && actor.sessionId === undefined ? { ...actor, authenticatedAt: issuedAt } : actor;
  }

  /**
   * Refuses a login that the page of another site sends: it would count as one that failed from the network of whoever opens the
   * page. Programs say neither where they come from nor what for.
   */
  private checkOwnOrigin({ headers: { origin, host, 'sec-fetch-site': site } }: FastifyRequest): void {
    if (site === 'same-origin' || site === 'none' || (site === undefined && origin === undefined)) return;
    const { corsOrigins = [] } = this.env;
    const isKnown = origin !== undefined && corsOrigins.includes(origin);
    const isOwn =
      site === undefined &&
      [publicUrl(this.env), `http://${host}`, `https://${host}`].some((url) => originOf(url) === origin);
    if (!isKnown && !isOwn)
      throw new ManagementError(
        'CROSS_SITE',
        'Pages of other sites log in only where RAMPART_CORS_ORIGINS names their origin',
      );
  }

  private secondFactor({ totp }: Login): SecondFactor {
    return ({ id }, known) => this.totps.checkLogin(id, totp ?? undefined, known);
  }

  /** The cookie by which this browser can log in again, whatever strangers do to the name meanwhile. */
  private async deviceCookie({ id }: Admin, request: FastifyRequest): Promise<string> {
    const secret = await this.origins.rememberDevice(id, deviceOf(request));
    return deviceCookie(secret, isForHttps(this.env, request));
  }

  private async createLoginToken(
    found: Admin | undefined,
    password: string,
    request: FastifyRequest,
  ): Promise<TokenView> {
    const admin = await this.admitted(found, password);
    const id = await this.sessions.beginToken(admin, request);
    const { username, isSudo, tokenVersion: version } = admin;
    const token = await this.tokens.signToken({ adminId: admin.id, username, isSudo, version, id });
    return { access_token: token, token_type: 'bearer' };
  }

  /** Returns the admin who may log in. @throws ManagementError `LOGIN_FAILED` or `ADMIN_DISABLED` */
  private async admitted(admin: Admin | undefined, password: string): Promise<Admin> {
    if (!admin) throw new ManagementError('LOGIN_FAILED');
    if (admin.isDisabled) {
      await recordLoginFailure(this.database.manager, admin.username, 'admin_disabled');
      throw new ManagementError('ADMIN_DISABLED');
    }
    await this.passwords.renewHash(admin, password);
    return admin;
  }
}
