import type { FastifyReply } from 'fastify';

/** Whether an answer is a stream of events, which goes on for as long as its reader wants. */
export const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream');
