import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { preparedIn } from '../../database/prepared.js';
import { ManagementEnv } from '../../env/management-env.js';
import { ManagementError } from '../../errors/management-error.js';
import type { NewUserCheck } from '../../user-store/insert-users.js';
import { countOfNewNames, userCountOf } from '../../user-store/users-of-admin.js';

/** Finds an admin whose users would be too many with those that come: as many as `$3`, and new ones with the names of `$4`. */
const TOO_MANY = {
  name: 'user_limit',
  text: `SELECT admin.username, most, ${userCountOf('admin.id')} AS has
    FROM (SELECT id, username, coalesce(max_users, $2::integer) AS most FROM admins WHERE id = $1 AND NOT is_sudo) AS admin
    WHERE most > 0 AND most < ${userCountOf('admin.id')} + $3::integer + ${countOfNewNames('$4')}`,
};

/** How many users admins without sudo may have. Each way by which users come to an admin asks here. */
@Injectable()
export class UserLimit implements NewUserCheck {
  constructor(private readonly env: ManagementEnv) {}

  /**
   * Refuses new users whom an admin may not have; names that are taken do not count. The caller holds the revision counter, so
   * that no others come meanwhile.
   */
  async checkNew(manager: EntityManager, { id, isSudo }: Actor, names: readonly string[]): Promise<void> {
    if (id !== null && !isSudo) await this.check(manager, id, 0, names);
  }

  /** Refuses to give one more user to an admin who may not have it. The caller holds the revision counter. */
  async checkGiven(manager: EntityManager, adminId: number): Promise<void> {
    await this.check(manager, adminId, 1, []);
  }

  private async check(manager: EntityManager, adminId: number, given: number, names: readonly string[]): Promise<void> {
    const values = [adminId, this.env.adminUsers, given, names];
    const [full] = await preparedIn(manager)<{ username: string; most: number; has: string }>(TOO_MANY, values);
    if (!full) return;
    const { username, most, has } = full;
    throw new ManagementError('USER_LIMIT', `Admin ${username} may have at most ${most} users, and has ${has}`);
  }
}
