import { Injectable } from '@nestjs/common';
import { Admin } from '../../admins/admin.entity.js';
import type { Actor } from '../../auth/actor.js';
import { ManagementError } from '../../errors/management-error.js';
import type { UserView } from '../user.dto.js';
import { UserChangeService } from '../user-change.service.js';

/** Gives users to other admins. */
@Injectable()
export class UserOwnershipService {
  constructor(private readonly changes: UserChangeService) {}

  setOwner(actor: Actor, username: string, adminUsername: string): Promise<UserView> {
    return this.changes.change(actor, username, 'set_owner', async (manager) => {
      const admin = await manager.findOne(Admin, {
        where: { username: adminUsername },
        lock: { mode: 'for_key_share' },
      });
      if (!admin) throw new ManagementError('ADMIN_NOT_FOUND');
      return { adminId: admin.id };
    });
  }
}
