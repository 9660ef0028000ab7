import { performance } from 'node:perf_hooks';
import { type Check, checkClock, messageOf, ok, warning, wrong } from '@rampart/program';
import pg from 'pg';
import { connectionError } from '../database/connection-error.js';
import { OLDEST_POSTGRESQL } from '../database/server-check.js';
import { type DatabaseSettings, DEFAULT_SETTINGS } from '../env/database-settings.js';

const CONNECT_MS = 5_000;
const QUERIES = 5;
const SLOW_MS = 50;
/** Connections of a replica beside its pools: the watch, the coordination of nodes, and the start. */
const OTHER_CONNECTIONS = 3;

interface ServerRow {
  version: string;
  number: number;
  encoding: string;
  fsync: string;
  readonly: string;
  size: string;
  time: Date;
  /** How many connections may still be opened by this account. */
  free: number;
  own: number;
  role: string;
  superuser: boolean;
}

const SERVER = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS number,
  current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
  current_setting('transaction_read_only') AS readonly, pg_size_pretty(pg_database_size(current_database())) AS size,
  clock_timestamp() AS time,
  current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
    - (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS free,
  (SELECT count(*)::integer FROM pg_stat_activity WHERE application_name LIKE 'rampart-%') AS own,
  current_user AS role, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser`;

export interface CheckedDatabase {
  readonly url: string;
  /** The environment variable that holds the URL. */
  readonly setting: string;
  readonly settings?: Partial<DatabaseSettings>;
}

/**
 * Checks the server of the database through a connection of its own.
 *
 * @param work runs on the connection, where the server answers.
 * @returns the checks, then those of `work`.
 */
export async function checkDatabase(
  { url, setting, settings = {} }: CheckedDatabase,
  work: (client: pg.Client) => Promise<Check[]> = async () => [],
): Promise<Check[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const [before, { rows }, after] = [Date.now(), await client.query<ServerRow>(SERVER), Date.now()];
    const [server] = rows;
    if (!server) throw new Error('the server answers nothing');
    const difference = server.time.getTime() - (before + after) / 2;
    return [
      checkAnswer(server, setting, await latencyOf(client)),
      ...checkSettings(server, settings),
      checkClock('clock of the database', difference, (after - before) / 2),
      ...(await work(client)),
    ];
  } catch (error) {
    const { message } = connectionError(error, url, setting);
    return [wrong('database', message, adviceFor(setting))];
  } finally {
    await client.end().catch(() => undefined);
  }
}

const adviceFor = (setting: string): string =>
  setting.startsWith('DATABASE_')
    ? `Start the PostgreSQL server, or correct ${setting}.`
    : 'See the log of management: it says why its own PostgreSQL does not run.';

/** The median of some round trips, in ms. */
async function latencyOf(client: pg.Client): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < QUERIES; n += 1) {
    const begin = performance.now();
    await client.query('SELECT 1');
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b)[Math.floor(QUERIES / 2)] ?? 0;
}

function checkAnswer({ version, number, size }: ServerRow, setting: string, latency: number): Check {
  const seen = `PostgreSQL ${version} answers in ${latency.toFixed(1)} ms; the database has ${size}`;
  if (number < OLDEST_POSTGRESQL * 10_000)
    return wrong('database', seen, `Use PostgreSQL ${OLDEST_POSTGRESQL} or newer.`);
  if (latency > SLOW_MS)
    return warning('database', seen, `Run PostgreSQL near management: every request waits for it (${setting}).`);
  return ok('database', seen);
}

function checkSettings(server: ServerRow, given: Partial<DatabaseSettings>): Check[] {
  const { encoding, fsync, readonly, free, own, role, superuser } = server;
  const name = 'database settings';
  const { writeConnections, readConnections, subscriptionConnections } = { ...DEFAULT_SETTINGS, ...given };
  const needed = writeConnections + readConnections + subscriptionConnections + OTHER_CONNECTIONS;
  const checks: Check[] = [];
  if (readonly === 'on')
    checks.push(
      wrong(name, 'the server accepts no changes', 'Name the primary server, not a standby, in DATABASE_URL.'),
    );
  if (encoding !== 'UTF8')
    checks.push(wrong(name, `the database has the encoding ${encoding}`, 'Create it again with the encoding UTF8.'));
  if (fsync !== 'on')
    checks.push(
      warning(name, 'fsync is off: a power failure can destroy the database', 'Set fsync = on in postgresql.conf.'),
    );
  if (superuser)
    checks.push(
      warning(
        name,
        `the role ${role} of management is a superuser, who may run programs on the machine of the database`,
        'Give management a role of its own, see docs/database.md.',
      ),
    );
  if (own + free < needed)
    checks.push(
      warning(
        name,
        `the server has ${own + free} connections for management, which may need ${needed}`,
        'Raise max_connections of the server, or lower RAMPART_DATABASE_WRITES, _READS and _SUBSCRIPTIONS.',
      ),
    );
  if (checks.length === 0) checks.push(ok(name, `UTF8, fsync on, ${free} more connections are possible`));
  return checks;
}

/** A row for a check that broke itself, so that the others are still shown. */
export const brokenCheck = (name: string, error: unknown): Check =>
  wrong(name, `cannot be checked: ${messageOf(error)}`, 'See the log of management.');
