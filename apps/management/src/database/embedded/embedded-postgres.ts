import { once } from 'node:events';
import { chmod, mkdir, realpath } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { postgresAccount } from './account.js';
import {
  checkVersion,
  clusterPaths,
  ensureCluster,
  makeSocketDirectory,
  RAMPART,
  removeSocketDirectory,
} from './cluster.js';
import { Launcher } from './launcher.js';
import { acquireOwnerLock } from './owner-lock.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { PostgresServer } from './postgres-server.js';
import { stopOrphan } from './postmaster.js';
import { ensureDatabase, OWNER, rolePassword, SERVICE } from './roles.js';

export interface EmbeddedPostgresOptions {
  /** The directory of the database; it is created when missing. */
  dataDir: string;
  /** Receives the lines of the log: what management does, and what the server reports. */
  log: (line: string) => void;
  /** The file of the accounts of this machine; absent: `/etc/passwd`. */
  passwd?: string;
}

/** How to connect to the database; `host` is the directory of its socket. */
export interface DatabaseConnection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

const LINGERING_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
const SETTLED_MS = 60_000;

/**
 * A PostgreSQL server that belongs to this process. It listens on a Unix socket, runs under an unprivileged account, is
 * restarted when it dies, and ends with this process.
 */
export class EmbeddedPostgres {
  private readonly atExit = () => this.server.endNow();
  private readonly guard: Promise<void>;

  private constructor(
    /** The connection of the superuser, whom the server itself needs. */
    readonly connection: DatabaseConnection,
    private server: PostgresServer,
    private readonly launch: () => Promise<PostgresServer>,
    private readonly stopping: AbortController,
    private readonly release: () => Promise<void>,
    private readonly log: (line: string) => void,
  ) {
    process.once('exit', this.atExit);
    this.guard = this.keepRunning(stopping.signal);
  }

  /** Starts the server. @throws EmbeddedPostgresError with the reason and a remedy */
  static async start({ dataDir, log, passwd }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const binaries = findPostgresBinaries();
    await mkdir(dataDir, { recursive: true });
    // The directory belongs to root, and the account of the server must pass through it to the cluster.
    await chmod(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
    const paths = clusterPaths(await realpath(dataDir));
    const lock = await acquireOwnerLock(paths.directory);
    const release = async () => {
      await removeSocketDirectory(paths);
      await lock.release();
    };
    try {
      const account = await postgresAccount(paths.cluster, passwd);
      const launcher = await Launcher.find(binaries, paths.directory, account);
      await checkVersion(paths, launcher.version);
      if (await stopOrphan(paths.cluster)) log('stopped the database server that an earlier process had left running');
      const password = await ensureCluster(paths, launcher, binaries, account, log);
      const host = await makeSocketDirectory(paths, account);
      const connection = { host, port: 5432, user: RAMPART, password, database: RAMPART };
      const stopping = new AbortController();
      const launch = () =>
        launchServer(
          () => PostgresServer.launch(launcher, binaries.postgres, paths.cluster, host, log),
          connection,
          stopping.signal,
        );
      const server = await launch();
      log(`PostgreSQL ${launcher.version} runs as process ${server.pid} in ${paths.cluster}`);
      return new EmbeddedPostgres(connection, server, launch, stopping, release, log);
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** The URL of the owner of the database and its tables, who migrates and restores them. */
  get url(): string {
    return urlOf(this.connection, OWNER);
  }

  /** The URL of the superuser, for settings of the server. */
  get superuserUrl(): string {
    return urlOf(this.connection, RAMPART);
  }

  /** The URL for the service, which owns nothing. */
  get serviceUrl(): string {
    return urlOf(this.connection, SERVICE);
  }

  /** The process id of the server, which changes with each restart. */
  get pid(): number | undefined {
    return this.server.pid;
  }

  /** Stops the server by a fast shutdown. Close all pools before. Concurrent calls wait for the first one. */
  async stop(): Promise<void> {
    const first = !this.stopping.signal.aborted;
    this.stopping.abort();
    await this.guard;
    if (!first) return;
    process.off('exit', this.atExit);
    await this.release();
  }

  private async keepRunning(signal: AbortSignal): Promise<void> {
    const aborted = once(signal, 'abort');
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      const since = Date.now();
      await Promise.race([this.server.ended, aborted]);
      if (signal.aborted) return this.server.end();
      this.log(`the database server ended unexpectedly (${await this.server.ended}) and is started again`);
      if (Date.now() - since > SETTLED_MS) pause = FIRST_PAUSE_MS;
      await wait(pause, undefined, { signal }).catch(() => undefined);
      try {
        this.server = await this.launch();
      } catch (error) {
        this.log(String(error));
      }
    }
  }
}

/**
 * Starts a server and creates its database and roles. Processes of a server that died before may need a moment to end, so it
 * retries.
 */
async function launchServer(
  spawn: () => PostgresServer,
  connection: DatabaseConnection,
  signal: AbortSignal,
): Promise<PostgresServer> {
  for (const deadline = Date.now() + LINGERING_MS; ; await wait(FIRST_PAUSE_MS)) {
    const server = spawn();
    const end = () => void server.end();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      await server.ready({ ...connection, database: 'postgres' });
      await ensureDatabase(connection);
      return server;
    } catch (error) {
      await server.end();
      if (signal.aborted || Date.now() > deadline || !String(error).includes('shared memory block')) throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }
}

/** The connection of a role as a URL, for `pg` and TypeORM. */
export function urlOf({ host, port, user, password, database }: DatabaseConnection, role: string): string {
  const own = role === user ? password : rolePassword(password, role);
  return `postgres://${role}:${own}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
