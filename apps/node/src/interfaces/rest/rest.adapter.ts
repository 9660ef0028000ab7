import { FastifyAdapter } from '@nestjs/platform-fastify';
import { MAX_MESSAGE_BYTES } from '@rampart/node-client';
import type { Peer } from '@rampart/program';
import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerFactory } from 'fastify';
import { NodeError } from '../../errors/node-error.js';
import { type Authenticate, UNAUTHENTICATED_MESSAGE } from '../auth/authenticator.js';
import { sendError } from '../error.filter.js';
import { endAfterAnswer } from './end-after-answer.js';
import { gunzipBody } from './gunzip-body.js';

/** Fastify for our REST: bodies are bytes whatever their type says, a GET may have one, and the key comes before all else. */
export function createRestAdapter(
  serverFactory: FastifyServerFactory,
  authenticate: Authenticate,
  /** Hears of the socket of a connection on which the key was shown. */
  welcome: (socket: Peer) => void,
): FastifyAdapter {
  const hasKey = ({ headers }: FastifyRequest): boolean => authenticate((name) => headers[name]?.toString());
  const adapter = new FastifyAdapter({
    serverFactory,
    bodyLimit: MAX_MESSAGE_BYTES,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true },
    // A path that cannot be decoded comes past every hook.
    frameworkErrors: (cause: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      if (hasKey(request)) sendError(reply, new NodeError('INVALID_ARGUMENT', cause.message, { cause }));
      else refuse(request, reply);
    },
  });
  const fastify = adapter.getInstance();
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!hasKey(request)) return refuse(request, reply);
    welcome(request.raw.socket);
    done();
  });
  fastify.addHook('preParsing', gunzipBody);
  return adapter;
}

/** A connection of HTTP/1.1 ends with this answer; one of HTTP/2 is ended by http2-front.ts. */
function refuse({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.httpVersionMajor === 1) {
    void reply.header('connection', 'close');
    endAfterAnswer(raw.socket);
  }
  sendError(reply, new NodeError('UNAUTHENTICATED', UNAUTHENTICATED_MESSAGE));
}
