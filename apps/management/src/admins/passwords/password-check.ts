import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit, UNAUTHENTICATED_ACTOR } from '../../audit/record-audit.js';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import { ManagementError } from '../../errors/management-error.js';
import type { Admin } from '../store/admin.entity.js';
import { AdminRepository } from '../store/admin.repository.js';
import { LoginThrottle, type LoginTry } from './login-throttle.js';
import { PasswordHasher } from './password-hasher.js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Checks passwords of admins. Wrong ones count as failed logins, for the throttle and in the audit log. */
@Injectable()
export class PasswordCheck {
  private readonly turns = new KeyedMutex<string>();

  constructor(
    private readonly database: DataSource,
    private readonly admins: AdminRepository,
    private readonly passwords: PasswordHasher,
    private readonly throttle: LoginThrottle,
  ) {}

  /**
   * Calls `work` with the admin who has this name and password, or with undefined if there is none. Checks of one name
   * run one after the other, so that right passwords sent in parallel do not count as failures of each other.
   *
   * @param secondFactor throws a ManagementError for an admin whose password alone does not suffice
   */
  withVerified<T>(
    credentials: Credentials,
    ip: string,
    work: (admin: Admin | undefined) => Promise<T>,
    secondFactor: SecondFactor = async () => undefined,
  ): Promise<T> {
    return this.turns.run(credentials.username, async () => work(await this.verified(credentials, ip, secondFactor)));
  }

  /** Replaces the stored hash of an older kind by a new hash of the admin's right password. */
  async renewHash(admin: Admin, password: string): Promise<void> {
    if (!this.passwords.isOutdated(admin.passwordHash)) return;
    const renewed = await this.passwords.hash(password);
    await this.admins.replaceHash(this.database.manager, admin, renewed);
  }

  /**
   * A wrong code counts as a failed login. A login without any does not, but earlier failures stay counted: who knows the
   * password must not be able to guess codes without end.
   */
  private async checkSecondFactor(admin: Admin, attempt: LoginTry, secondFactor: SecondFactor): Promise<void> {
    try {
      await secondFactor(admin);
    } catch (error) {
      const isWrong = error instanceof ManagementError && error.code === 'TOTP_WRONG';
      if (isWrong) await recordLoginFailure(this.database.manager, admin.username, 'wrong_totp');
      else await this.throttle.takeBack(attempt);
      throw error;
    }
  }

  private async verified(
    { username, password }: Credentials,
    ip: string,
    secondFactor: SecondFactor,
  ): Promise<Admin | undefined> {
    const attempt = await this.throttle.begin(username, ip);
    const admin = await this.admins.findByTypedName(this.database.manager, username);
    const correct = await this.passwords.verify(admin?.passwordHash, password);
    if (!admin || !correct) {
      await recordLoginFailure(this.database.manager, admin?.username, admin ? 'wrong_password' : 'unknown_username');
      return undefined;
    }
    if (!admin.isDisabled) await this.checkSecondFactor(admin, attempt, secondFactor);
    await this.throttle.succeed(attempt);
    return admin;
  }
}

/** Throws a ManagementError where the password alone does not suffice. */
type SecondFactor = (admin: Admin) => Promise<void>;

/** Writes a failed login to the audit log. An unknown name is not written: people type passwords there by mistake. */
export function recordLoginFailure(
  manager: EntityManager,
  username: string | undefined,
  reason: 'wrong_password' | 'wrong_totp' | 'unknown_username' | 'admin_disabled',
): Promise<void> {
  return recordAudit(manager, {
    action: 'admin.login_failed',
    target: username === undefined ? 'admins' : `admin/${username}`,
    after: { reason },
    actor: UNAUTHENTICATED_ACTOR,
  });
}
