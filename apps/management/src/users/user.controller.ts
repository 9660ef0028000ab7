import type { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { AnyAdmin } from '../auth/access-level.js';
import { type Actor, CurrentAdmin } from '../auth/actor.js';
import { jsonList } from '../http/json-list.js';
import { Page } from '../http/page.js';
import { UserCreate, type UserView } from './user.dto.js';
import { UserService } from './user.service.js';

@Controller('api')
export class UserController {
  constructor(private readonly users: UserService) {}

  @Post('user')
  @AnyAdmin()
  create(@CurrentAdmin() actor: Actor, @Body() user: UserCreate): Promise<UserView> {
    return this.users.create(actor, user);
  }

  @Get('user/:username')
  @AnyAdmin()
  get(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<UserView> {
    return this.users.get(actor, username);
  }

  @Get('users')
  @AnyAdmin()
  @Header('content-type', 'application/json; charset=utf-8')
  async list(@CurrentAdmin() actor: Actor, @Query() page: Page): Promise<Readable> {
    return jsonList('users', await this.users.list(actor, page));
  }

  @Delete('user/:username')
  @AnyAdmin()
  @HttpCode(204)
  delete(@CurrentAdmin() actor: Actor, @Param('username') username: string): Promise<void> {
    return this.users.delete(actor, username);
  }
}
