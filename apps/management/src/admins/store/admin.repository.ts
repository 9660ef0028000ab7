import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ManagementError } from '../../errors/management-error.js';
import { userCountOf } from '../../user-store/users-of-admin.js';
import { isAdminName } from '../../validation/admin-name.js';
import { Admin } from './admin.entity.js';
import { adminOrderBy } from './admin-order.js';
import { AdminTrafficReset } from './admin-traffic-reset.entity.js';

/** The columns of an admin that requests write. */
export type AdminColumns = Partial<Omit<Admin, 'id'>>;

/** An admin with the number of its users, as the database has it: bytes and foreign ids as digits. */
export interface AdminRow {
  id: number;
  username: string;
  is_sudo: boolean;
  is_disabled: boolean;
  telegram_id: string | null;
  discord_id: string | null;
  discord_webhook: string | null;
  sub_domain: string | null;
  profile_title: string | null;
  support_url: string | null;
  sub_template: string | null;
  notification_enable: unknown;
  max_users: number | null;
  token_version: number;
  total_users: string;
  used_traffic: string;
  past_traffic: string;
}

export interface AdminSelection {
  /** A part of the name, in any case. */
  username?: string | undefined;
  /** Keys joined with commas, see `adminOrderBy`. */
  sort?: string | undefined;
  offset?: number | undefined;
  /** 0 or absent: no limit. */
  limit?: number | undefined;
}

export interface LockedAdmin {
  admin: Admin;
  /** True when no other sudo admin is enabled. */
  isLastSudo: boolean;
}

/**
 * Adds traffic to the counters of admins. `$1`: their ids, `$2`: the bytes of each one's users. Call it behind the change
 * of the users: rows are locked in the order users, then admins, and admins in the order of their ids.
 */
export const ADD_ADMIN_TRAFFIC = `
  WITH locked AS (
    SELECT admins.id, traffic.bytes
    FROM admins JOIN unnest($1::integer[], $2::numeric[]) AS traffic (id, bytes) ON traffic.id = admins.id
    ORDER BY admins.id FOR NO KEY UPDATE OF admins
  )
  UPDATE admins SET used_traffic = least(admins.used_traffic + locked.bytes, ${Number.MAX_SAFE_INTEGER})
  FROM locked WHERE admins.id = locked.id`;

const ADMIN_ROW = `admins.*, ${userCountOf('admins.id')} AS total_users`;

/** The statements on the tables of admins, each in the transaction of the caller. */
@Injectable()
export class AdminRepository {
  /** @throws ManagementError when no admin has this name */
  async find(manager: EntityManager, username: string): Promise<Admin> {
    // A path can contain a name that no column accepts; no admin has such a name.
    const admin = isAdminName(username) && (await manager.findOneBy(Admin, { username }));
    if (!admin) throw new ManagementError('ADMIN_NOT_FOUND');
    return admin;
  }

  /** Finds the admin of a name that somebody typed; undefined when there is none. */
  async findByTypedName(manager: EntityManager, username: string): Promise<Admin | undefined> {
    return (await manager.findOneBy(Admin, { username })) ?? undefined;
  }

  /** The highest cost of the bcrypt hashes that other systems have left; undefined when there is none. */
  async highestBcryptCost(manager: EntityManager): Promise<number | undefined> {
    const [row] = await manager.query<{ cost: number | null }[]>(
      `SELECT max(substr(password_hash, 5, 2)::integer) AS cost FROM admins WHERE password_hash ~ '^\\$2[abxy]\\$\\d\\d\\$'`,
    );
    return row?.cost ?? undefined;
  }

  async findRow(manager: EntityManager, id: number): Promise<AdminRow> {
    const [row] = await manager.query<AdminRow[]>(`SELECT ${ADMIN_ROW} FROM admins WHERE admins.id = $1`, [id]);
    if (!row) throw new ManagementError('ADMIN_NOT_FOUND');
    return row;
  }

