import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, FastifyServerFactory } from 'fastify';
import type { AccessLevel } from '../access/access-level.js';
import { keepRequestContexts } from '../access/request-context.js';
import { AccessHook } from '../auth/access.hook.js';
import type { ManagementEnv } from '../env/management-env.js';
import { ManagementError } from '../errors/management-error.js';
import { ANSWER_HEADERS, addAnswerHeaders } from './answer-headers.js';
import { useBodyParsers } from './body-parsers.js';
import { answerClientError } from './client-error.js';
import type { HttpListener } from './listener.js';
import { replaceNodeRefusals } from './node-refusals.js';
import { guardRequests } from './request-guard.js';
import { warnOfUnknownProxy } from './unknown-proxy.js';
import { refuseUnknownRoutes } from './unknown-routes.js';

const MEBIBYTE = 2 ** 20;
const KIBIBYTE = 2 ** 10;
/** Maximum body sizes of routes for others than sudo admins: checking the largest bodies blocks the process for seconds. */
const BODY_LIMITS: Partial<Record<AccessLevel, number>> = { public: 64 * KIBIBYTE, admin: MEBIBYTE };
const CORS_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Usernames have up to 128 characters, and percent-encoding triples their length. */
const MAX_PARAMETER_LENGTH = 512;

/** Creates the server with its limits. */
export function createServer({ bodyLimitMib, trustedProxies }: ManagementEnv, listener: HttpListener): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: bodyLimitMib * MEBIBYTE,
    serverFactory: listener.createServer as FastifyServerFactory,
    trustProxy: trustedProxies ?? false,
    // Requests on open connections are still answered while the service stops, with a header that closes the
    // connection.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: answerNotFound,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER_LENGTH },
  });
}

/** Installs what happens to every request before its route, in this order. The body is read only after the access check. */
export function prepareServer(app: NestFastifyApplication, { corsOrigins, trustedProxies }: ManagementEnv): void {
  const server = app.getHttpAdapter().getInstance();
  const access = app.get(AccessHook);
  server.addHook('onRoute', (route) => {
    const limit = BODY_LIMITS[route.config?.accessLevel ?? 'public'];
    if (limit !== undefined) route.bodyLimit = limit;
  });
  addAnswerHeaders(server);
  replaceNodeRefusals(server);
  if (!trustedProxies) warnOfUnknownProxy(server);
  if (corsOrigins) app.enableCors({ origin: corsOrigins, methods: CORS_METHODS, strictPreflight: false, maxAge: 3600 });
  refuseUnknownRoutes(server);
  server.addHook('onRequest', (request, _reply, done) => (isPublic(request) ? done() : access.check(request)));
  useBodyParsers(app);
  // A body may take a minute to arrive, so access is checked again: a token may have become invalid meanwhile.
  server.addHook('preValidation', (request, _reply, done) =>
    request.method === 'GET' || isPublic(request) ? done() : access.check(request),
  );
  guardRequests(server);
  keepRequestContexts(server);
}

/** Public routes skip the access check. Subscriptions are requested far more often than anything else. */
const isPublic = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.accessLevel === 'public';

/** Requests that cannot be routed, such as those with broken percent-encoding, are answered like unknown routes. */
function answerNotFound(_error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  const { status, detail, code } = new ManagementError('NOT_FOUND');
  void reply.status(status).headers(ANSWER_HEADERS).send({ detail, code });
}
