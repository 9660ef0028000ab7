import { Controller, Delete, Get, HttpCode, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnyAdmin, ChangesIdentity } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { IdPipe } from '../validation/pipes/id.pipe.js';
import { type EndedSessionsView, SessionFilter, type SessionListView, SessionOwner } from './session.dto.js';
import { SessionService } from './session.service.js';
import { SessionCookies } from './session-cookie.js';

@Controller('api')
export class SessionController {
  constructor(
    private readonly sessions: SessionService,
    private readonly cookies: SessionCookies,
  ) {}

  /** Ends the login that the request uses: the session of this browser, whose cookie is removed, or a login token. */
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

  /** Lists logins: sessions of browsers, and login tokens of programs. An admin who is not sudo gets only its own. */
  @Get('admin/sessions')
  @AnyAdmin()
  list(@CurrentAdmin() actor: Actor, @Query() filter: SessionFilter): Promise<SessionListView> {
    return this.sessions.list(actor, filter);
  }

  /** Ends all logins of the caller but for the one that the request uses, or all of another admin. An API token ends none of its own admin. */
  @Delete('admin/sessions')
  @AnyAdmin()
  @ChangesIdentity('any login')
  endAll(@CurrentAdmin() actor: Actor, @Query() owner: SessionOwner): Promise<EndedSessionsView> {
    return this.sessions.endAll(actor, owner);
  }

  /** Ends a login: the session of a browser, or a login token. An API token ends none of its own admin. */
  @Delete('session/:session_id')
  @AnyAdmin()
  @ChangesIdentity('any login')
  @HttpCode(204)
  end(@CurrentAdmin() actor: Actor, @Param('session_id', IdPipe) id: number): Promise<void> {
    return this.sessions.end(actor, id);
  }
}
