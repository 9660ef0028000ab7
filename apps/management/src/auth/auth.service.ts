import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Admin } from '../admins/admin.entity.js';
import { preparedQuery } from '../database/prepared.js';
import { ManagementError } from '../errors/management-error.js';
import { Turns } from '../http/turns.js';
import { AccessTokens, type TokenClaims } from './access-token.js';
import type { Actor } from './actor.js';
import { Login, type TokenView } from './auth.dto.js';
import { LoginThrottle } from './login-throttle.js';
import { PasswordHasher } from './password-hasher.js';

/** Asked for with each request. */
const ACTOR = {
  name: 'actor',
  text: `SELECT id, username, is_sudo AS "isSudo" FROM admins
    WHERE id = $1 AND username = $2 AND token_version = $3 AND NOT is_disabled`,
};

@Injectable()
export class AuthService {
  private readonly turns = new Turns<string>();

  constructor(
    private readonly database: DataSource,
    private readonly passwords: PasswordHasher,
    private readonly tokens: AccessTokens,
    private readonly throttle: LoginThrottle,
  ) {}

  /** One by one for each name: right passwords that come at once do not count as failures of each other. */
  login(login: Login, ip: string): Promise<TokenView> {
    return this.turns.take(login.username, () => this.loginInTurn(login, ip));
  }

  /** The admin behind an `Authorization` header. Level, name and version are the row's: a token outlives no change. */
  async actorOf(authorization: string | undefined): Promise<Actor> {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const claims = token === undefined ? undefined : await this.tokens.read(token);
    const actor = claims && (await this.actorWith(claims));
    if (!actor) throw new ManagementError('UNAUTHENTICATED');
    return actor;
  }

  private async actorWith({ adminId, username, version }: TokenClaims): Promise<Actor | undefined> {
    const [actor] = await preparedQuery(this.database)<Actor>(ACTOR, [adminId, username, version]);
    return actor;
  }

  private async loginInTurn({ username, password }: Login, ip: string): Promise<TokenView> {
    const attempt = await this.throttle.begin(username, ip);
    const admin = await this.database.manager.findOneBy(Admin, { username });
    const correct = await this.passwords.verify(admin?.passwordHash, password);
    if (!admin || !correct) throw new ManagementError('LOGIN_FAILED');
    await this.throttle.succeed(attempt);
    if (admin.isDisabled) throw new ManagementError('ADMIN_DISABLED');
    await this.renewHash(admin, password);
    const { id: adminId, isSudo, tokenVersion: version } = admin;
    return { access_token: await this.tokens.sign({ adminId, username, isSudo, version }), token_type: 'bearer' };
  }

  /** Not when somebody has changed the password in the meantime. */
  private async renewHash({ id, passwordHash }: Admin, password: string): Promise<void> {
    if (!this.passwords.isOutdated(passwordHash)) return;
    const renewed = await this.passwords.hash(password);
    await this.database.manager.update(Admin, { id, passwordHash }, { passwordHash: renewed });
  }
}
