import { Injectable } from '@nestjs/common';
import type { Actor } from '../../access/actor.js';
import { Admin } from '../../admins/admin.entity.js';
import { ManagementError } from '../../errors/management-error.js';
import { UserChangeService } from '../change/user-change.service.js';
import type { UserView } from '../view/user.dto.js';

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
