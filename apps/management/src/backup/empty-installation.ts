import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { connectionError } from '../database/connection-error.js';
import { MIGRATION_LOCK } from '../database/migrate.js';
import { BackupError } from './backup-error.js';
import type { DatabaseServer } from './database-of-backup.js';
import { findTables, quoted } from './table-catalogue.js';

/** Tables in which the first start of an empty installation leaves rows, and how many at most. */
const ROWS_OF_FIRST_START: Readonly<Record<string, number>> = {
  admin_origins: Number.POSITIVE_INFINITY,
  admins: 1,
  audit_entries: Number.POSITIVE_INFINITY,
  cores: 1,
  counters: Number.POSITIVE_INFINITY,
  known_keys: Number.POSITIVE_INFINITY,
  // Whoever has looked at it was logged in.
  admin_sessions: Number.POSITIVE_INFINITY,
  login_failures: Number.POSITIVE_INFINITY,
  passwords_without_code: Number.POSITIVE_INFINITY,
  probe_user: 16,
  unknown_name_failures: Number.POSITIVE_INFINITY,
};

const RETRY_MS = 100;
const MAX_TRIES = 20;

/** Holds back every start of the service on this database until `release`. */
export interface ServiceLock {
  release(): Promise<void>;
}

/** @throws BackupError when the service runs on this database, here or elsewhere, and names its sessions */
export async function lockOutService({ url, setting }: DatabaseServer): Promise<ServiceLock> {
  const client = new pg.Client({ connectionString: url, application_name: 'rampart-restore', keepAlive: true });
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw connectionError(error, url, setting);
  });
  try {
    // A start of the service takes the same lock for its migrations, and waits for it here.
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS won', [MIGRATION_LOCK]);
    if (!rows[0].won)
      throw new BackupError('Rampart is being started on this database, or another restore runs: stop it first');
    await refuseSessions(client);
    return { release: () => client.end() };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function refuseSessions(client: pg.Client): Promise<void> {
  let sessions = await sessionsOfService(client);
  // Sessions of a service that has just ended vanish in a moment.
  for (let tries = 0; sessions.length > 0 && tries < MAX_TRIES; tries += 1) {
    await wait(RETRY_MS);
    sessions = await sessionsOfService(client);
  }
  if (sessions.length > 0)
    throw new BackupError(
      `Rampart runs on this database (sessions ${sessions.join(', ')}): stop every replica before you restore a backup`,
    );
}

async function sessionsOfService(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; address: string | null }>(
    `SELECT DISTINCT application_name AS name, host(client_addr) AS address FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'rampart-%'
     ORDER BY name, address`,
  );
  return rows.map(({ name, address }) => (address === null ? name : `${name} from ${address}`));
}

/**
 * Accepts a database without tables, and one in which nothing has happened since the first start.
 *
 * @throws BackupError that names what is in it
 */
export async function requireEmpty(runner: QueryRunner): Promise<void> {
  const tables = await findTables(runner);
  const [migrations]: { name: string | null }[] = await runner.query(`SELECT to_regclass('migrations') AS name`);
  if (!migrations?.name && tables.length > 0) {
    const names = tables.map(({ name }) => name).join(', ');
    throw new BackupError(`The database has tables of another program (${names}): use an empty one`);
  }
  const found: string[] = [];
  for (const { name } of tables) {
    const [row]: { rows: string }[] = await runner.query(`SELECT count(*) AS rows FROM ${quoted(name)}`);
    const rows = Number(row?.rows);
    if (rows > (ROWS_OF_FIRST_START[name] ?? 0)) found.push(`${rows} ${name}`);
  }
  if (found.length === 0) return;
  throw new BackupError(
    `The installation is not empty (${found.join(', ')}), and a backup never overwrites one. ` +
      'Use an empty database (DATABASE_URL), or another data folder (RAMPART_DATA_DIR)',
  );
}
