import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdminService } from './admins/admin.service.js';
import { AppModule } from './app.module.js';
import { type OpenDatabase, openDatabase } from './database/open-database.js';
import type { ManagementEnv } from './env/management-env.js';
import { ManagementError } from './errors/management-error.js';
import { useJsonBodies } from './http/body-parsers.js';
import { keepRequestContexts } from './http/request-context.js';
import { loadKeys } from './keys/keys.js';

const BODY_LIMIT = 16 * 1024 * 1024;
/** In which a request must have arrived, so that nobody holds connections by sending slowly. */
const REQUEST_TIMEOUT_MS = 60_000;
/** In which open requests may end when the service does; then they are cut, so that the database ends in order. */
const FAREWELL_MS = 2_000;
/** Usernames have up to 128 characters, and percent-encoding makes three of one. */
const LONGEST_PARAMETER = 512;

export interface ManagementApp {
  app: NestFastifyApplication;
  /** Ends the server, the workers, the connections and the embedded database, in that order. */
  close(): Promise<void>;
}

/** The whole service, ready to listen. */
export async function createManagementApp(env: ManagementEnv, logger: LoggerService): Promise<ManagementApp> {
  const given = { jwt: env.jwtKey, subscription: env.subscriptionKey, atRest: env.atRestKey };
  const keys = await loadKeys(given, env.dataDir);
  const database = await openDatabase(env, (line) => logger.log(line, 'Database'));
  try {
    const app = await NestFactory.create<NestFastifyApplication>(
      AppModule.of(env, keys, database.dataSource),
      fastify(),
      { logger, abortOnError: false },
    );
    useJsonBodies(app);
    keepRequestContexts(app.getHttpAdapter().getInstance());
    await createFirstAdmin(app.get(AdminService), env, logger);
    await app.init();
    return { app, close: () => closeAll(app, database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function fastify(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: answerNotFound,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PARAMETER },
  });
}

/** What cannot even be routed (a broken percent-encoding) is the same as an unknown route. */
function answerNotFound(_error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  const { status, detail, code } = new ManagementError('NOT_FOUND');
  void reply.status(status).send({ detail, code });
}

async function createFirstAdmin(admins: AdminService, env: ManagementEnv, logger: LoggerService): Promise<void> {
  const { adminUsername, adminPassword } = env;
  if (adminUsername === undefined || adminPassword === undefined) return;
  if (await admins.createFirst(adminUsername, adminPassword))
    logger.log(`Created the sudo admin ${adminUsername}`, 'Admins');
}

async function closeAll(app: NestFastifyApplication, database: OpenDatabase): Promise<void> {
  const cut = setTimeout(() => app.getHttpAdapter().getInstance().server.closeAllConnections(), FAREWELL_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
    await database.close();
  }
}
