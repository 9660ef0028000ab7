import { Body, Controller, HttpCode, Ip, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../access/access-level.js';
import type { SessionView } from '../sessions/session.dto.js';
import { Login, type TokenView } from './auth.dto.js';
import { AuthService } from './auth.service.js';

@Controller('api/admin')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  /** Logs in an admin. After too many failed logins the answer is 429 with `Retry-After`. */
  @Post('token')
  @Public()
  @HttpCode(200)
  login(@Body() login: Login, @Ip() ip: string): Promise<TokenView> {
    return this.auth.login(login, ip);
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
}
