import type { EntityManager } from 'typeorm';
import { ManagementError } from '../errors/management-error.js';
import { adminNameProblem } from '../validation/admin-name.js';
import { Admin } from './admin.entity.js';

export async function findAdmin(manager: EntityManager, username: string): Promise<Admin> {
  // A path can hold what no column can: such a name is nobody's.
  const known = adminNameProblem(username) === undefined;
  const admin = known && (await manager.findOneBy(Admin, { username }));
  if (!admin) throw new ManagementError('ADMIN_NOT_FOUND');
  return admin;
}

export interface LockedAdmin {
  admin: Admin;
  /** No other sudo admin is enabled. */
  isLastSudo: boolean;
}

/**
 * The same, and nobody else changes it before the transaction ends. The enabled sudo admins are locked with it, in the
 * order of their ids, so that no two changes together can leave none of them.
 */
export async function lockAdmin(manager: EntityManager, username: string): Promise<LockedAdmin> {
  const { id } = await findAdmin(manager, username);
  const locked = await manager.find(Admin, {
    where: [{ id }, { isSudo: true, isDisabled: false }],
    order: { id: 'ASC' },
    lock: { mode: 'for_no_key_update' },
  });
  const admin = locked.find((one) => one.id === id);
  if (!admin) throw new ManagementError('ADMIN_NOT_FOUND');
  return { admin, isLastSudo: isEnabledSudo(admin) && locked.filter(isEnabledSudo).length === 1 };
}

export const isEnabledSudo = ({ isSudo, isDisabled }: Pick<Admin, 'isSudo' | 'isDisabled'>): boolean =>
  isSudo && !isDisabled;
