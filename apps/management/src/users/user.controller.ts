import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { AnyAdmin, TellsSecrets } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import type { BulkView } from '../bulk/bulk.view.js';
import { type Streamed, streamJsonList } from '../http/json-list.js';
import { SerializedPerAdmin } from '../http/serialized-per-admin.js';
import { Versioned } from '../http/version.js';
import { WithoutBody } from '../validation/reject-unknown-members.js';
import { UserService } from './change/user.service.js';
import { UserChangeService } from './change/user-change.service.js';
import { type DeletedUsersView, ExpiredUserFilter, ExpiredUserSelection } from './expired/expired-user.dto.js';
import { ExpiredUserService } from './expired/expired-user.service.js';
import { UserFilter } from './list/user-filter.dto.js';
import { UserListService } from './list/user-list.service.js';
import { UserCreate, type UserListView, UserModify, type UserView } from './view/user.dto.js';

@Controller('api')
export class UserController {
  constructor(
    private readonly users: UserService,
    private readonly changes: UserChangeService,
    private readonly lists: UserListService,
    private readonly expired: ExpiredUserService,
  ) {}

  /** Creates a user, who belongs to the caller. */
  @Versioned()
  @Post('user')
  @AnyAdmin()
  @TellsSecrets('users')
  create(@CurrentAdmin() actor: Actor, @Body() user: UserCreate): Promise<UserView> {
    return this.users.create(actor, user);
  }

  /** Returns one user. */
  @Versioned()
  @Get('user/:username')
  @AnyAdmin()
  @TellsSecrets('users')
  get(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<UserView> {
    return this.users.get(actor, username);
  }

  /** Changes a user. */
  @Versioned()
  @Put('user/:username')
  @AnyAdmin()
  @TellsSecrets('users')
  modify(
    @CurrentAdmin() actor: Actor,
    @Param('username') username: string,
    @Body() user: UserModify,
  ): Promise<UserView> {
    return this.changes.modify(actor, username, user);
  }

  /** Deletes a user and removes it from all nodes. */
  @Versioned()
  @Delete('user/:username')
  @AnyAdmin()
  @HttpCode(204)
  @TellsSecrets('users')
  delete(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<void> {
    return this.users.delete(actor, username);
  }

  /** Sets the traffic counter of a user to zero. */
  @Versioned()
  @Post('user/:username/reset')
  @AnyAdmin()
  @HttpCode(200)
  @TellsSecrets('users')
  reset(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<UserView> {
    return this.changes.reset(actor, username);
  }

  /** Gives a user a new subscription URL and new credentials; the old ones become invalid. */
  @Versioned()
  @Post('user/:username/revoke_sub')
  @AnyAdmin()
  @HttpCode(200)
  @TellsSecrets('users')
  revokeSubscription(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<UserView> {
    return this.changes.revokeSubscription(actor, username);
  }

  /** Begins the next plan of a user now. */
  @Versioned()
  @Post('user/:username/active_next')
  @AnyAdmin()
  @HttpCode(200)
  @TellsSecrets('users')
  activateNextPlan(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<UserView> {
    return this.changes.activateNextPlan(actor, username);
  }

  /** Lists users, in the order and window that the query asks for. With `fields` each user has only those members. */
  @Get('users')
  @AnyAdmin()
  @TellsSecrets('users')
  @Header('content-type', 'application/json; charset=utf-8')
  async list(@CurrentAdmin() actor: Actor, @Query() filter: UserFilter): Promise<Streamed<UserListView>> {
    return streamJsonList('users', await this.lists.list(actor, filter));
  }

  /** Lists the names of users whose end has passed. */
  @Get('users/expired')
  @AnyAdmin()
  listExpired(@CurrentAdmin() actor: Actor, @Query() filter: ExpiredUserFilter): Promise<string[]> {
    return this.expired.list(actor, filter);
  }

  /** Deletes users whose end has passed. */
  @Delete('users/expired')
  @AnyAdmin()
  @WithoutBody()
  @SerializedPerAdmin()
  deleteExpired(
    @CurrentAdmin() actor: Actor,
    @Query() selection: ExpiredUserSelection,
  ): Promise<DeletedUsersView | BulkView> {
    return this.expired.delete(actor, selection);
  }
}
