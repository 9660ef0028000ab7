import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/actor.js';
import { invalidFields } from '../errors/management-error.js';
import { type CheckedAdminView, PasswordChange } from './admin.dto.js';
import { AdminService } from './admin.service.js';
import { PasswordCheck } from './passwords/password-check.js';

/** Admins change their own password, which takes the present one: a token that was stolen is not enough. */
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
