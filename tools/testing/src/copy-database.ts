import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClusterTemplate } from './cluster-template.js';

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../../../apps/management/dist');

/** As management creates its database, except for waiting for the disk; only a crash of the machine shows the difference. */
const MAKE = `
  import { createDataSource } from '${DIST}/app/data-source.js';
  import { EmbeddedPostgres } from '${DIST}/database/embedded/embedded-postgres.js';
  import { migrate } from '${DIST}/database/migrate.js';
  const server = await EmbeddedPostgres.start({ dataDir: process.argv[1], log: () => undefined });
  const database = await createDataSource(server.url).initialize();
  await migrate(database);
  await database.destroy();
  const superuser = await createDataSource(server.superuserUrl).initialize();
  for (const setting of ['fsync', 'full_page_writes']) await superuser.query('ALTER SYSTEM SET ' + setting + ' = off');
  await superuser.destroy();
  await server.stop();`;

/** Gives a data folder without a database a stopped one with all tables: the first start of management takes seconds. */
export function copyDatabase(dataDir: string): void {
  const database = join(dataDir, 'postgres');
  if (existsSync(database)) return;
  const template = new ClusterTemplate(join(DIST, 'database'), (file) => file.endsWith('.js'));
  if (!template.isMade) {
    const folder = template.begin();
    execFileSync(process.execPath, ['--input-type=module', '--eval', MAKE, folder]);
    template.finish(folder);
  }
  mkdirSync(database, { recursive: true });
  execFileSync('cp', ['-a', `${template.path}/.`, database]);
}
