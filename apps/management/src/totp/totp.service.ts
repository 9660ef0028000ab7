import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { PasswordCheck } from '../admins/passwords/password-check.js';
import { AdminRepository } from '../admins/store/admin.repository.js';
import { recordAudit } from '../audit/record-audit.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { AtRestCipher } from '../keys/at-rest-cipher.js';
import type { RecoveryCodesView, TotpConfirmation, TotpEnrolment, TotpPassword, TotpView } from './totp.dto.js';
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
    await this.checkPassword(actor, password, ip);
    const secret = newTotpSecret();
    await this.database.transaction(async (manager) => {
      const isStored = await this.totps.savePending(manager, id, this.cipher.seal(secret, this.totps.contextOf(id)));
      if (!isStored) throw new ManagementError('TOTP_EXISTS');
      await recordAudit(manager, { action: 'admin.enrol_totp', target: `admin/${actor.username}` });
    });
    return { secret, url: totpUrl(secret, actor.username) };
  }

  /** Begins to ask for codes, once the admin has shown that the app has the secret. */
  confirm(actor: Actor, { code }: TotpConfirmation): Promise<RecoveryCodesView> {
    const id = idOf(actor);
    return this.database.transaction(async (manager) => {
      const totp = await this.totps.lock(manager, id);
      if (!totp) throw new ManagementError('TOTP_NOT_FOUND');
      if (isEnabled(totp)) throw new ManagementError('TOTP_EXISTS');
      const step = stepOfCode(this.secretOf(totp), code, Date.now());
      if (step === undefined || !(await this.totps.useStep(manager, id, step)))
        throw invalidFields({ code: 'This is not the code that the app shows now' });
      const recoveryCodes = newRecoveryCodes();
      await this.totps.confirm(manager, id, recoveryCodes.map(hashOfRecoveryCode));
      await recordAudit(manager, { action: 'admin.confirm_totp', target: `admin/${actor.username}` });
      return { recovery_codes: recoveryCodes };
    });
  }

  /** Removes the own second factor. */
  async disable(actor: Actor, { password }: TotpPassword, ip: string): Promise<void> {
    const id = idOf(actor);
    await this.checkPassword(actor, password, ip);
    await this.remove(id, actor.username);
  }

  /** Removes the second factor of an admin who has lost it. */
  async reset(username: string): Promise<void> {
    const { id } = await this.admins.find(this.database.manager, username);
    await this.remove(id, username);
  }

  /**
   * Checks the code of a login. A code is used up, so that nobody can repeat it.
   *
   * @throws ManagementError TOTP_REQUIRED without a code, TOTP_WRONG for a wrong or used one
   */
  async checkLogin(adminId: number, code: string | undefined): Promise<void> {
    const totp = await this.totps.find(this.database.manager, adminId);
    if (!totp || !isEnabled(totp)) return;
    if (code === undefined || code === '') throw new ManagementError('TOTP_REQUIRED');
    if (!(await this.database.transaction((manager) => this.use(manager, totp, code))))
      throw new ManagementError('TOTP_WRONG');
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

  private async remove(id: number, username: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (!(await this.totps.delete(manager, id))) throw new ManagementError('TOTP_NOT_FOUND');
      await recordAudit(manager, { action: 'admin.remove_totp', target: `admin/${username}` });
    });
  }

  private async checkPassword({ username }: Actor, password: string, ip: string): Promise<void> {
    const isRight = await this.passwords.withVerified({ username, password }, ip, async (admin) => admin !== undefined);
    if (!isRight) throw invalidFields({ password: 'This is not your password' });
  }
}

const isEnabled = (totp: Totp | null): boolean => totp?.confirmedAt != null;

/** Whoever uses the control socket is no admin of the database. */
function idOf({ id }: Actor): number {
  if (id === null) throw new ManagementError('ADMIN_NOT_NAMED');
  return id;
}
