import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from '@nestjs/common';
import { isRequestId, REQUEST_ID_HEADER } from '@rampart/node-client';
import { networkMatcher, withRequestId } from '@rampart/program';
import type { FastifyInstance } from 'fastify';

/** Returns the function that gives each request its id: that of a trusted proxy where it is well-formed, else a new one. */
export function requestIds(trustedProxies: readonly string[] | undefined): (request: IncomingMessage) => string {
  if (trustedProxies === undefined) return () => randomUUID();
  const isTrusted = networkMatcher(trustedProxies);
  return ({ headers, socket }) => {
    const given = headers[REQUEST_ID_HEADER];
    const isUsable = typeof given === 'string' && isRequestId(given) && isTrusted(socket.remoteAddress ?? '');
    return isUsable ? given : randomUUID();
  };
}

/** Logs a line for each answered request on the level `debug`. It has the pattern of the route, not the path with its secrets. */
export function logRequests(server: FastifyInstance, logger: Logger): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, actor, id } = request;
    const who = actor === undefined ? '' : ` by ${actor.username}`;
    const route = routeOptions.url ?? 'unknown route';
    const line = `${method} ${route} ${reply.statusCode} in ${Math.round(reply.elapsedTime)} ms${who}`;
    withRequestId(id, () => logger.debug(line));
    done();
  });
}
