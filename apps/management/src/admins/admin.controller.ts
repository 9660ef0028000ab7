import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { AnyAdmin, ChangesIdentity, Sudo, TellsSecrets } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { Versioned } from '../http/version.js';
import {
  AdminCreate,
  AdminFilter,
  AdminModify,
  type AdminView,
  type CheckedAdminView,
  type OwnAdminView,
} from './admin.dto.js';
import { AdminService } from './admin.service.js';

@Controller('api')
export class AdminController {
  constructor(private readonly admins: AdminService) {}

  /** Returns the admin to whom the token belongs. */
  @Versioned()
  @Get('admin')
  @AnyAdmin()
  @TellsSecrets('admins')
  self(@CurrentAdmin() actor: Actor): Promise<OwnAdminView> {
    return this.admins.self(actor);
  }

  /** Empties the list of logins with the caller's password and without a code. */
  @Delete('admin/passwords-without-code')
  @AnyAdmin()
  @ChangesIdentity('any login')
  @HttpCode(204)
  forgetPasswordsWithoutCode(@CurrentAdmin() actor: Actor): Promise<void> {
    return this.admins.forgetPasswordsWithoutCode(actor);
  }

  /** Lists admins, with counts of their users. */
  @Get('admins')
  @Sudo()
  @TellsSecrets('admins')
  list(@Query() filter: AdminFilter): Promise<AdminView[]> {
    return this.admins.list(filter);
  }

  /** Creates an admin. */
  @Versioned()
  @Post('admin')
  @Sudo()
  @ChangesIdentity()
  @TellsSecrets('admins')
  create(@Body() admin: AdminCreate): Promise<CheckedAdminView> {
    return this.admins.create(admin);
  }

  /** Changes an admin. Its tokens become invalid with a new password, with a lost right and when it is disabled. */
  @Versioned()
  @Put('admin/:username')
  @Sudo()
  @ChangesIdentity()
  @TellsSecrets('admins')
  modify(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Body() change: AdminModify,
  ): Promise<CheckedAdminView> {
    return this.admins.modifyByName(actor, username, change);
  }

  /** Deletes an admin; its users stay without an admin. */
  @Versioned()
  @Delete('admin/:username')
  @Sudo()
  @ChangesIdentity()
  @HttpCode(204)
  @TellsSecrets('admins')
  delete(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<void> {
    return this.admins.delete(actor, username);
  }

  /** Sets the traffic counter of an admin to zero. The counters of its users stay. */
  @Post('admin/:username/reset')
  @Sudo()
  @HttpCode(200)
  @TellsSecrets('admins')
  reset(@Param('username') username: string): Promise<AdminView> {
    return this.admins.reset(username);
  }
}
