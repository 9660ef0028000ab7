import { FastifyAdapter } from '@nestjs/platform-fastify';
import { MAX_MESSAGE_BYTES } from '@rampart/node-client';
import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerFactory } from 'fastify';
import { NodeError } from '../../errors/node-error.js';
import { type Authenticate, WRONG_KEY } from '../authenticator.js';
import { answer } from '../error.filter.js';
import { inflate } from './inflate.js';

/** Fastify for our REST: bodies are bytes whatever their type says, a GET may have one, and the key comes before all else. */
export function createRestAdapter(serverFactory: FastifyServerFactory, authenticate: Authenticate): FastifyAdapter {
  const hasKey = ({ headers }: FastifyRequest): boolean => authenticate((name) => headers[name]?.toString());
  const adapter = new FastifyAdapter({
    serverFactory,
    bodyLimit: MAX_MESSAGE_BYTES,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true },
    // A path that cannot be decoded comes past every hook.
    frameworkErrors: (cause: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      answer(reply, hasKey(request) ? new NodeError('INVALID_ARGUMENT', cause.message, { cause }) : wrongKey());
    },
  });
  const fastify = adapter.getInstance();
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  fastify.addHook('onRequest', (request, reply, done) => {
    if (hasKey(request)) done();
    else void answer(reply, wrongKey());
  });
  fastify.addHook('preParsing', inflate);
  return adapter;
}

const wrongKey = (): NodeError => new NodeError('UNAUTHENTICATED', WRONG_KEY);
