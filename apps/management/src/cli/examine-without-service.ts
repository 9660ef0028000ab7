import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, checkDisk, checkPortIsFree, messageOf, OperatorError, ok, wrong } from '@rampart/program';
import { createDataSource } from '../app/data-source.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { ownerUrlOf } from '../database/owner-url.js';
import { checkSchemaVersion } from '../database/schema-version.js';
import { brokenCheck, checkDatabase } from '../doctor/check-database.js';
import { checkKeys } from '../doctor/check-keys.js';
import { checkOwnCertificate } from '../doctor/check-web.js';
import { type ManagementEnv, readManagementEnv } from '../env/management-env.js';

/** What can be checked while the service does not run. Nothing is changed. */
export async function examineWithoutService(): Promise<Check[]> {
  const env = readManagementEnv();
  return [
    await checkDisk('disk', env.dataDir, 'RAMPART_DATA_DIR'),
    ...(await checkStoredData(env)),
    ...(await checkOwnCertificate(env)),
    await checkPortIsFree('port', env.address),
  ];
}

async function checkStoredData(env: ManagementEnv): Promise<Check[]> {
  const { databaseUrl, databaseDirectUrl, databaseOwnerUrl } = env;
  if (databaseUrl === undefined) return checkEmbedded(env);
  const server = await checkDatabase({ url: databaseUrl, setting: 'DATABASE_URL', settings: env.databaseSettings });
  const direct =
    databaseDirectUrl === undefined
      ? []
      : await checkDatabase({ url: databaseDirectUrl, setting: 'DATABASE_DIRECT_URL' });
  const owner =
    databaseOwnerUrl === undefined ? [] : await checkDatabase({ url: databaseOwnerUrl, setting: 'DATABASE_OWNER_URL' });
  const checks = [...server, ...direct, ...owner];
  if (checks.some(isGone)) return checks;
  return [...checks, ...(await checkContents(ownerUrlOf(env)?.url ?? databaseUrl, env))];
}

/** The embedded server is started for the checks, and stopped again. */
async function checkEmbedded(env: ManagementEnv): Promise<Check[]> {
  const dataDir = join(env.dataDir, 'postgres');
  if (!(await exists(join(dataDir, 'cluster')))) return [ok('database', 'is not made yet: the first start makes it')];
  let server: EmbeddedPostgres;
  try {
    server = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
  } catch (error) {
    return [wrong('database', messageOf(error), 'Do what the message says.')];
  }
  try {
    const checks = await checkDatabase({ url: server.url, setting: 'the embedded database' });
    return checks.some(isGone) ? checks : [...checks, ...(await checkContents(server.url, env))];
  } finally {
    await server.stop();
  }
}

/** Checks the schema and the keys. */
async function checkContents(url: string, env: ManagementEnv): Promise<Check[]> {
  const database = createDataSource(url);
  try {
    await database.initialize();
    await checkSchemaVersion(database);
    const [table] = await database.query<{ name: string | null }[]>("SELECT to_regclass('known_keys') AS name");
    if (!table?.name) return [ok('keys', 'the database has no tables yet: the first start makes them')];
    return await checkKeys(database.manager, env);
  } catch (error) {
    if (error instanceof OperatorError) return [wrong('database', error.message, 'Do what the message says.')];
    return [brokenCheck('keys', error)];
  } finally {
    if (database.isInitialized) await database.destroy();
  }
}

const isGone = ({ name, state }: Check): boolean => name === 'database' && state === 'wrong';

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
