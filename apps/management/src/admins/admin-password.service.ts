import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/actor.js';
import { AuthService } from '../auth/auth.service.js';
import { invalidFields } from '../errors/management-error.js';
import { type CheckedAdminView, PasswordChange } from './admin.dto.js';
import { AdminService } from './admin.service.js';

/** Admins change their own password, which takes the present one: a token that was stolen is not enough. */
@Injectable()
export class AdminPasswordService {
  constructor(
    private readonly auth: AuthService,
    private readonly admins: AdminService,
  ) {}

  async change(actor: Actor, { current_password, password }: PasswordChange, ip: string): Promise<CheckedAdminView> {
    if (!(await this.auth.isPasswordOf(actor, current_password, ip)))
      throw invalidFields({ current_password: 'This is not your password' });
    return this.admins.modify(actor.username, { password });
  }
}
