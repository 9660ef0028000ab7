import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { PasswordCheck, recordLoginFailure } from '../admins/passwords/password-check.js';
import type { Admin } from '../admins/store/admin.entity.js';
import { findActors } from '../admins/store/find-actors.js';
import { isApiToken } from '../api-tokens/api-token.js';
import { ApiTokenService } from '../api-tokens/api-token.service.js';
import { recordAudit } from '../audit/record-audit.js';
import { BatchLoader } from '../database/batch-loader.js';
import { withPreparedConnection } from '../database/prepared.js';
import { ManagementError } from '../errors/management-error.js';
import { AccessTokens, type TokenClaims } from './access-token.js';
import { Login, type TokenView } from './auth.dto.js';

/** Who may call the API: verifies logins and resolves tokens. */
@Injectable()
export class AuthService {
  private readonly actors: BatchLoader<TokenClaims, Actor>;

  constructor(
    private readonly database: DataSource,
    private readonly passwords: PasswordCheck,
    private readonly tokens: AccessTokens,
    private readonly apiTokens: ApiTokenService,
  ) {
    this.actors = new BatchLoader((work) =>
      withPreparedConnection(database, (query) => work((claims) => findActors(query, claims))),
    );
  }

  login(login: Login, ip: string): Promise<TokenView> {
    return this.passwords.withVerified(login, ip, (admin) => this.createLoginToken(admin, login.password));
  }

  /**
   * The admin behind an `Authorization` header. Name and access level come from the admin's row, so a change of the
   * admin invalidates the token.
   */
  async authenticate(authorization: string | undefined): Promise<Actor> {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const actor = token === undefined ? undefined : await this.actorOfToken(token);
    if (!actor) throw new ManagementError('UNAUTHENTICATED');
    return actor;
  }

  private async actorOfToken(token: string): Promise<Actor | undefined> {
    if (isApiToken(token)) return this.apiTokens.actorOfToken(token);
    const claims = await this.tokens.verifyToken(token);
    return claims && this.actors.load(claims);
  }

  private async createLoginToken(admin: Admin | undefined, password: string): Promise<TokenView> {
    if (!admin) throw new ManagementError('LOGIN_FAILED');
    const { manager } = this.database;
    if (admin.isDisabled) {
      await recordLoginFailure(manager, admin.username, 'admin_disabled');
      throw new ManagementError('ADMIN_DISABLED');
    }
    await this.passwords.renewHash(admin, password);
    const { id, username, isSudo, tokenVersion: version } = admin;
    const token = await this.tokens.signToken({ adminId: id, username, isSudo, version });
    await recordAudit(manager, { action: 'admin.login', target: `admin/${username}`, actor: admin });
    return { access_token: token, token_type: 'bearer' };
  }
}
