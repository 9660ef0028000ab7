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
/** What is read where others than sudo admins may call: looking through the largest holds the process for seconds. */
const BODY_LIMITS: Partial<Record<AccessLevel, number>> = { public: 64 * KIBIBYTE, admin: MEBIBYTE };
const CORS_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Usernames have up to 128 characters, and percent-encoding makes three of one. */
const LONGEST_PARAMETER = 512;

/** The server with its limits. */
export function createServer({ bodyLimitMib, trustedProxies }: ManagementEnv, listener: HttpListener): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: bodyLimitMib * MEBIBYTE,
    serverFactory: listener.createServer as FastifyServerFactory,
    trustProxy: trustedProxies ?? false,
    // Who asks on an open connection while the service ends is still answered, and told to leave.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: answerNotFound,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PARAMETER },
  });
}

/** What happens to every request before a route sees it, in this order; the body is read only after the access check. */
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
  // A body may take a minute to arrive: whatever has ended meanwhile has ended.
  server.addHook('preValidation', (request, _reply, done) =>
    request.method === 'GET' || isPublic(request) ? done() : access.check(request),
  );
  guardRequests(server);
  keepRequestContexts(server);
}

/** Nobody waits for a check that says nothing: subscriptions are asked for far more often than anything else. */
const isPublic = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.accessLevel === 'public';

/** What cannot even be routed (a broken percent-encoding) is the same as an unknown route. */
function answerNotFound(_error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  const { status, detail, code } = new ManagementError('NOT_FOUND');
  void reply.status(status).headers(ANSWER_HEADERS).send({ detail, code });
}
