import { type DynamicModule, Logger, type LoggerService, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ProgramMetrics } from '@rampart/program';
import type { FastifyServerFactory } from 'fastify';
import type { NodeEnv } from '../env/node-env.js';
import { type Authenticate, createAuthenticator } from '../interfaces/auth/authenticator.js';
import { RefusedCallsLog } from '../interfaces/auth/refused-calls-log.js';
import { OnePortGrpcServer } from '../interfaces/grpc/one-port-grpc.server.js';
import { logCall, logRequests } from '../interfaces/log-calls.js';
import { createConnectionLimiter } from '../interfaces/one-port/connection-limiter.js';
import { OnePortServer, type PortCertificate, type RequestHandler } from '../interfaces/one-port/one-port.server.js';
import { createRestAdapter } from '../interfaces/rest/rest.adapter.js';
import { NodeLog } from '../logs/node-log.js';
import { measureRequests } from '../metrics/measure-requests.js';
import { callDurations, type EndedCall } from '../metrics/node-metrics.js';
import type { EnrolledCertificate } from '../tls/enrolled-certificate.js';
import { AppModule } from './app.module.js';

export interface NodeAppOptions {
  readonly logger?: LoggerService | false;
  /** Where durations of calls and figures of the engine are recorded; by default nowhere. */
  readonly metrics?: ProgramMetrics | undefined;
  /** Creates the application from its module; tests replace providers here. */
  readonly build?: (
    module: DynamicModule,
    adapter: FastifyAdapter,
    options: NestApplicationOptions,
  ) => Promise<NestFastifyApplication>;
}

/** The whole node, wired but not listening yet: call `app.listen(port, host)`. */
export async function createNodeApp(
  env: NodeEnv,
  certificate: PortCertificate & { readonly enrolled?: EnrolledCertificate },
  { logger, metrics, build = (...args) => NestFactory.create<NestFastifyApplication>(...args) }: NodeAppOptions = {},
): Promise<NestFastifyApplication> {
  const refused = new RefusedCallsLog((text) => log?.warn(text));
  const isKey = createAuthenticator(...env.apiKeys);
  const authenticate: Authenticate = (header) => isKey(header) || refused.recordRefusal();
  let log: NodeLog | undefined;
  // Messages before the node's log exists go only to standard output.
  const limiter = createConnectionLimiter(env, (line) => (log ?? new Logger('Port')).warn(line));
  let port: OnePortServer | undefined;
  const serverFactory = (handler: RequestHandler): OnePortServer => {
    port = new OnePortServer(handler, isKey, certificate, limiter);
    return port;
  };
  const adapter = createRestAdapter(serverFactory as unknown as FastifyServerFactory, authenticate, (socket) =>
    limiter.markAuthenticated(socket),
  );
  adapter.getInstance().addHook('onClose', async () => refused.stop());
  const observers: ((call: EndedCall) => void)[] = [];
  if (metrics !== undefined) {
    measureRequests(adapter.getInstance(), metrics);
    observers.push(callDurations(metrics));
  }
  if (env.logLevel === 'debug') {
    const calls = new Logger('Calls');
    logRequests(adapter.getInstance(), calls);
    observers.push((call) => logCall(calls, call));
  }
  const app = await build(AppModule.with(env, certificate.enrolled), adapter, {
    bodyParser: false,
    abortOnError: false,
    ...(logger === undefined ? {} : { logger }),
  });
  log = app.get(NodeLog, { strict: false });
  if (port === undefined) throw new Error('Fastify made no server');
  certificate.enrolled?.onRenewal((renewed) => {
    port?.useCertificate(renewed);
    log?.note(`management renewed the certificate: new connections get the one with SHA-256 ${renewed.fingerprint256}`);
  });
  const onCallEnd = (call: EndedCall): void => {
    for (const observe of observers) observe(call);
  };
  app.connectMicroservice(
    { strategy: new OnePortGrpcServer(port, authenticate, onCallEnd) },
    { inheritAppConfig: true },
  );
  await app.startAllMicroservices();
  return app;
}

/** The port of a node's application. */
export function portOf(app: NestFastifyApplication): OnePortServer {
  const server: unknown = app.getHttpServer();
  if (!(server instanceof OnePortServer)) throw new Error('Fastify has another server');
  return server;
}
