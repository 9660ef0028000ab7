import { Controller, Delete, Get, HttpCode, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnyAdmin } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { IdPipe } from '../validation/pipes/id.pipe.js';
import { SessionFilter, type SessionListView } from './session.dto.js';
import { SessionService } from './session.service.js';
import { SessionCookies } from './session-cookie.js';

@Controller('api')
export class SessionController {
  constructor(
    private readonly sessions: SessionService,
    private readonly cookies: SessionCookies,
  ) {}

  /** Ends the session of this browser, and removes its cookie. */
  @Delete('admin/session')
  @AnyAdmin()
  @HttpCode(204)
  async endOwn(
    @CurrentAdmin() actor: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.endOwn(actor);
    reply.header('set-cookie', this.cookies.remove(request));
  }

  /** Lists the sessions of browsers. An admin who is not sudo gets only its own. */
  @Get('admin/sessions')
  @AnyAdmin()
  list(@CurrentAdmin() actor: Actor, @Query() filter: SessionFilter): Promise<SessionListView> {
    return this.sessions.list(actor, filter);
  }

  /** Ends a session. */
  @Delete('session/:session_id')
  @AnyAdmin()
  @HttpCode(204)
  end(@CurrentAdmin() actor: Actor, @Param('session_id', IdPipe) id: number): Promise<void> {
    return this.sessions.end(actor, id);
  }
}
