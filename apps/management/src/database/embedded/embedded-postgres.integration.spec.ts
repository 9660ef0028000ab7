import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, scratchFolder } from '@rampart/testing';
import pg from 'pg';
import { postgresAccount } from './account.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { Launcher } from './launcher.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { PostgresServer } from './postgres-server.js';
import { buildOwner, type Owner, runOwner } from './testing/run-owner.js';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const onlyAsRoot = isRoot ? it : it.skip;
const nobody = { uid: 65_534, gid: 65_534 };
/** Whether other accounts can read a file: they cannot run programs in a folder that only root can enter. */
const isReadable = (path: string): boolean => spawnSync('test', ['-r', path], { ...nobody, cwd: '/' }).status === 0;
const onlyAsRootForAll = isRoot && [import.meta.filename, process.execPath].every(isReadable) ? it : it.skip;

let used: string;
let base: string;
let lines: string[] = [];
const running: EmbeddedPostgres[] = [];
const owners: Owner[] = [];

beforeAll(async () => {
  await buildOwner();
  used = dirname(await directory());
  const postgres = await EmbeddedPostgres.start({ dataDir: join(used, 'postgres'), log: () => undefined });
  await postgres.stop();
});

afterAll(() => rm(used, { recursive: true }));

afterEach(async () => {
  for (const { process: owner } of owners.splice(0)) await killed(owner, 'SIGTERM');
  for (const postgres of running.splice(0)) await postgres.stop();
  await rm(base, { recursive: true, force: true });
});

async function directory(): Promise<string> {
  base = await mkdtemp(join(scratchFolder(), 'embedded-'));
  await chmod(base, 0o711);
  lines = [];
  return join(base, 'postgres');
}

/** Creates a data directory that was in use before. */
async function existing(): Promise<string> {
  const dataDir = await directory();
  await run('cp', ['-a', join(used, 'postgres'), dataDir]);
  return dataDir;
}

async function start(dataDir: string, passwd?: string): Promise<EmbeddedPostgres> {
  const log = (line: string): number => lines.push(line);
  const postgres = await EmbeddedPostgres.start({ dataDir, log, ...(passwd !== undefined && { passwd }) });
  running.push(postgres);
  return postgres;
}

async function stop(postgres: EmbeddedPostgres): Promise<void> {
  running.splice(running.indexOf(postgres), 1);
  await postgres.stop();
}

async function owner(dataDir: string, as?: Parameters<typeof runOwner>[1]): Promise<Owner> {
  const started = await runOwner(dataDir, as);
  owners.push(started);
  return started;
}

