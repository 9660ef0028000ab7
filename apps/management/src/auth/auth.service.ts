import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Admin } from '../admins/admin.entity.js';
import { Batch } from '../database/batch.js';
import { onConnection, type PreparedQuery } from '../database/prepared.js';
import { ManagementError } from '../errors/management-error.js';
import { Turns } from '../http/turns.js';
import { AccessTokens, type TokenClaims } from './access-token.js';
import type { Actor } from './actor.js';
import { Login, type TokenView } from './auth.dto.js';
import { LoginThrottle } from './login-throttle.js';
import { PasswordHasher } from './password-hasher.js';

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
    const claims = token === undefined ? undefined : await this.tokens.read(token);
    const actor = claims && (await this.actors.answerTo(claims));
    if (!actor) throw new ManagementError('UNAUTHENTICATED');
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
