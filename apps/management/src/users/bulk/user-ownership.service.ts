import { Injectable } from '@nestjs/common';
import type { Actor } from '../../access/actor.js';
import { AdminRepository } from '../../admins/store/admin.repository.js';
import { UserLimit } from '../../admins/store/user-limit.js';
import { UserChangeService } from '../change/user-change.service.js';
import type { UserView } from '../view/user.dto.js';

/** Changes the admin to whom a user belongs. */
@Injectable()
export class UserOwnershipService {
  constructor(
    private readonly changes: UserChangeService,
    private readonly admins: AdminRepository,
    private readonly limit: UserLimit,
  ) {}

  setOwner(actor: Actor, username: string, adminUsername: string): Promise<UserView> {
    return this.changes.change(actor, username, 'set_owner', async (manager, user) => {
      const adminId = await this.admins.lockId(manager, adminUsername);
      if (adminId !== user.adminId) await this.limit.checkGiven(manager, adminId);
      return { adminId };
    });
  }
}
