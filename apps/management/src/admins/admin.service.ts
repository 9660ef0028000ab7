import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../access/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { passwordProblem } from '../validation/password-rule.js';
import { AdminCreate, AdminFilter, AdminModify, type AdminView, type CheckedAdminView } from './admin.dto.js';
import { Admin } from './admin.entity.js';
import { ADMIN_ROW, type AdminRow, adminView, checkedAdminView, viewAdmin } from './admin.view.js';
import { modifiedAdmin, newAdmin } from './admin-modification.js';
import { adminOrderBy } from './admin-order.js';
import { AdminTrafficReset } from './admin-traffic-reset.entity.js';
import { findAdmin, isEnabledSudo, lockAdmin } from './find-admin.js';
import { forgetLoginFailures } from './passwords/login-throttle.js';
import { PasswordHasher } from './passwords/password-hasher.js';

/** Counted, so that not every one of them is sent. */
const LOCK_USERS = `
  WITH locked AS (SELECT id FROM users WHERE admin_id = $1 ORDER BY id FOR NO KEY UPDATE)
  SELECT count(*) FROM locked`;

@Injectable()
export class AdminService {
  constructor(
    private readonly database: DataSource,
    private readonly passwords: PasswordHasher,
  ) {}

  self(actor: Actor): Promise<AdminView> {
    return viewAdmin(this.database.manager, actor.id);
  }

  async list({ username, sort, offset, limit }: AdminFilter): Promise<AdminView[]> {
    const rows = await this.database.query<AdminRow[]>(
      `SELECT ${ADMIN_ROW} FROM admins WHERE strpos(lower(username), lower($1)) > 0
       ORDER BY ${adminOrderBy(sort)} OFFSET $2 LIMIT $3`,
      [username ?? '', offset ?? 0, limit || null],
    );
    return rows.map(adminView);
  }

  async create(request: AdminCreate): Promise<CheckedAdminView> {
    const passwordHash = await this.hashed(request.password, request.username);
    return this.database.transaction(async (manager) => {
      if (await manager.existsBy(Admin, { username: request.username })) throw new ManagementError('ADMIN_EXISTS');
      const { id } = await manager.save(manager.create(Admin, newAdmin(request, passwordHash)));
      return checkedAdminView(await recordCreation(manager, id));
    });
  }

  /** Makes a sudo admin when there is none; says whether it did. */
  async createFirst(username: string, password: string): Promise<boolean> {
    if (await this.database.manager.existsBy(Admin, { isSudo: true })) return false;
    const passwordHash = await this.hashed(password, username);
    return this.database.transaction(async (manager) => {
      // Of two replicas that start together the second finds the name taken.
      const { identifiers } = await manager
        .createQueryBuilder()
        .insert()
        .into(Admin)
        .values({ username, passwordHash, isSudo: true })
        .orIgnore()
        .execute();
      const id: unknown = identifiers[0]?.id;
      if (typeof id === 'number') await recordCreation(manager, id);
      return typeof id === 'number';
    });
  }

  async modify(username: string, change: AdminModify): Promise<CheckedAdminView> {
    const { password } = change;
    const passwordHash = typeof password === 'string' ? await this.hashed(password, username) : undefined;
    return this.database.transaction(async (manager) => {
      const { admin, isLastSudo } = await lockAdmin(manager, username);
      const before = await viewAdmin(manager, admin.id);
      const changed = modifiedAdmin(admin, change, passwordHash);
      if (isLastSudo && !isEnabledSudo(changed)) throw new ManagementError('ADMIN_IS_LAST_SUDO');
      await manager.update(Admin, { id: admin.id }, changed);
      if (passwordHash !== undefined) await forgetLoginFailures(manager, username);
      const after = await viewAdmin(manager, admin.id);
      await recordAudit(manager, {
        action: 'admin.modify',
        target: `admin/${username}`,
        before,
        after: { ...after, ...(password && { password }) },
      });
      return checkedAdminView(after);
    });
  }

  /** Users keep on without an admin. They come first, as where traffic is booked, so that the two cannot block each other. */
  async delete(username: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const { id } = await findAdmin(manager, username);
      const before = await viewAdmin(manager, id);
      await manager.query(LOCK_USERS, [id]);
      const { isLastSudo } = await lockAdmin(manager, username);
      if (isLastSudo) throw new ManagementError('ADMIN_IS_LAST_SUDO');
      await manager.query('UPDATE users SET admin_id = NULL WHERE admin_id = $1', [id]);
      await manager.delete(Admin, { id });
      await recordAudit(manager, { action: 'admin.delete', target: `admin/${username}`, before });
    });
  }

  /** The traffic of the admin's users counts from zero again; that of each user stays. */
  reset(username: string): Promise<AdminView> {
    return this.database.transaction(async (manager) => {
      const { admin } = await lockAdmin(manager, username);
      const { id, usedTraffic, pastTraffic } = admin;
      const before = await viewAdmin(manager, id);
      await manager.insert(AdminTrafficReset, { adminId: id, usedTraffic });
      const past = Math.min(pastTraffic + usedTraffic, Number.MAX_SAFE_INTEGER);
      await manager.update(Admin, { id }, { usedTraffic: 0, pastTraffic: past });
      const after = await viewAdmin(manager, id);
      await recordAudit(manager, { action: 'admin.reset', target: `admin/${username}`, before, after });
      return after;
    });
  }

  private async hashed(password: string, username: string): Promise<string> {
    const problem = passwordProblem(password, username);
    if (problem) throw invalidFields({ password: problem });
    return this.passwords.hash(password);
  }
}

async function recordCreation(manager: EntityManager, id: number): Promise<AdminView> {
  const after = await viewAdmin(manager, id);
  await recordAudit(manager, { action: 'admin.create', target: `admin/${after.username}`, after });
  return after;
}
