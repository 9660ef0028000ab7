// The environment of a measurement: the database, management on it, and the bare route.
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ChildServer } from './child-server.mjs';
import { seed } from './seed.mjs';

const DIST = resolve(import.meta.dirname, '../../../apps/management/dist');
const ADMIN = { username: 'root', password: randomUUID() };

const { createDataSource } = await import(join(DIST, 'app/data-source.js'));
const { EmbeddedPostgres } = await import(join(DIST, 'database/embedded/embedded-postgres.js'));

/**
 * Runs `measure` on a database with so many users, then stops and removes everything. `measure` gets the service, the bare
 * route, the database, and `startAnother(settings)`, which starts one more management on the database.
 * @param ownSettings of the service
 */
export async function withEnvironment(users, measure, ownSettings = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'rampart-bench-'));
  const postgres = await EmbeddedPostgres.start({ dataDir: join(folder, 'postgres'), log: () => undefined });
  const open = [() => postgres.stop(), () => rm(folder, { recursive: true })];
  try {
    const service = await startService(folder, postgres.url, ownSettings);
    open.unshift(() => service.close());
    const startAnother = async (settings) => {
      const other = await startBeside(folder, postgres.url, settings);
      open.unshift(() => other.close());
      return other;
    };
    const bare = await ChildServer.start(
      [join(import.meta.dirname, 'bare-route.mjs')],
      { PATH: process.env.PATH },
      /Ready on (\d+)/,
    );
    open.unshift(() => bare.close());
    const database = await createDataSource(postgres.url).initialize();
    open.unshift(() => database.destroy());
    await seed(database, users);
    const { text } = await service.call('POST', '/api/admin/token', ADMIN);
    service.headers = { authorization: `Bearer ${JSON.parse(text).access_token}` };
    return await measure({ service, startAnother, bare, database });
  } finally {
    for (const close of open) await close();
  }
}

/** One more management with the keys of the first, in a data folder of its own. */
async function startBeside(folder, databaseUrl, settings) {
  const own = await mkdtemp(join(folder, 'beside-'));
  await cp(join(folder, 'keys.json'), join(own, 'keys.json'));
  return startService(own, databaseUrl, settings);
}

function startService(folder, databaseUrl, settings = {}) {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    RAMPART_DATA_DIR: folder,
    RAMPART_HOST: '127.0.0.1',
    RAMPART_PORT: '0',
    RAMPART_ADMIN_USERNAME: ADMIN.username,
    RAMPART_ADMIN_PASSWORD: ADMIN.password,
    ...settings,
  };
  return ChildServer.start([join(DIST, 'main.js')], env, /Ready on http:.*:(\d+)/);
}
