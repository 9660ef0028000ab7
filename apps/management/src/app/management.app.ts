import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Health, MetricsServer, ProgramMetrics } from '@rampart/program';
import { AdminService } from '../admins/admin.service.js';
import { CoreRepository } from '../core-store/core.repository.js';
import { controlSocketIn } from '../env/command-env.js';
import type { ManagementEnv } from '../env/management-env.js';
import { keyVersions } from '../http/version.js';
import { AtRestCipher } from '../keys/at-rest-cipher.js';
import { resealSecrets } from '../keys/reseal-secrets.js';
import type { SealedSecrets } from '../keys/sealed-secret.js';
import { loadSharedKeys } from '../known-keys/load-shared-keys.js';
import { AuthorityRepository } from '../nodes/authority/authority.repository.js';
import { ApiKeyRepository } from '../nodes/connection/api-key.repository.js';
import { NodeCoreRepository } from '../nodes/store/node-core.repository.js';
import type { ControlSocket } from '../server/control-socket.js';
import { HttpListener } from '../server/listener.js';
import { createServer, prepareServer } from '../server/server.js';
import { TotpRepository } from '../totp/totp.repository.js';
import { AppModule } from './app.module.js';
import { prepareDataFolder } from './data-folder.js';
import { type OpenDatabase, openDatabase } from './open-database.js';

/**
 * Milliseconds that open requests have to finish when the service stops; then their connections are closed, so that the
 * database can be closed in order.
 */
const CLOSE_TIMEOUT_MS = 4_000;
const IDLE_CHECK_MS = 50;

export interface ManagementApp {
  app: NestFastifyApplication;
  /** Serves metrics and health on a port of its own. It does not listen yet. */
  metrics: MetricsServer;
  /** Opens the socket for commands of this machine; `close` closes it. */
  openControlSocket(): Promise<void>;
  /** Closes the servers, the workers, the database connections and the embedded database, in that order. */
  close(): Promise<void>;
}

/** Creates the whole service. It does not listen yet. */
export async function createManagementApp(env: ManagementEnv, logger: LoggerService): Promise<ManagementApp> {
  const listener = await HttpListener.create(env);
  await prepareDataFolder(env.dataDir);
  const database = await openDatabase(env, (line) => logger.log(line, 'Database'));
  try {
    const keys = await loadSharedKeys(database.dataSource, env, (line) => logger.log(line, 'Keys'));
    keyVersions(keys.jwt);
    const app = await NestFactory.create<NestFastifyApplication>(
      AppModule.of(env, keys, database.dataSource),
      createServer(env, listener),
      { logger, abortOnError: false },
    );
    await prepareServer(app, env);
    await createFirstAdmin(app.get(AdminService), env, logger);
    for (const Secrets of [ApiKeyRepository, AuthorityRepository, TotpRepository, CoreRepository, NodeCoreRepository])
      await resealSecrets(database.dataSource, app.get<SealedSecrets>(Secrets), app.get(AtRestCipher));
    await database.dataSource.transaction((manager) => app.get(CoreRepository).insertDefaultCore(manager));
    await app.init();
    const metrics = new MetricsServer({
      metrics: app.get(ProgramMetrics),
      health: app.get(Health, { strict: false }),
      token: env.metricsToken,
    });
    let control: ControlSocket | undefined;
    const openControlSocket = async (): Promise<void> => {
      control = await listener.openControlSocket(controlSocketIn(env.dataDir));
    };
    const close = () => metrics.close().then(() => closeAll(app, listener, database, control));
    return { app, metrics, openControlSocket, close };
  } catch (error) {
    listener.close();
    await database.close();
    throw error;
  }
}

async function createFirstAdmin(admins: AdminService, env: ManagementEnv, logger: LoggerService): Promise<void> {
  const { adminUsername, adminPassword } = env;
  if (adminUsername === undefined || adminPassword === undefined) return;
  if (await admins.createFirst(adminUsername, adminPassword))
    logger.log(`Created the sudo admin ${adminUsername}`, 'Admins');
}

async function closeAll(
  app: NestFastifyApplication,
  listener: HttpListener,
  database: OpenDatabase,
  control: ControlSocket | undefined,
): Promise<void> {
  const { server } = app.getHttpAdapter().getInstance();
  listener.close();
  // Node.js closes only the connections that are idle when it starts to stop, so later ones are closed here.
  const tidying = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const cut = setTimeout(() => {
    listener.closeConnections();
    control?.closeConnections();
  }, CLOSE_TIMEOUT_MS);
  try {
    await control?.close();
    await app.close();
  } finally {
    clearInterval(tidying);
    clearTimeout(cut);
    await database.close();
  }
}
