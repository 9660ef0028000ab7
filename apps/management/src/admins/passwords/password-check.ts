import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { clientSignal, currentRequest } from '../../access/request-context.js';
import { recordAudit, UNAUTHENTICATED_ACTOR } from '../../audit/record-audit.js';
import { ManagementError, type ManagementErrorCode } from '../../errors/management-error.js';
import type { Admin } from '../store/admin.entity.js';
import { AdminRepository } from '../store/admin.repository.js';
import { deviceOf } from './device-cookie.js';
import { KnownOrigins } from './known-origins.js';
import { siteOf } from './login-networks.js';
import { LoginQueue } from './login-queue.js';
import { LoginThrottle, type LoginTry } from './login-throttle.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordsWithoutCode } from './passwords-without-code.js';
import { UnknownNames } from './unknown-names.js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** So many logins wait for their turn: the last of them for seconds. */
const MOST_WAITING = 32;

/** Checks passwords of admins. Wrong ones count as failed logins, for the throttle and in the audit log. */
@Injectable()
export class PasswordCheck {
  private readonly queue = new LoginQueue(MOST_WAITING);

  constructor(
    private readonly database: DataSource,
    private readonly admins: AdminRepository,
    private readonly passwords: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly origins: KnownOrigins,
    private readonly unknownNames: UnknownNames,
    private readonly withoutCode: PasswordsWithoutCode,
  ) {}

  /**
   * Calls `work` with the admin who has this name and password, or with undefined if there is none. Checks run one after the
   * other, so that right passwords sent in parallel do not count as failures of each other.
   *
   * @param secondFactor throws a ManagementError for an admin whose password alone does not suffice
   */
  async withVerified<T>(
    credentials: Credentials,
    ip: string,
    work: (admin: Admin | undefined) => Promise<T>,
    secondFactor: SecondFactor = async () => undefined,
  ): Promise<T> {
    const { username } = credentials;
    const known = await this.origins.find(username, ip, deviceOf(currentRequest()));
    const attempt = this.throttle.attempt(username, ip, known);
    await this.throttle.check(attempt);
    const caller = {
      origin: known ?? siteOf(ip),
      admin: known === undefined ? undefined : username,
      signal: clientSignal(),
    };
    return work(
      await this.queue.run(caller, () => this.verified({ ...credentials, ip, known }, attempt, secondFactor)),
    );
  }

  /** Replaces the stored hash of an older kind by a new hash of the admin's right password. */
  async renewHash(admin: Admin, password: string): Promise<void> {
    if (!this.passwords.isOutdated(admin.passwordHash)) return;
    const renewed = await this.passwords.hash(password);
    await this.admins.replaceHash(this.database.manager, admin, renewed);
  }

  private async verified(
    { username, password, ip, known }: Credentials & { readonly ip: string; readonly known: string | undefined },
    attempt: LoginTry,
    secondFactor: SecondFactor,
  ): Promise<Admin | undefined> {
    const { manager } = this.database;
    await this.throttle.begin(attempt);
    const admin = await this.admins.findByTypedName(manager, username);
    const bcryptCost = await this.admins.highestBcryptCost(manager);
    const correct = await this.passwords.verify(admin?.passwordHash, password, bcryptCost);
    if (!admin || !correct) {
      // Both are one transaction, so that their time does not tell which names exist.
      if (admin) await this.database.transaction((own) => recordLoginFailure(own, admin.username, 'wrong_password'));
      else await this.unknownNames.record(ip);
      return undefined;
    }
    // It stays counted, because each one is an entry in the log.
    if (admin.isDisabled) return admin;
    try {
      await secondFactor(admin, known);
    } catch (error) {
      await this.countFailedFactor(admin, ip, attempt, error);
      throw error;
    }
    await this.throttle.succeed(attempt);
    await this.withoutCode.followed(admin.id, ip);
    await this.origins.remember(admin.id, ip);
    return admin;
  }

  /** A wrong code counts as a failed login, and so does a right password without one until a login with a code follows. */
  private async countFailedFactor(admin: Admin, ip: string, attempt: LoginTry, error: unknown): Promise<void> {
    const code: ManagementErrorCode | undefined = error instanceof ManagementError ? error.code : undefined;
    if (code === 'TOTP_WRONG') await recordLoginFailure(this.database.manager, admin.username, 'wrong_totp');
    else if (code === 'TOTP_REQUIRED') {
      await this.throttle.lackCode(attempt);
      await this.withoutCode.record(admin.id, ip);
    } else if (code !== 'LOGIN_THROTTLED') await this.throttle.takeBack(attempt);
  }
}

/**
 * Throws a ManagementError where the password alone does not suffice.
 *
 * @param known the browser or the network, where the admin has logged in from there before
 */
export type SecondFactor = (admin: Admin, known?: string) => Promise<void>;

/** Writes a failed login of an admin to the audit log. */
export function recordLoginFailure(
  manager: EntityManager,
  username: string,
  reason: 'wrong_password' | 'wrong_totp' | 'admin_disabled',
): Promise<void> {
  return recordAudit(manager, {
    action: 'admin.login_failed',
    target: `admin/${username}`,
    after: { reason },
    actor: UNAUTHENTICATED_ACTOR,
  });
}
