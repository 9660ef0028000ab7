import { Body, Controller, Delete, Get, HttpCode, Ip, Param, Post, Put, Query } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { AdminUsersService } from '../admin-users/admin-users.service.js';
import type { BulkView } from '../bulk/bulk-view.js';
import { WithoutBody } from '../validation/only-known.js';
import {
  AdminCreate,
  AdminFilter,
  AdminModify,
  type AdminView,
  type CheckedAdminView,
  PasswordChange,
} from './admin.dto.js';
import { AdminService } from './admin.service.js';
import { AdminPasswordService } from './admin-password.service.js';

@Controller('api')
export class AdminController {
  constructor(
    private readonly admins: AdminService,
    private readonly passwords: AdminPasswordService,
    private readonly users: AdminUsersService,
  ) {}

  /** The admin to whom the token belongs. */
  @Get('admin')
  @AnyAdmin()
  self(@CurrentAdmin() actor: Actor): Promise<AdminView> {
    return this.admins.self(actor);
  }

  /** Changes the caller's own password, which ends all its logins. */
  @Put('admin')
  @AnyAdmin()
  changePassword(
    @CurrentAdmin() actor: Actor,
    @Body() change: PasswordChange,
    @Ip() ip: string,
  ): Promise<CheckedAdminView> {
    return this.passwords.change(actor, change, ip);
  }

  /** Admins, with counts of their users. */
  @Get('admins')
  @Sudo()
  list(@Query() filter: AdminFilter): Promise<AdminView[]> {
    return this.admins.list(filter);
  }

  /** Creates an admin. */
  @Post('admin')
  @Sudo()
  create(@Body() admin: AdminCreate): Promise<CheckedAdminView> {
    return this.admins.create(admin);
  }

  /** Changes an admin. A new password, a lost right and disabling end its tokens. */
  @Put('admin/:username')
  @Sudo()
  modify(@Param('username') username: string, @Body() change: AdminModify): Promise<CheckedAdminView> {
    return this.admins.modify(username, change);
  }

  /** Deletes an admin; its users stay and belong to nobody. */
  @Delete('admin/:username')
  @Sudo()
  @HttpCode(204)
  delete(@Param('username') username: string): Promise<void> {
    return this.admins.delete(username);
  }

  /** Sets the traffic counter of an admin to zero. Its users keep theirs. */
  @Post('admin/:username/reset')
  @Sudo()
  @HttpCode(200)
  reset(@Param('username') username: string): Promise<AdminView> {
    return this.admins.reset(username);
  }

  /** Disables all users of an admin who are active or on hold. */
  @Post('admin/:username/users/disable')
  @Sudo()
  @WithoutBody()
  @HttpCode(200)
  disableUsers(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<BulkView> {
    return this.users.disable(actor, username);
  }

  /** Enables all disabled users of an admin; they become what their terms say. */
  @Post('admin/:username/users/activate')
  @Sudo()
  @WithoutBody()
  @HttpCode(200)
  activateUsers(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<BulkView> {
    return this.users.activate(actor, username);
  }

  /** Deletes all users of an admin. */
  @Delete('admin/:username/users')
  @Sudo()
  @WithoutBody()
  deleteUsers(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<BulkView> {
    return this.users.delete(actor, username);
  }
}
