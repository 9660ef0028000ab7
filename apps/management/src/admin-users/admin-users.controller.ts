import { Controller, Delete, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Sudo } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import type { BulkView } from '../bulk/bulk.view.js';
import { DryRunQuery } from '../http/dry-run.js';
import { WithoutBody } from '../validation/reject-unknown-members.js';
import { AdminUsersService } from './admin-users.service.js';

@Controller('api')
export class AdminUsersController {
  constructor(private readonly users: AdminUsersService) {}

  /** Disables all users of an admin who are active or on hold. */
  @Post('admin/:username/users/disable')
  @Sudo()
  @WithoutBody()
  @HttpCode(200)
  disableUsers(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Query() query: DryRunQuery,
  ): Promise<BulkView> {
    return this.users.disable(actor, username, query);
  }

  /** Enables all disabled users of an admin; each gets the status that follows from its terms. */
  @Post('admin/:username/users/activate')
  @Sudo()
  @WithoutBody()
  @HttpCode(200)
  activateUsers(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Query() query: DryRunQuery,
  ): Promise<BulkView> {
    return this.users.activate(actor, username, query);
  }

  /** Deletes all users of an admin. */
  @Delete('admin/:username/users')
  @Sudo()
  @WithoutBody()
  deleteUsers(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Query() query: DryRunQuery,
  ): Promise<BulkView> {
    return this.users.delete(actor, username, query);
  }
}
