import { Body, Controller, HttpCode, Ip, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnyAdmin, ChangesIdentity, Public, TellsSecrets } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { type CheckedAdminView, PasswordChange } from '../admins/admin.dto.js';
import type { SessionView } from '../sessions/session.dto.js';
import { Login, StepUp, type TokenView } from './auth.dto.js';
import { AuthService } from './auth.service.js';

@Controller('api/admin')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  /** Logs in an admin. After too many failed logins the answer is 429 with `Retry-After`. */
  @Post('token')
  @Public()
  @HttpCode(200)
  login(@Body() login: Login, @Req() request: FastifyRequest): Promise<TokenView> {
    return this.auth.login(login, request);
  }

  /**
   * Logs in an admin in a browser: the answer sets a cookie instead of returning a token. Requests that change something
   * with it need the header `x-rampart-dashboard`, and so does this one.
   */
  @Post('session')
  @Public()
  @HttpCode(200)
  async beginSession(
    @Body() login: Login,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const { cookie, view } = await this.auth.beginSession(login, request);
    reply.header('set-cookie', cookie);
    return view;
  }

  /**
   * Makes the login of this request count as new for ten minutes, in which it may change admins, second factors, API tokens and
   * connections of nodes. A wrong password or code counts as a failed login.
   */
  @Post('step-up')
  @AnyAdmin()
  @HttpCode(204)
  stepUp(@CurrentAdmin() actor: Actor, @Body() body: StepUp, @Ip() ip: string): Promise<void> {
    return this.auth.stepUp(actor, body, ip);
  }

  /** Changes the caller's own password; all its logins become invalid, but for the browser that makes the change. */
  @Put()
  @AnyAdmin()
  @ChangesIdentity('body')
  @TellsSecrets('admins')
  changePassword(
    @CurrentAdmin() actor: Actor,
    @Body() change: PasswordChange,
    @Ip() ip: string,
  ): Promise<CheckedAdminView> {
    return this.auth.changePassword(actor, change, ip);
  }
}
