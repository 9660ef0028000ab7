import { rmSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, lastingScratchFolder, testWorker } from '@rampart/testing';
import pg from 'pg';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { stopOrphan } from '../database/embedded/postmaster.js';
import { OWNER, SERVICE } from '../database/embedded/roles.js';
import { clusterTemplate, copyCluster } from './copy-cluster.js';

const FOLDER = 'rampart-worker-';
/** Some spec files run several services, each with pools of its own. */
const MAX_CONNECTIONS = 300;

/** Connections to databases by the names of their programs. */
const USERS = `SELECT application_name AS name FROM pg_stat_activity WHERE datname = ANY($1) AND backend_type = 'client backend'`;

/** URLs of one database for the roles of the embedded server. */
export type RoleUrls = Pick<EmbeddedPostgres, 'url' | 'serviceUrl' | 'superuserUrl'>;

/**
 * The PostgreSQL of a jest worker, which its spec files share. Each has databases of its own in it, which are removed when it
 * ends. No test may change the server, its settings or its roles.
 */
export class WorkerServer {
  private created = 0;
  private databases: string[] = [];

  private constructor(private readonly server: EmbeddedPostgres) {}

  static async get(): Promise<WorkerServer> {
    const { kept } = testWorker();
    // Whoever watches files may change the tables while a worker lives.
    const name = `PostgreSQL of ${await clusterTemplate()}`;
    const running = kept.get(name) as Promise<WorkerServer> | undefined;
    if (running !== undefined) return running;
    const started = WorkerServer.start();
    kept.set(name, started);
    // Another test file may have more luck.
    started.catch(() => kept.delete(name));
    return started;
  }

  private static async start(): Promise<WorkerServer> {
    const parent = lastingScratchFolder();
    await removeLeftovers(parent);
    const folder = await mkdtemp(join(parent, `${FOLDER}${process.pid}-`));
    await copyCluster(folder);
    await appendFile(join(folder, 'cluster/postgresql.auto.conf'), `max_connections = ${MAX_CONNECTIONS}\n`);
    const server = await EmbeddedPostgres.start({ dataDir: folder, log: () => undefined });
    testWorker().atExit.push(() => {
      if (server.pid !== undefined) process.kill(server.pid, 'SIGQUIT');
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });
    return new WorkerServer(server);
  }

  /** Creates a database of the owner's role, empty or with all tables. */
  async createDatabase(content: 'empty' | 'migrated'): Promise<RoleUrls> {
    this.created += 1;
    const name = `test_${this.created}`;
    if (this.databases.length === 0) testWorker().atFileEnd.push(() => this.dropDatabases());
    this.databases.push(name);
    await this.asSuperuser(
      `CREATE DATABASE ${name} OWNER ${OWNER} TEMPLATE ${content === 'empty' ? 'template0' : 'rampart'} STRATEGY file_copy`,
      `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`,
      `GRANT CONNECT ON DATABASE ${name} TO ${SERVICE}`,
    );
    const { url, serviceUrl, superuserUrl } = this.server;
    const named = (other: string): string => other.replace('@/rampart?', `@/${name}?`);
    return { url: named(url), serviceUrl: named(serviceUrl), superuserUrl: named(superuserUrl) };
  }

  private async dropDatabases(): Promise<void> {
    const names = this.databases.splice(0);
    const client = await this.connect();
    try {
      const users = () => client.query(USERS, [names]);
      // A server process needs a moment to end after its client.
      await eventually('all connections end', async (saw) => saw(await users()).rowCount === 0, 5_000).catch(
        () => undefined,
      );
      const { rows } = await users();
      for (const name of names) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      if (rows.length > 0)
        throw new Error(`The spec file has left connections open: ${rows.map(({ name }) => name).join(', ')}`);
    } finally {
      await client.end();
    }
  }

  /** For what a spec file undoes before it ends. */
  async asSuperuser(...statements: readonly string[]): Promise<void> {
    const client = await this.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client(this.server.superuserUrl.replace('@/rampart?', '@/postgres?'));
    await client.connect();
    return client;
  }
}

/** Removes the servers of workers that were killed. */
export async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(FOLDER) || isRunning(Number.parseInt(name.slice(FOLDER.length), 10))) continue;
    const folder = join(parent, name);
    await stopOrphan(join(folder, 'cluster'));
    await rm(folder, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to another account.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
