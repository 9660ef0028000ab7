import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { showOutputOnFailure } from '@rampart/testing';
import { partsOfUrl } from './database-proxy.js';

/** The path of the program from Debian's package; undefined when it is not installed. */
export const PGBOUNCER = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** A PgBouncer in transaction mode in front of a PostgreSQL on a Unix socket. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    /** The URL of the database through PgBouncer. */
    readonly url: string,
  ) {}

  static async before(databaseUrl: string, connections: number): Promise<PgBouncer> {
    const { username, password, database, host, port } = partsOfUrl(databaseUrl);
    const own = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'rampart-pgbouncer-'));
    const config = join(folder, 'pgbouncer.ini');
    const target = `host=${host} port=${port} dbname=${database} user=${username} password=${password}`;
    const lines = [
      ...['[databases]', `${database} = ${target}`, '[pgbouncer]', 'pool_mode = transaction', 'auth_type = any'],
      ...['listen_addr = 127.0.0.1', `listen_port = ${own}`, 'unix_socket_dir ='],
      ...[`default_pool_size = ${connections}`, 'max_client_conn = 200'],
    ];
    await writeFile(config, lines.join('\n'));
    // PgBouncer refuses to run as root, and only the account of the server may open its socket.
    const { uid, gid } = await stat(host);
    const account = process.getuid?.() === 0 ? { uid, gid } : {};
    await chmod(folder, 0o755);
    if (account.uid !== undefined) await chown(config, uid, gid);
    const child = spawn(PGBOUNCER ?? 'pgbouncer', [config], { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    showOutputOnFailure('PgBouncer', () => output);
    const bouncer = new PgBouncer(child, folder, `postgres://${username}:${password}@127.0.0.1:${own}/${database}`);
    await bouncer.listening(own);
    return bouncer;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGINT');
      await once(this.child, 'exit');
    }
    await rm(this.folder, { recursive: true });
  }

  private async listening(port: number): Promise<void> {
    for (;;) {
      if (this.child.exitCode !== null) throw new Error(`pgbouncer ended with exit code ${this.child.exitCode}`);
      const socket = connect(port, '127.0.0.1');
      const [event] = await Promise.race([
        once(socket, 'connect').then(() => ['connect']),
        once(socket, 'close').then(() => ['close']),
      ]).catch(() => ['close']);
      socket.destroy();
      if (event === 'connect') return;
      await wait(20);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
