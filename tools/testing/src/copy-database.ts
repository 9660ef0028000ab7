import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const DIST = join(ROOT, 'apps/management/dist');
/** Removed with the other templates of the day by `cluster-template.ts` of management. */
const TEMPLATES = join(tmpdir(), `rampart-test-clusters-${process.getuid?.()}`);

/** As management creates its database, except for waiting for the disk; only a crash of the machine shows the difference. */
const MAKE = `
  import { createDataSource } from '${DIST}/app/data-source.js';
  import { EmbeddedPostgres } from '${DIST}/database/embedded/embedded-postgres.js';
  import { migrate } from '${DIST}/database/migrate.js';
  const server = await EmbeddedPostgres.start({ dataDir: process.argv[1], log: () => undefined });
  const database = await createDataSource(server.url).initialize();
  await migrate(database);
  for (const setting of ['fsync', 'full_page_writes']) await database.query('ALTER SYSTEM SET ' + setting + ' = off');
  await database.destroy();
  await server.stop();`;

/** Gives a data folder without a database a stopped one with all tables: the first start of management takes seconds. */
export function copyDatabase(dataDir: string): void {
  const database = join(dataDir, 'postgres');
  if (existsSync(database)) return;
  mkdirSync(database, { recursive: true });
  execFileSync('cp', ['-a', `${template()}/.`, database]);
}

function template(): string {
  const path = join(TEMPLATES, `compiled-${digest()}`);
  if (existsSync(path)) return path;
  mkdirSync(TEMPLATES, { recursive: true, mode: 0o711 });
  const unfinished = mkdtempSync(join(TEMPLATES, 'new-'));
  execFileSync(process.execPath, ['--input-type=module', '--eval', MAKE, unfinished]);
  try {
    renameSync(unfinished, path);
  } catch {
    rmSync(unfinished, { recursive: true }); // Another process was faster.
  }
  return path;
}

function digest(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'pnpm-lock.yaml')));
  hash.update(new Date().toISOString().slice(0, 10)).update(process.arch);
  const folder = join(DIST, 'database');
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (entry.endsWith('.js')) hash.update(entry).update(readFileSync(join(folder, entry)));
  return hash.digest('hex').slice(0, 16);
}
