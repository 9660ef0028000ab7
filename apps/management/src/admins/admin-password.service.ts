import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/actor.js';
import { invalidFields } from '../errors/management-error.js';
import { type CheckedAdminView, PasswordChange } from './admin.dto.js';
import { AdminService } from './admin.service.js';
import { PasswordCheck } from './passwords/password-check.js';

/** Changes an admin's own password. The present one is required, so that a stolen token is not enough. */
@Injectable()
export class AdminPasswordService {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly admins: AdminService,
  ) {}

  async change(actor: Actor, { current_password, password }: PasswordChange, ip: string): Promise<CheckedAdminView> {
    const credentials = { username: actor.username, password: current_password };
    if (!(await this.passwords.withVerified(credentials, ip, async (admin) => admin !== undefined)))
      throw invalidFields({ current_password: 'This is not your password' });
    return this.admins.modify(actor.username, { password });
  }
}
