import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { LoginThrottle } from '../admins/passwords/login-throttle.js';
import { PasswordCheck } from '../admins/passwords/password-check.js';
import type { Admin } from '../admins/store/admin.entity.js';
import { AdminRepository } from '../admins/store/admin.repository.js';
import { CredentialChanges } from '../admins/store/credential-changes.js';
import { recordAudit } from '../audit/record-audit.js';
import { invalidFields, MANAGEMENT_ERRORS, ManagementError } from '../errors/management-error.js';
import { AtRestCipher } from '../keys/at-rest-cipher.js';
import { SessionService } from '../sessions/session.service.js';
import type {
  RecoveryCodesView,
  TotpConfirmation,
  TotpEnrolment,
  TotpPassword,
  TotpRemoval,
  TotpView,
} from './totp.dto.js';
import type { Totp } from './totp.entity.js';
import { TotpRepository } from './totp.repository.js';
import { hashOfRecoveryCode, isAppCode, newRecoveryCodes, newTotpSecret, stepOfCode, totpUrl } from './totp-codes.js';

/** The second factor of logins by password. */
@Injectable()
export class TotpService {
  private readonly logger = new Logger('Admins');

  constructor(
    private readonly database: DataSource,
    private readonly totps: TotpRepository,
    private readonly admins: AdminRepository,
    private readonly passwords: PasswordCheck,
    private readonly changes: CredentialChanges,
    private readonly sessions: SessionService,
    private readonly throttle: LoginThrottle,
    private readonly cipher: AtRestCipher,
  ) {}

  async view(actor: Actor): Promise<TotpView> {
    const totp = await this.totps.find(this.database.manager, idOf(actor));
    return {
      is_enabled: isEnabled(totp),
      is_pending: totp !== null && !isEnabled(totp),
      recovery_codes_left: totp?.recoveryHashes.length ?? 0,
    };
  }

  /** Gives out a secret, which has no effect until it is confirmed. */
  async enrol(actor: Actor, { password }: TotpPassword, ip: string): Promise<TotpEnrolment> {
    const id = idOf(actor);
    await this.prove(actor, { password }, ip, { isCodeNeeded: false });
    const secret = newTotpSecret();
    await this.database.transaction(async (manager) => {
      const isStored = await this.totps.savePending(manager, id, this.cipher.seal(secret, this.totps.contextOf(id)));
      if (!isStored) throw new ManagementError('TOTP_EXISTS');
      await recordAudit(manager, { action: 'admin.enrol_totp', target: `admin/${actor.username}` });
    });
    // There is no factor yet, so the password is all that a login shows.
    if (actor.sessionId !== undefined) await this.sessions.renew(actor);
    return { secret, url: totpUrl(secret, actor.username) };
  }

  /** Begins to ask for codes, once the admin has shown that the app has the secret. Wrong codes count as those of logins. */
  async confirm(actor: Actor, confirmation: TotpConfirmation): Promise<RecoveryCodesView> {
    const counted = await this.throttle.beginCode(idOf(actor));
    const wrong = invalidFields({ code: 'This is not the code that the app shows now' });
    let failure: unknown;
    try {
      return await this.database.transaction((manager) => this.confirmPending(manager, actor, confirmation, wrong));
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      if (failure !== wrong) await this.throttle.takeBack(counted);
    }
  }

  private async confirmPending(
    manager: EntityManager,
    actor: Actor,
    { code, revoke_tokens }: TotpConfirmation,
    wrong: ManagementError,
  ): Promise<RecoveryCodesView> {
    const id = idOf(actor);
    await this.admins.endLogins(manager, id);
    const totp = await this.totps.lock(manager, id);
    if (!totp) throw new ManagementError('TOTP_NOT_FOUND');
    if (isEnabled(totp)) throw new ManagementError('TOTP_EXISTS');
    const step = stepOfCode(this.secretOf(totp), code, Date.now());
    if (step === undefined || !(await this.totps.useStep(manager, id, step))) throw wrong;
    const recoveryCodes = newRecoveryCodes();
    await this.totps.confirm(manager, id, recoveryCodes.map(hashOfRecoveryCode));
    await this.tellOfChange(manager, { id, username: actor.username }, revoke_tokens);
    await recordAudit(manager, { action: 'admin.confirm_totp', target: `admin/${actor.username}` });
    return { recovery_codes: recoveryCodes };
  }

  /** Removes the own second factor. */
  async disable(actor: Actor, { password, code, revoke_tokens }: TotpRemoval, ip: string): Promise<void> {
    const id = idOf(actor);
    await this.prove(actor, { password, code }, ip, { code: 'code' });
    await this.remove({ id, username: actor.username }, revoke_tokens);
  }

