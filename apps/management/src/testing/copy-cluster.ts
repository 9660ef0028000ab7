import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ClusterTemplate } from '@rampart/testing';
import { createDataSource } from '../app/data-source.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { migrate } from '../database/migrate.js';

const run = promisify(execFile);
const CODE = join(import.meta.dirname, '../database');

let found: Promise<string> | undefined;

/**
 * Copies a stopped server with all tables to the place of the embedded one. Its files are those that `EmbeddedPostgres`
 * and the migrations make, except for two settings that skip waiting for the disk; only a crash of the machine shows
 * the difference.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await run('cp', ['-a', `${await clusterTemplate()}/.`, dataDir]);
}

/** The folder of that server. Its name changes with the code of the tables. */
export function clusterTemplate(): Promise<string> {
  found ??= makeTemplate();
  return found;
}

async function makeTemplate(): Promise<string> {
  const template = new ClusterTemplate(CODE, (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  if (template.isMade) return template.path;
  const folder = template.begin();
  const server = await EmbeddedPostgres.start({ dataDir: folder, log: () => undefined });
  const database = await createDataSource(server.url).initialize();
  await migrate(database);
  await database.destroy();
  const superuser = await createDataSource(server.superuserUrl).initialize();
  for (const setting of ['fsync', 'full_page_writes']) await superuser.query(`ALTER SYSTEM SET ${setting} = off`);
  await superuser.destroy();
  await server.stop();
  template.finish(folder);
  return template.path;
}
