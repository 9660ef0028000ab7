import { FastifyAdapter } from '@nestjs/platform-fastify';
import { MAX_MESSAGE_BYTES } from '@rampart/node-client';
import type { Peer } from '@rampart/program';
import type { FastifyError, FastifyReply, FastifyRequest, FastifyServerFactory } from 'fastify';
import { NodeError } from '../../errors/node-error.js';
import { type Authenticate, UNAUTHENTICATED_MESSAGE } from '../auth/authenticator.js';
import { sendError } from '../error.filter.js';
import { gunzipBody } from './gunzip-body.js';
import { PROTOBUF } from './protobuf.js';

/**
 * The Fastify adapter of the REST API: bodies are bytes regardless of their type, a GET may have a body, and the key is
 * checked first.
 */
export function createRestAdapter(
  serverFactory: FastifyServerFactory,
  authenticate: Authenticate,
  /** Called with the socket of a connection once a request on it has shown the key. */
  onAuthenticated: (socket: Peer) => void,
): FastifyAdapter {
  const hasKey = ({ headers }: FastifyRequest): boolean => authenticate((name) => headers[name]?.toString());
  const adapter = new FastifyAdapter({
    serverFactory,
    bodyLimit: MAX_MESSAGE_BYTES,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true },
    // Requests with a path that cannot be decoded pass no hook.
    frameworkErrors: (cause: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      if (hasKey(request)) sendError(reply, new NodeError('INVALID_ARGUMENT', cause.message, { cause }));
      else refuse(request, reply);
    },
  });
  const fastify = adapter.getInstance();
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
    readBody(request, body),
  );
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!hasKey(request)) return refuse(request, reply);
    onAuthenticated(request.raw.socket);
    // Fastify reads a body over HTTP/2 only with this header.
    request.headers['content-type'] ??= PROTOBUF;
    done();
  });
  fastify.addHook('preParsing', gunzipBody);
  return adapter;
}

/** The connection is ended by end-without-key.ts, or over HTTP/2 by http2-dispatcher.ts. */
function refuse({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.httpVersionMajor === 1) void reply.header('connection', 'close');
  sendError(reply, new NodeError('UNAUTHENTICATED', UNAUTHENTICATED_MESSAGE));
}

/**
 * Returns the bytes of a complete body; null when the request has no body. An empty body needs `content-length: 0` or a
 * content-encoding: an empty list of users removes all users, so a missing body must not be read as one.
 * @throws NodeError INVALID_ARGUMENT when the body broke off; over HTTP/2 the stream of such a body ends like that of a
 * complete one
 */
function readBody({ raw, headers }: FastifyRequest, bytes: Buffer): Buffer | null {
  if (raw.aborted) throw new NodeError('INVALID_ARGUMENT', 'the body broke off');
  const announced = headers['content-length'] !== undefined || headers['content-encoding'] !== undefined;
  return bytes.length > 0 || announced ? bytes : null;
}