  listRows(manager: EntityManager, { username, sort, offset, limit }: AdminSelection): Promise<AdminRow[]> {
    return manager.query(
      `SELECT ${ADMIN_ROW} FROM admins WHERE strpos(lower(username), lower($1)) > 0
       ORDER BY ${adminOrderBy(sort)} OFFSET $2 LIMIT $3`,
      [username ?? '', offset ?? 0, limit || null],
    );
  }

  /**
   * Finds an admin and locks the row until the transaction ends. The enabled sudo admins are locked too, in the order
   * of their ids, so that no two changes together can remove the last of them.
   */
  async lock(manager: EntityManager, username: string): Promise<LockedAdmin> {
    const { id } = await this.find(manager, username);
    const locked = await manager.find(Admin, {
      where: [{ id }, { isSudo: true, isDisabled: false }],
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    const admin = locked.find((one) => one.id === id);
    if (!admin) throw new ManagementError('ADMIN_NOT_FOUND');
    return { admin, isLastSudo: isEnabledSudo(admin) && locked.filter(isEnabledSudo).length === 1 };
  }

  /** Returns the id of an admin, who is locked against deletion until the transaction ends. */
  async lockId(manager: EntityManager, username: string): Promise<number> {
    const admin = await manager.findOne(Admin, { where: { username }, lock: { mode: 'for_key_share' } });
    if (!admin) throw new ManagementError('ADMIN_NOT_FOUND');
    return admin.id;
  }

  hasSudo(manager: EntityManager): Promise<boolean> {
    return manager.existsBy(Admin, { isSudo: true });
  }

  /** Returns the id of the new admin. @throws ManagementError when the name is taken */
  async insert(manager: EntityManager, columns: AdminColumns & Pick<Admin, 'username'>): Promise<number> {
    if (await manager.existsBy(Admin, { username: columns.username })) throw new ManagementError('ADMIN_EXISTS');
    return (await manager.save(manager.create(Admin, columns))).id;
  }

  /**
   * Returns the id of the new admin; undefined when the name is taken: of two replicas that start together only one
   * inserts.
   */
  async insertIfMissing(
    manager: EntityManager,
    columns: Pick<Admin, 'username' | 'passwordHash' | 'isSudo'>,
  ): Promise<number | undefined> {
    const { identifiers } = await manager
      .createQueryBuilder()
      .insert()
      .into(Admin)
      .values(columns)
      .orIgnore()
      .execute();
    const id: unknown = identifiers[0]?.id;
    return typeof id === 'number' ? id : undefined;
  }

  async update(manager: EntityManager, id: number, columns: AdminColumns): Promise<void> {
    await manager.update(Admin, { id }, columns);
  }

  /** Makes every login of an admin invalid, whose row is locked until the transaction ends. */
  async endLogins(manager: EntityManager, id: number): Promise<void> {
    await manager.increment(Admin, { id }, 'tokenVersion', 1);
  }

  /** Replaces a hash of a password, unless somebody has changed the password in the meantime. */
  async replaceHash(manager: EntityManager, { id, passwordHash }: Admin, renewed: string): Promise<void> {
    await manager.update(Admin, { id, passwordHash }, { passwordHash: renewed });
  }

  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.delete(Admin, { id });
  }

  /** Sets the traffic counter of a locked admin to zero; the counted bytes are logged and added to the total. */
  async resetTraffic(manager: EntityManager, { id, usedTraffic, pastTraffic }: Admin): Promise<void> {
    await manager.insert(AdminTrafficReset, { adminId: id, usedTraffic });
    const past = Math.min(pastTraffic + usedTraffic, Number.MAX_SAFE_INTEGER);
    await manager.update(Admin, { id }, { usedTraffic: 0, pastTraffic: past });
  }
}

export const isEnabledSudo = ({ isSudo, isDisabled }: Pick<Admin, 'isSudo' | 'isDisabled'>): boolean =>
  isSudo && !isDisabled;