async function killed(child: Owner['process'], signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function query<Row extends object = Record<string, unknown>>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const isAlive = async (pid: number): Promise<boolean> => {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return state !== '' && !state.includes(') Z ');
};

describe(EmbeddedPostgres.name, () => {
  it('creates a UTF-8 database whose sort order does not depend on the C library, and keeps it', async () => {
    const dataDir = await directory();
    const first = await start(dataDir);
    const [database] = await query(
      first.url,
      `SELECT current_database() AS name, current_user AS "user", current_setting('server_version') AS version, datlocprovider AS provider,
              datlocale AS locale, pg_encoding_to_char(encoding) AS encoding, current_setting('listen_addresses') AS tcp,
              current_setting('fsync') AS fsync, current_setting('data_checksums') AS checksums
       FROM pg_database WHERE datname = current_database()`,
    );
    expect(database).toEqual({
      name: 'rampart',
      user: 'rampart_owner',
      version: '18.4',
      provider: 'b',
      locale: 'C.UTF-8',
      encoding: 'UTF8',
      tcp: '',
      fsync: 'on',
      checksums: 'on',
    });
    await query(first.url, 'CREATE EXTENSION pg_trgm; CREATE TABLE kept AS SELECT 42 AS answer');
    await stop(first);

    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('lets no other account in: private socket and password file, and a required password', async () => {
    const dataDir = await existing();
    const postgres = await start(dataDir);
    expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDir, 'cluster'))).mode & 0o777).toBe(0o700);
    expect((await stat(postgres.connection.host)).mode & 0o777).toBe(0o700);
    const other = new pg.Client({ ...postgres.connection, password: 'guessed' });
    await expect(other.connect()).rejects.toThrow('password authentication failed for user "rampart"');
  });

  it('runs the server in a process group of its own, without the environment of management', async () => {
    process.env['RAMPART_TEST_SECRET'] = 'tell-nobody';
    const { pid } = await start(await existing());
    delete process.env['RAMPART_TEST_SECRET'];
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
    expect(Number(fields[2])).toBe(pid);
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('tell-nobody');
    if (isRoot) expect(await readFile(`/proc/${pid}/status`, 'utf8')).not.toMatch(/^Uid:\t0/m);
  });

  it('ends all connections when it stops, and allows a second stop', async () => {
    const dataDir = await existing();
    const postgres = await start(dataDir);
    const client = new pg.Client({ connectionString: postgres.url });
    const cut = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    await client.query('BEGIN');
    const pid = postgres.pid!;
    await Promise.all([stop(postgres), postgres.stop()]);
    await cut;
    expect(await isAlive(pid)).toBe(false);
    await expect(stat(join(dataDir, 'socket'))).rejects.toThrow('ENOENT');
    await expect(stat(join(dataDir, 'cluster/postmaster.pid'))).rejects.toThrow('ENOENT');
  });

  it('restarts a killed server without losing committed data', async () => {
    const postgres = await start(await existing());
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const before = postgres.pid!;
    process.kill(before, 'SIGKILL');
    const after = await eventually(
      'another server process',
      async (saw) => saw(postgres.pid) !== before && postgres.pid,
      15_000,
    );
    expect(
      await eventually(
        'the kept table',
        () => query(postgres.url, 'SELECT answer FROM kept').catch(() => undefined),
        15_000,
      ),
    ).toEqual([{ answer: 42 }]);
    expect(await isAlive(after)).toBe(true);
    expect(lines).toContain('the database server ended unexpectedly (signal SIGKILL) and is started again');
  });

  it('refuses a second owner, names the first one, and does not disturb it', async () => {
    const dataDir = await existing();
    const postgres = await start(dataDir);
    const other = await owner(dataDir);
    expect(other.answer.error).toBe(
      `EmbeddedPostgresError: The database in ${dataDir} is in use by another Rampart management (process ${process.pid}). ` +
        'Stop that one first, or name another directory in RAMPART_DATA_DIR; several managements share a server named in DATABASE_URL.',
    );
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('takes over after its owner was killed', async () => {
    const dataDir = await existing();
    const first = await owner(dataDir);
    await query(first.answer.url!, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await killed(first.process, 'SIGKILL');
    const postgres = await start(dataDir);
    expect(postgres.pid).not.toBe(first.answer.pid);
    expect(await isAlive(first.answer.pid!)).toBe(false);
    expect(await query(postgres.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('lets exactly one of two processes take over', async () => {
    const dataDir = await existing();
    await killed((await owner(dataDir)).process, 'SIGKILL');
    const answers = (await Promise.all([owner(dataDir), owner(dataDir)])).map(({ answer }) => answer);
    expect(answers.filter(({ url }) => url)).toHaveLength(1);
    expect(answers.find(({ error }) => error)?.error).toMatch(/is in use by another Rampart management/);
    expect((await owner(dataDir)).answer.error).toMatch(/is in use by another Rampart management/);
  });

  it('stops a server that was left running, then starts its own', async () => {
    const dataDir = await existing();
    const cluster = join(dataDir, 'cluster');
    const binaries = findPostgresBinaries();
    const launcher = await Launcher.find(binaries, dataDir, await postgresAccount(cluster));
    const orphan = PostgresServer.launch(launcher, binaries.postgres, cluster, cluster, () => undefined);
    const password = (await readFile(join(dataDir, 'password'), 'utf8')).trim();
    await orphan.ready({ host: cluster, user: 'rampart', password, database: 'rampart' });
    lines = [];

    const postgres = await start(dataDir);
    expect(lines[0]).toBe('stopped the database server that an earlier process had left running');
    expect(await orphan.ended).toBe('exit code 0');
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts although another process has the id of an earlier server', async () => {
    const dataDir = await existing();
    const stale = `${process.pid}\n${join(dataDir, 'cluster')}\n1700000000\n5432\n\n\n`;
    await writeFile(join(dataDir, 'cluster/postmaster.pid'), stale);
    const postgres = await start(dataDir);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts over after it was killed while it created the database', async () => {
    const dataDir = await directory();
    await mkdir(join(dataDir, 'cluster.new/base'), { recursive: true });
    await writeFile(join(dataDir, 'cluster.new/PG_VERSION'), '18\n');
    const postgres = await start(dataDir);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('names the remedy for a database of another major version, and does not touch it', async () => {
    const dataDir = await existing();
    const version = join(dataDir, 'cluster/PG_VERSION');
    await writeFile(version, '17\n');
    await expect(start(dataDir)).rejects.toThrow(
      `The database in ${dataDir}/cluster was created by PostgreSQL 17, but this is PostgreSQL 18.4. ` +
        'Dump it with PostgreSQL 17 and restore it into an empty directory (RAMPART_DATA_DIR).',
    );
    await writeFile(version, '18\n');
    await start(dataDir);
  });

  it('names a missing password file', async () => {
    const dataDir = await existing();
    await rm(join(dataDir, 'password'));
    await expect(start(dataDir)).rejects.toThrow(
      `The password file ${dataDir}/password of the database beside it is missing or empty. Restore it from a backup.`,
    );
  });

  it('reports the messages of a server that cannot start', async () => {
    const dataDir = await existing();
    const settings = join(dataDir, 'cluster/postgresql.conf');
    await writeFile(settings, `${await readFile(settings, 'utf8')}\nmax_connections = none\n`);
    await expect(start(dataDir)).rejects.toThrow(
      /did not start \(exit code 1\): .*invalid value for parameter "max_connections": "none"/,
    );
  });

  it('puts its socket elsewhere when the path is too long, and removes it there', async () => {
    const dataDir = join(await directory(), 'a-directory-with-a-long-name'.repeat(4));
    const postgres = await start(dataDir);
    const { host } = postgres.connection;
    expect(host.startsWith(join(tmpdir(), 'rampart-postgres-'))).toBe(true);
    expect(await readlink(join(dataDir, 'socket'))).toBe(host);
    expect((await stat(host)).mode & 0o777).toBe(0o700);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await stop(postgres);
    await expect(stat(host)).rejects.toThrow('ENOENT');
  });

  it('names the alternative on a platform without binaries', () => {
    expect(() => findPostgresBinaries('linux', 'riscv64')).toThrow(
      'No embedded PostgreSQL for linux-riscv64 (package @embedded-postgres/linux-riscv64 is not installed). ' +
        'Name a PostgreSQL server in DATABASE_URL instead.',
    );
  });

  onlyAsRoot('EmbeddedPostgres runs for root below a directory that only root can pass through', async () => {
    const dataDir = await directory();
    await chmod(base, 0o700);
    const postgres = await start(dataDir);
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const status = await readFile(`/proc/${postgres.pid}/status`, 'utf8');
    expect(status).not.toMatch(/^Uid:\t0/m);
    // CAP_DAC_READ_SEARCH (bit 2) and nothing else.
    expect(status).toMatch(/^CapEff:\t0000000000000004$/m);
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await stop(postgres);
    expect(await query((await start(dataDir)).url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  onlyAsRoot('EmbeddedPostgres refuses to run a database that belongs to root', async () => {
    const dataDir = await existing();
    await chown(join(dataDir, 'cluster'), 0, 0);
    await expect(start(dataDir)).rejects.toThrow(
      /belongs to root, and PostgreSQL refuses to run as root\. Give it to .* chown -R/,
    );
  });

  onlyAsRootForAll('EmbeddedPostgres runs under the account of an unprivileged user', async () => {
    const dataDir = await directory();
    await mkdir(dataDir);
    await chown(dataDir, nobody.uid, nobody.gid);
    const { answer, process: child } = await owner(dataDir, nobody);
    expect(answer.error).toBeUndefined();
    expect((await stat(`/proc/${answer.pid}`)).uid).toBe(nobody.uid);
    expect(await query(answer.url!, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await killed(child, 'SIGKILL');
    // The kernel tells the server, which then shuts down by itself.
    await eventually('the end of the process', async (saw) => !saw(await isAlive(answer.pid!)), 15_000);
    const again = await owner(dataDir, nobody);
    expect(await query(again.answer.url!, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('security row 124: the account of the embedded database', () => {
  onlyAsRoot('the account of the embedded database is its own where there is none for it', async () => {
    const dataDir = await directory();
    const passwd = join(base, 'passwd');
    const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').filter((line) => !line.startsWith('postgres:'));
    await writeFile(passwd, lines.join('\n'));
    const cluster = join(dataDir, 'cluster');
    const ownersOf = async () => {
      const found = await readdir(cluster, { recursive: true });
      const paths = [cluster, join(dataDir, 'password'), ...found.map((name) => join(cluster, name))];
      return [...new Set(await Promise.all(paths.map(async (path) => (await lstat(path)).uid)))];
    };
    const first = await start(dataDir, passwd);
    expect((await stat(`/proc/${first.pid}`)).uid).toBe(61_081);
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await stop(first);
    expect(await ownersOf()).toEqual([61_081]);

    await run('chown', ['-R', `${nobody.uid}:${nobody.gid}`, cluster, join(dataDir, 'password')]);
    const again = await start(dataDir, passwd);
    expect((await stat(`/proc/${again.pid}`)).uid).toBe(61_081);
    expect(await query(again.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await stop(again);
    expect(await ownersOf()).toEqual([61_081]);

    await writeFile(passwd, lines.filter((line) => line.startsWith('root:')).join('\n'));
    await rm(cluster, { recursive: true });
    await expect(start(dataDir, passwd)).rejects.toThrow(
      `PostgreSQL refuses to run as root, and ${passwd} has none of the accounts postgres, bin, daemon, nobody. ` +
        'Run as another user, or name a PostgreSQL server in DATABASE_URL.',
    );
  });
});
