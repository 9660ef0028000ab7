import type { Readable } from 'node:stream';
import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AnyAdmin } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { Produces } from '../http/produces.js';
import { EventService } from './event.service.js';

@Controller('api')
export class EventController {
  constructor(private readonly events: EventService) {}

  /**
   * Streams what changes as server-sent events, from any replica, until the reader leaves or its login ends. `ready` begins a
   * stream; after it, and after `reset`, load again what is shown. `Last-Event-ID` goes on after an event.
   */
  @Get('events')
  @AnyAdmin()
  @Produces('text/event-stream')
  stream(
    @CurrentAdmin() actor: Actor,
    @Headers('last-event-id') lastId: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Readable {
    return this.events.open(actor, reply, lastId);
  }
}
