import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import type { Launcher } from './launcher.js';
import { endServer } from './postmaster.js';

const POLL_MS = 20;
const NOTICE_MS = 5_000;
const REMEMBERED_LINES = 20;

/** Lines that only matter when the server fails to start: informational messages and what it tells clients. */
const ROUTINE_LINE = /^(LOG|FATAL: {2}(the database system is|terminating connection))/;

// Random pages cost as much as sequential ones in memory and on solid-state disks.
// Errors of statements are reported by the caller; in this log they would only repeat its data.
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  random_page_cost: '1.1',
  jit: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_line_prefix: '',
};

/** A running server process. */
export class PostgresServer {
  private readonly lines: string[] = [];
  /** Resolves when the process has ended, with a text that says how. */
  readonly ended: Promise<string>;
  private hasEnded = false;

  private constructor(
    private readonly child: ChildProcess,
    private readonly log: (line: string) => void,
  ) {
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
    });
    void this.ended.then(() => {
      this.hasEnded = true;
    });
    // A server that nobody stops must not keep this process alive; it ends with it.
    child.unref();
    if (child.stderr instanceof Socket) child.stderr.unref();
    createInterface(child.stderr!).on('line', (line) => {
      this.lines.push(line);
      if (this.lines.length > REMEMBERED_LINES) this.lines.shift();
      if (!ROUTINE_LINE.test(line)) log(line);
    });
  }

  static launch(
    launcher: Launcher,
    postgres: string,
    cluster: string,
    socketDirectory: string,
    log: (line: string) => void,
  ): PostgresServer {
    const settings = { ...SETTINGS, unix_socket_directories: socketDirectory };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return new PostgresServer(launcher.spawn(postgres, ['-D', cluster, ...args]), log);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Waits until the server accepts connections, which after a crash takes as long as the recovery. */
  async ready(connection: pg.ClientConfig): Promise<void> {
    for (let notice = Date.now() + NOTICE_MS; !(await this.answers(connection)); await wait(POLL_MS)) {
      if (this.hasEnded) throw new EmbeddedPostgresError(await this.startFailure());
      if (Date.now() < notice) continue;
      this.log('the database is not ready yet: it recovers from a crash');
      notice = Date.now() + NOTICE_MS;
    }
  }

  private async answers(connection: pg.ClientConfig): Promise<boolean> {
    const client = new pg.Client(connection);
    client.on('error', () => undefined);
    try {
      await client.connect();
      return true;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== undefined && STARTING_UP.has(code)) return false;
      throw new EmbeddedPostgresError(`The embedded PostgreSQL refuses the connection: ${(error as Error).message}`, {
        cause: error,
      });
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** What the server wrote before it ended, for the error of a failed start. */
  private async startFailure(): Promise<string> {
    const how = await this.ended;
    if (this.child.stderr && !this.child.stderr.readableEnded) await once(this.child.stderr, 'end');
    return `The embedded PostgreSQL did not start (${how}): ${this.lines.join(' | ')}`;
  }

  /** Stops the process; open transactions are rolled back. */
  async end(): Promise<void> {
    if (this.pid !== undefined && !this.hasEnded) await endServer(this.pid, () => this.hasEnded);
  }

  /** Stops the process without waiting, for use while this process exits. */
  endNow(): void {
    if (!this.hasEnded) this.child.kill('SIGINT');
  }
}

// Errors of a starting server: no socket yet, nobody listening, connection reset, "the database system is starting up".
const STARTING_UP = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', '57P03']);
