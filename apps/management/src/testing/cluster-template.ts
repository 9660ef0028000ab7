import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDataSource } from '../app/data-source.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { findPostgresBinaries } from '../database/embedded/postgres-binaries.js';
import { migrate } from '../database/migrate.js';

const run = promisify(execFile);
const DATABASE_FOLDER = join(import.meta.dirname, '../database');
const TEMPLATES = join(tmpdir(), `rampart-test-clusters-${process.getuid?.()}`);
const DAY_MS = 86_400_000;

let found: Promise<string> | undefined;

/**
 * Copies a stopped server with all tables to the place of the embedded one. Its files are those that `EmbeddedPostgres`
 * and the migrations make, except for two settings that skip waiting for the disk; only a crash of the machine shows
 * the difference.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  found ??= template();
  await mkdir(dataDir, { recursive: true });
  await run('cp', ['-a', `${await found}/.`, dataDir]);
}

/**
 * Creates the template once per day and version of the database code, for all workers and runs. Two processes that
 * start together create the same files.
 */
async function template(): Promise<string> {
  const path = join(TEMPLATES, await digest());
  if (await stat(path).catch(() => undefined)) return path;
  await mkdir(TEMPLATES, { recursive: true, mode: 0o711 });
  for (const name of await readdir(TEMPLATES)) {
    const old = join(TEMPLATES, name);
    const made = await stat(old).catch(() => undefined);
    if (made && made.mtimeMs < Date.now() - 2 * DAY_MS) await rm(old, { recursive: true, force: true });
  }
  const unfinished = await mkdtemp(join(TEMPLATES, 'new-'));
  const server = await EmbeddedPostgres.start({ dataDir: unfinished, log: () => undefined });
  const database = await createDataSource(server.url).initialize();
  await migrate(database);
  for (const setting of ['fsync', 'full_page_writes']) await database.query(`ALTER SYSTEM SET ${setting} = off`);
  await database.destroy();
  await server.stop();
  await rename(unfinished, path).catch(() => rm(unfinished, { recursive: true }));
  return path;
}

async function digest(): Promise<string> {
  const hash = createHash('sha256').update(findPostgresBinaries().postgres);
  hash.update(new Date().toISOString().slice(0, 10));
  for (const entry of (await readdir(DATABASE_FOLDER, { recursive: true })).toSorted())
    if (entry.endsWith('.ts') && !entry.endsWith('.spec.ts'))
      hash.update(entry).update(await readFile(join(DATABASE_FOLDER, entry)));
  return hash.digest('hex').slice(0, 16);
}
