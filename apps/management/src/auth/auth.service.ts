import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Admin } from '../admins/admin.entity.js';
import { ManagementError } from '../errors/management-error.js';
import { Keys } from '../keys/keys.js';
import { readAccessToken, signAccessToken } from './access-token.js';
import type { Actor } from './actor.js';
import { Login, type TokenView } from './auth.dto.js';
import { PasswordHasher } from './password-hasher.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly database: DataSource,
    private readonly passwords: PasswordHasher,
    private readonly keys: Keys,
  ) {}

  async login({ username, password }: Login): Promise<TokenView> {
    const admin = await this.database.manager.findOneBy(Admin, { username });
    const correct = await this.passwords.verify(admin?.passwordHash, password);
    if (!admin || !correct) throw new ManagementError('LOGIN_FAILED');
    if (admin.isDisabled) throw new ManagementError('ADMIN_DISABLED');
    const { id: adminId, isSudo, tokenVersion: version } = admin;
    const token = await signAccessToken(this.keys.jwt, { adminId, username, isSudo, version });
    return { access_token: token, token_type: 'bearer' };
  }

  /** The admin behind an `Authorization` header. Level, name and version are the row's: a token outlives no change. */
  async actorOf(authorization: string | undefined): Promise<Actor> {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const claims = token === undefined ? undefined : await readAccessToken(this.keys.jwt, token);
    const admin = claims && (await this.database.manager.findOneBy(Admin, { id: claims.adminId }));
    if (!admin || admin.isDisabled || admin.tokenVersion !== claims.version || admin.username !== claims.username) {
      throw new ManagementError('UNAUTHENTICATED');
    }
    return { id: admin.id, username: admin.username, isSudo: admin.isSudo };
  }
}
