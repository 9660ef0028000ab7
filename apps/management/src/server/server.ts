import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { REQUEST_ID_HEADER } from '@rampart/node-client';
import { ProgramMetrics, requestDurations } from '@rampart/program';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerFactory } from 'fastify';
import type { AccessLevel } from '../access/access-level.js';
import { keepRequestContexts } from '../access/request-context.js';
import { isMasked } from '../audit/mask.js';
import { AccessHook } from '../auth/access.hook.js';
import { OpenAnswers } from '../auth/open-answers.js';
import { serveDashboard } from '../dashboard/serve-dashboard.js';
import type { ManagementEnv } from '../env/management-env.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import { isEventStream } from '../http/event-stream.js';
import { jsonProblem } from '../validation/json-guard.js';
import { addAnswerHeaders, answerHeaders } from './answer-headers.js';
import { readBodies, useBodyParsers } from './body-parsers.js';
import { answerClientError } from './client-error.js';
import { compressAnswers } from './compression.js';
import { addTurnMetrics, limitLargeBodies, limitReads, shareConnections, takeTurns } from './fair-requests.js';
import { SecretHiding } from './hide-secrets.js';
import type { HttpListener } from './listener.js';
import { logRequests, requestIds } from './request-ids.js';
import { warnOfUnknownProxy } from './unknown-proxy.js';
import { refuseUnknownRoutes } from './unknown-routes.js';

const MEBIBYTE = 2 ** 20;
const KIBIBYTE = 2 ** 10;
/**
 * Maximum body sizes of routes for others than sudo admins: checking the largest bodies blocks the process for seconds. The
 * longest name, password and code fit into that of logins, also where each of their characters is escaped.
 */
const BODY_LIMITS: Partial<Record<AccessLevel, number>> = { public: 32 * KIBIBYTE, admin: MEBIBYTE };
const CORS_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Usernames have up to 128 characters, and percent-encoding triples their length. */
const MAX_PARAMETER_LENGTH = 512;

/** Creates the server with its limits. */
export function createServer(env: ManagementEnv, listener: HttpListener): FastifyAdapter {
  const { bodyLimitMib, trustedProxies } = env;
  const adapter = new FastifyAdapter({
    bodyLimit: bodyLimitMib * MEBIBYTE,
    serverFactory: listener.createServer as FastifyServerFactory,
    trustProxy: trustedProxies ?? false,
    genReqId: requestIds(trustedProxies),
    // Requests on open connections are still answered while the service stops, with a header that closes the
    // connection.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: answerNotFound(answerHeaders(env)),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER_LENGTH },
  });
  listener.countRequests(adapter.getInstance());
  return adapter;
}

/** Installs what happens to every request before its route, in this order. The body is read only after the access check. */
export async function prepareServer(app: NestFastifyApplication, env: ManagementEnv): Promise<void> {
  const { corsOrigins, dashboard, trustedProxies, metricsPort, logLevel } = env;
  const server = app.getHttpAdapter().getInstance();
  const access = app.get(AccessHook);
  server.addHook('onRoute', (route) => {
    const limit = BODY_LIMITS[route.config?.accessLevel ?? 'public'];
    if (limit !== undefined) route.bodyLimit = limit;
  });
  if (logLevel === 'debug') logRequests(server, new Logger('Requests'));
  if (metricsPort !== undefined) measureRequests(server, app.get(ProgramMetrics));
  addAnswerHeaders(server, answerHeaders(env));
  replaceNodeRefusals(server);
  const turns = takeTurns(server);
  if (!trustedProxies) warnOfUnknownProxy(server);
  if (corsOrigins)
    app.enableCors({
      origin: corsOrigins,
      methods: CORS_METHODS,
      strictPreflight: false,
      maxAge: 3600,
    });
  if (dashboard) serveDashboard(server);
  refuseUnknownRoutes(server);
  /** Requests that had arrived as a whole before their access was checked. */
  const complete = new WeakSet<FastifyRequest>();
  server.addHook('onRequest', async (request) => {
    if (isPublic(request)) return;
    // A short body comes with the headers, and is parsed in the same turn of the event loop.
    if (request.method !== 'GET') await nextTurn();
    if (request.raw.complete) complete.add(request);
    await access.check(request);
  });
  const bodies = limitLargeBodies(server);
  useBodyParsers(app);
  readBodies(server);
  // A body may take a minute to arrive, so access is checked again: a token may have become invalid meanwhile.
  server.addHook('preValidation', (request, _reply, done) =>
    request.method === 'GET' || isPublic(request) || complete.has(request) ? done() : access.check(request),
  );
  app.useGlobalInterceptors(new SecretHiding());
  guardRequests(server);
  const reads = limitReads(server);
  const connections = shareConnections(server, env.databaseReads);
  addTurnMetrics(app.get(ProgramMetrics), { turns, reads, connections, bodies });
  keepRequestContexts(server);
  await compressAnswers(server);
  watchStreams(server, app.get(OpenAnswers));
}

/** Whatever is written while it is read ends with the right to read it. What public routes answer is for everybody. */
function watchStreams(server: FastifyInstance, answers: OpenAnswers): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (request.actor && payload instanceof Readable) answers.add(request, reply, payload);
    done();
  });
}

/** Records how long requests take; event streams are left out. */
function measureRequests(server: FastifyInstance, metrics: ProgramMetrics): void {
  const record = requestDurations(metrics);
  server.addHook('onResponse', (request, reply, done) => {
    if (!isEventStream(reply)) {
      const { url: route } = request.routeOptions;
      record({ route, method: request.method, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
    }
    done();
  });
}

/** Handles requests that Node.js would refuse by itself, with an empty answer without our headers. */
function replaceNodeRefusals(server: FastifyInstance): void {
  // A server may ignore any other expectation than `100-continue`.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  server.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    const lacksHost = headers.host === undefined && raw.httpVersion === '1.1';
    done(lacksHost ? new ManagementError('NOT_HTTP') : undefined);
  });
}

/** Refuses values that are dangerous to store or cannot be stored, so that no route has to check for them. */
function guardRequests(server: FastifyInstance): void {
  server.addHook('preValidation', (request, _reply, done) => {
    // A path with such a name can name no stored object.
    if (jsonProblem(request.params)) return done(new ManagementError('NOT_FOUND'));
    const found = jsonProblem(request.query) ?? jsonProblem(request.body, maskProblem);
    done(found && invalidFields({ [found.path]: found.problem }));
  });
}

/** A mask that is sent back would replace the secret that it stands for. */
const maskProblem = (text: string): string | undefined =>
  isMasked(text) ? 'is what hides a secret: leave it out, or send the secret' : undefined;

/** Public routes skip the access check. Subscriptions are requested far more often than anything else. */
const isPublic = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.accessLevel === 'public';

/** Requests that cannot be routed, such as those with broken percent-encoding, are answered like unknown routes. */
const answerNotFound =
  (headers: Readonly<Record<string, string>>) =>
  (_error: unknown, { id }: FastifyRequest, reply: FastifyReply): void => {
    const { status, detail, code } = new ManagementError('NOT_FOUND');
    void reply.status(status).headers(headers).header(REQUEST_ID_HEADER, id).send({ detail, code });
  };
