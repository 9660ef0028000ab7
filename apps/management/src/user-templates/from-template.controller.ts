import { Body, Controller, Param, Post, Put } from '@nestjs/common';
import { AnyAdmin, TellsSecrets } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { SerializedPerAdmin } from '../http/serialized-per-admin.js';
import { Versioned } from '../http/version.js';
import type { UserView } from '../users/view/user.dto.js';
import { type CreatedUsersView, UserByTemplate, UserFromTemplate, UsersFromTemplate } from './from-template.dto.js';
import { FromTemplateService } from './from-template.service.js';

@Controller('api')
export class FromTemplateController {
  constructor(private readonly users: FromTemplateService) {}

  /** Creates a user from a template. */
  @Post('user/from_template')
  @AnyAdmin()
  @TellsSecrets('users')
  create(@CurrentAdmin() actor: Actor, @Body() user: UserFromTemplate): Promise<UserView> {
    return this.users.create(actor, user);
  }

  /** Applies a template to a user: its groups, limits and status. The name, owner and credentials of the user stay. */
  @Versioned()
  @Put(['user/:username/from_template', 'user/from_template/:username'])
  @AnyAdmin()
  @TellsSecrets('users')
  modify(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Body() change: UserByTemplate,
  ): Promise<UserView> {
    return this.users.modify(actor, username, change);
  }

  /** Creates many users from a template, in one transaction. */
  @Post('users/bulk/from_template')
  @AnyAdmin()
  @SerializedPerAdmin()
  createMany(@CurrentAdmin() actor: Actor, @Body() users: UsersFromTemplate): Promise<CreatedUsersView> {
    return this.users.createMany(actor, users);
  }
}
