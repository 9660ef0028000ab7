import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor, isByApiToken } from '../access/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { checkVersion } from '../http/version.js';
import { lockUsersOfAdmin, releaseUsersOfAdmin } from '../user-store/users-of-admin.js';
import { passwordProblem } from '../validation/password-rule.js';
import {
  AdminCreate,
  AdminFilter,
  AdminModify,
  type AdminView,
  type CheckedAdminView,
  type OwnAdminView,
} from './admin.dto.js';
import { adminView, checkedAdminView } from './admin.view.js';
import { modifiedAdmin, newAdmin } from './admin-modification.js';
import { forgetOrigins } from './passwords/known-origins.js';
import { forgetLoginFailures } from './passwords/login-throttle.js';
import { PasswordHasher } from './passwords/password-hasher.js';
import { forgetPasswordsWithoutCode, PasswordsWithoutCode } from './passwords/passwords-without-code.js';
import { AdminRepository, isEnabledSudo } from './store/admin.repository.js';
import { CredentialChanges } from './store/credential-changes.js';

@Injectable()
export class AdminService {
  constructor(
    private readonly database: DataSource,
    private readonly admins: AdminRepository,
    private readonly passwords: PasswordHasher,
    private readonly changes: CredentialChanges,
    private readonly withoutCode: PasswordsWithoutCode,
  ) {}

  async self({ id, mustSetUpTotp = false }: Actor): Promise<OwnAdminView> {
    if (id === null) throw new ManagementError('ADMIN_NOT_NAMED');
    const view = await this.view(this.database.manager, id);
    return { ...view, must_set_up_totp: mustSetUpTotp, passwords_without_code: await this.withoutCode.shown(id) };
  }

  /** Forgets what the admin was told of logins with its password and without a code. */
  async forgetPasswordsWithoutCode({ id, username }: Actor): Promise<void> {
    if (id === null) throw new ManagementError('ADMIN_NOT_NAMED');
    await this.database.transaction(async (manager) => {
      await forgetPasswordsWithoutCode(manager, id);
      await recordAudit(manager, { action: 'admin.read_warnings', target: `admin/${username}` });
    });
  }

  async list(filter: AdminFilter): Promise<AdminView[]> {
    return (await this.admins.listRows(this.database.manager, filter)).map(adminView);
  }

  async create(request: AdminCreate): Promise<CheckedAdminView> {
    const passwordHash = await this.hashed(request.password, request.username);
    return this.database.transaction(async (manager) => {
      const id = await this.admins.insert(manager, newAdmin(request, passwordHash));
      return checkedAdminView(await this.recordCreation(manager, id));
    });
  }

  /** Creates a sudo admin if there is none, and returns whether it did. */
  async createFirst(username: string, password: string): Promise<boolean> {
    if (await this.admins.hasSudo(this.database.manager)) return false;
    const passwordHash = await this.hashed(password, username);
    return this.database.transaction(async (manager) => {
      const id = await this.admins.insertIfMissing(manager, { username, passwordHash, isSudo: true });
      if (id !== undefined) await this.recordCreation(manager, id);
      return id !== undefined;
    });
  }

  /** Changes an admin whom a path names, which may be the caller. */
  async modifyByName(actor: Actor, username: string, change: AdminModify): Promise<CheckedAdminView> {
    const { password, is_sudo: isSudo, is_disabled: isDisabled } = change;
    if (typeof password === 'string' || isSudo === false || isDisabled) checkMayReach(actor, username);
    return this.modify(username, change);
  }

  async modify(username: string, change: AdminModify): Promise<CheckedAdminView> {
    const { password } = change;
    const passwordHash = typeof password === 'string' ? await this.hashed(password, username) : undefined;
    return this.database.transaction(async (manager) => {
      const { admin, isLastSudo } = await this.admins.lock(manager, username);
      const before = await this.view(manager, admin.id);
      checkVersion(before);
      const changed = modifiedAdmin(admin, change, passwordHash);
      if (isLastSudo && !isEnabledSudo(changed)) throw new ManagementError('ADMIN_IS_LAST_SUDO');
      await this.admins.update(manager, admin.id, changed);
      if (passwordHash !== undefined) {
        await forgetLoginFailures(manager, admin);
        await forgetOrigins(manager, admin.id);
        await forgetPasswordsWithoutCode(manager, admin.id);
      }
      const revokesTokens = change.revoke_tokens ?? false;
      const keeps = changed.isDisabled || (admin.isSudo && !changed.isSudo) ? [] : (['browser'] as const);
      if (changed.tokenVersion !== admin.tokenVersion || revokesTokens)
        await this.changes.tell(manager, { adminId: admin.id, username, keeps, revokesTokens });
      const after = await this.view(manager, admin.id);
      await recordAudit(manager, {
        action: 'admin.modify',
        target: `admin/${username}`,
        before,
        after: { ...after, ...(password && { password }) },
      });
      return checkedAdminView(after);
    });
  }

  /**
   * Deletes an admin, whose users stay without an admin. The users are locked before the admin, as when traffic is
   * recorded, so that the two cannot block each other.
   */
  async delete(actor: Actor, username: string): Promise<void> {
    checkMayReach(actor, username);
    await this.database.transaction(async (manager) => {
      const { id } = await this.admins.find(manager, username);
      const before = await this.view(manager, id);
      await lockUsersOfAdmin(manager, id);
      const { isLastSudo } = await this.admins.lock(manager, username);
      checkVersion(await this.view(manager, id));
      if (isLastSudo) throw new ManagementError('ADMIN_IS_LAST_SUDO');
      await releaseUsersOfAdmin(manager, id);
      await this.admins.delete(manager, id);
      await recordAudit(manager, { action: 'admin.delete', target: `admin/${username}`, before });
    });
  }

  /** Sets the traffic counter of an admin to zero; the counters of its users stay. */
  reset(username: string): Promise<AdminView> {
    return this.database.transaction(async (manager) => {
      const { admin } = await this.admins.lock(manager, username);
      const before = await this.view(manager, admin.id);
      await this.admins.resetTraffic(manager, admin);
      const after = await this.view(manager, admin.id);
      await recordAudit(manager, { action: 'admin.reset', target: `admin/${username}`, before, after });
      return after;
    });
  }

  /** Returns an admin as this transaction has left it. */
  private async view(manager: EntityManager, id: number): Promise<AdminView> {
    return adminView(await this.admins.findRow(manager, id));
  }

  private async recordCreation(manager: EntityManager, id: number): Promise<AdminView> {
    const after = await this.view(manager, id);
    await recordAudit(manager, { action: 'admin.create', target: `admin/${after.username}`, after });
    return after;
  }

  private async hashed(password: string, username: string): Promise<string> {
    checkPassword(password, username);
    return this.passwords.hash(password);
  }
}

/** @throws ManagementError for a password that is easy to guess */
export function checkPassword(password: string, username: string): void {
  const problem = passwordProblem(password, username);
  if (problem) throw invalidFields({ password: problem });
}

/** Whoever has only a token must not take over or lock out the admin to whom it belongs. */
function checkMayReach(actor: Actor, username: string): void {
  if (isByApiToken(actor) && username === actor.username) throw new ManagementError('API_TOKEN_OWN_ADMIN');
}
