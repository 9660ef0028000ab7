import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { Admin } from '../admins/admin.entity.js';
import { LoginThrottle } from '../admins/passwords/login-throttle.js';
import { PasswordHasher } from '../admins/passwords/password-hasher.js';
import { isApiToken } from '../api-tokens/api-token.js';
import { ApiTokenService } from '../api-tokens/api-token.service.js';
import { recordAudit, UNAUTHENTICATED_ACTOR } from '../audit/record-audit.js';
import { Turns } from '../concurrency/turns.js';
import { Batch } from '../database/batch.js';
import { onConnection, type PreparedQuery } from '../database/prepared.js';
import { ManagementError } from '../errors/management-error.js';
import { AccessTokens, type TokenClaims } from './access-token.js';
import { Login, type TokenView } from './auth.dto.js';

/** Asked for with each request: in one query for all that come at once. */
const ACTORS = {
  name: 'actors',
  text: `SELECT place, admins.id, admins.username, is_sudo AS "isSudo"
    FROM unnest((SELECT $1::integer[]), (SELECT $2::text[]), (SELECT $3::integer[])) WITH ORDINALITY
      AS given (id, username, version, place)
    JOIN admins ON admins.id = given.id AND admins.username = given.username AND token_version = version
    WHERE NOT is_disabled`,
};

@Injectable()
export class AuthService {
  private readonly turns = new Turns<string>();
  private readonly actors: Batch<TokenClaims, Actor>;

  constructor(
    private readonly database: DataSource,
    private readonly passwords: PasswordHasher,
    private readonly tokens: AccessTokens,
    private readonly apiTokens: ApiTokenService,
    private readonly throttle: LoginThrottle,
  ) {
    this.actors = new Batch((work) => onConnection(database, (query) => work((claims) => findActors(query, claims))));
  }

  /** One by one for each name: right passwords that come at once do not count as failures of each other. */
  login(login: Login, ip: string): Promise<TokenView> {
    return this.turns.take(login.username, () => this.loginInTurn(login, ip));
  }

  /** The admin behind an `Authorization` header. Level, name and version are the row's: a token outlives no change. */
  async actorOf(authorization: string | undefined): Promise<Actor> {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const actor = token === undefined ? undefined : await this.actorBehind(token);
    if (!actor) throw new ManagementError('UNAUTHENTICATED');
    return actor;
  }

  private async actorBehind(token: string): Promise<Actor | undefined> {
    if (isApiToken(token)) return this.apiTokens.actorWith(token);
    const claims = await this.tokens.read(token);
    return claims && this.actors.answerTo(claims);
  }

  /** Whether the password is this admin's. Wrong ones count as failed logins, for the throttle and in the audit log. */
  isPasswordOf({ username }: Actor, password: string, ip: string): Promise<boolean> {
    return this.turns.take(username, async () => (await this.verified({ username, password }, ip)) !== undefined);
  }

  private async loginInTurn(login: Login, ip: string): Promise<TokenView> {
    const admin = await this.verified(login, ip);
    if (!admin) throw new ManagementError('LOGIN_FAILED');
    if (admin.isDisabled) {
      await this.recordFailure(admin.username, 'admin_disabled');
      throw new ManagementError('ADMIN_DISABLED');
    }
    await this.renewHash(admin, login.password);
    const { id, username, isSudo, tokenVersion: version } = admin;
    const token = await this.tokens.sign({ adminId: id, username, isSudo, version });
    await recordAudit(this.database.manager, { action: 'admin.login', target: `admin/${username}`, actor: admin });
    return { access_token: token, token_type: 'bearer' };
  }

  private async verified({ username, password }: Login, ip: string): Promise<Admin | undefined> {
    const attempt = await this.throttle.begin(username, ip);
    const admin = await this.database.manager.findOneBy(Admin, { username });
    const correct = await this.passwords.verify(admin?.passwordHash, password);
    if (!admin || !correct) {
      await this.recordFailure(admin?.username, admin ? 'wrong_password' : 'unknown_username');
      return undefined;
    }
    await this.throttle.succeed(attempt);
    return admin;
  }

  /** A name that is nobody's is not written down: people type passwords there by mistake. */
  private recordFailure(username: string | undefined, reason: string): Promise<void> {
    return recordAudit(this.database.manager, {
      action: 'admin.login_failed',
      target: username === undefined ? 'admins' : `admin/${username}`,
      after: { reason },
      actor: UNAUTHENTICATED_ACTOR,
    });
  }

  /** Not when somebody has changed the password in the meantime. */
  private async renewHash({ id, passwordHash }: Admin, password: string): Promise<void> {
    if (!this.passwords.isOutdated(passwordHash)) return;
    const renewed = await this.passwords.hash(password);
    await this.database.manager.update(Admin, { id, passwordHash }, { passwordHash: renewed });
  }
}

async function findActors(query: PreparedQuery, claims: readonly TokenClaims[]): Promise<(Actor | undefined)[]> {
  const rows = await query<Actor & { place: string }>(ACTORS, [
    claims.map(({ adminId }) => adminId),
    claims.map(({ username }) => username),
    claims.map(({ version }) => version),
  ]);
  const found: (Actor | undefined)[] = claims.map(() => undefined);
  for (const { place, id, username, isSudo } of rows) found[Number(place) - 1] = { id, username, isSudo };
  return found;
}