  /** Removes the second factor of another admin who has lost it. */
  async reset(actor: Actor, username: string): Promise<void> {
    const admin = await this.admins.find(this.database.manager, username);
    if (admin.id === actor.id) throw new ManagementError('TOTP_OWN');
    await this.remove(admin, false);
  }

  /**
   * Checks the own password, and the code of the second factor if there is one. Wrong ones count as failed logins. What
   * `judge` refuses uses up no code, and is not looked at without the password.
   *
   * @throws ManagementError that names the field of the request that is wrong
   */
  async prove(
    actor: Actor,
    { password, code }: { password: string; code?: string | null | undefined },
    ip: string,
    fields: { password?: string; code?: string; isCodeNeeded?: boolean; judge?: () => void } = {},
  ): Promise<void> {
    const { password: passwordField = 'password', code: codeField = 'totp', isCodeNeeded = true } = fields;
    const secondFactor = async ({ id }: Admin, known?: string): Promise<void> => {
      fields.judge?.();
      if (isCodeNeeded || code) await this.checkLogin(id, code ?? undefined, known);
    };
    const credentials = { username: actor.username, password };
    const isRight = await this.passwords
      .withVerified(credentials, ip, async (admin) => admin !== undefined, secondFactor)
      .catch((error) => {
        throw inField(error, codeField);
      });
    if (!isRight) throw invalidFields({ [passwordField]: 'This is not your password' });
  }

  /**
   * Checks the code of a login. A code is used up, so that nobody can repeat it, and counted before that, so that nobody can
   * guess for long.
   *
   * @param known the browser or the network, where the admin has logged in from there before
   * @throws ManagementError TOTP_REQUIRED without a code, TOTP_WRONG for a wrong or used one, LOGIN_THROTTLED after many
   */
  async checkLogin(adminId: number, code: string | undefined, known?: string): Promise<void> {
    const totp = await this.totps.find(this.database.manager, adminId);
    if (!totp || !isEnabled(totp)) return;
    if (code === undefined || code === '') throw new ManagementError('TOTP_REQUIRED');
    const counted = await this.throttle.beginCode(adminId, known);
    let isWrong = false;
    try {
      isWrong = !(await this.database.transaction((manager) => this.use(manager, totp, code)));
    } finally {
      if (!isWrong) await this.throttle.takeBack(counted);
    }
    if (isWrong) throw new ManagementError('TOTP_WRONG');
  }

  private async use(manager: EntityManager, totp: Totp, code: string): Promise<boolean> {
    if (!isAppCode(code)) return this.totps.useRecoveryCode(manager, totp.adminId, hashOfRecoveryCode(code));
    const step = stepOfCode(this.secretOf(totp), code, Date.now());
    return step !== undefined && this.totps.useStep(manager, totp.adminId, step);
  }

  private secretOf({ adminId, secretEncrypted }: Totp): string {
    try {
      return this.cipher.open(secretEncrypted, this.totps.contextOf(adminId));
    } catch {
      this.logger.error(`the second factor of admin ${adminId} does not open with the present at-rest key`);
      throw new ManagementError('TOTP_CLOSED');
    }
  }

  private async remove(
    admin: Pick<Admin, 'id' | 'username'>,
    revokesTokens: boolean | null | undefined,
  ): Promise<void> {
    const { id, username } = admin;
    await this.database.transaction(async (manager) => {
      await this.admins.endLogins(manager, id);
      if (!(await this.totps.delete(manager, id))) throw new ManagementError('TOTP_NOT_FOUND');
      await this.tellOfChange(manager, admin, revokesTokens);
      await recordAudit(manager, { action: 'admin.remove_totp', target: `admin/${username}` });
    });
  }

  private tellOfChange(
    manager: EntityManager,
    { id, username }: Pick<Admin, 'id' | 'username'>,
    revokesTokens: boolean | null | undefined,
  ): Promise<void> {
    const keeps = ['browser', 'token'] as const;
    return this.changes.tell(manager, { adminId: id, username, keeps, revokesTokens: revokesTokens ?? false });
  }
}

/** Errors of codes as an error of the field in which the code stands; every other error as it is. */
function inField(error: unknown, field: string): unknown {
  const code = error instanceof ManagementError ? error.code : undefined;
  if (code === 'TOTP_REQUIRED')
    return invalidFields({ [field]: 'Send the code that the app shows now, or a recovery code' });
  if (code === 'TOTP_WRONG') return invalidFields({ [field]: MANAGEMENT_ERRORS.TOTP_WRONG.message });
  return error;
}

const isEnabled = (totp: Totp | null): boolean => totp?.confirmedAt != null;

/** Whoever uses the control socket is no admin of the database. */
function idOf({ id }: Actor): number {
  if (id === null) throw new ManagementError('ADMIN_NOT_NAMED');
  return id;
}
