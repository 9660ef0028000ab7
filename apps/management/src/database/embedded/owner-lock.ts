import { mkdtemp, rm, stat, symlink, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

const SOCKET = 'owner.sock';
const SETTLING_MS = 100;
const ANSWER_MS = 2_000;

/**
 * Marks a directory as owned by one living process, by a Unix socket in it that only a living process can answer. The
 * kernel releases it however the process ends, and other containers that mount the directory see it too.
 */
export class OwnerLock {
  private constructor(
    private readonly server: Server,
    private readonly path: string,
  ) {}

  /** @throws EmbeddedPostgresError that names the process which owns the directory */
  static acquire(directory: string): Promise<OwnerLock> {
    return withShortPath(
      directory,
      async (socket) => new OwnerLock(await claim(socket, directory), join(directory, SOCKET)),
    );
  }

  async release(): Promise<void> {
    await unlink(this.path);
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Whether a living process owns the directory. */
export const isOwned = (directory: string): Promise<boolean> =>
  withShortPath(directory, async (socket) => (await owner(socket)).alive);

/** Paths of sockets are limited to about 100 bytes, paths of data directories are not. A short link keeps the path short. */
async function withShortPath<T>(directory: string, use: (socket: string) => Promise<T>): Promise<T> {
  const short = await mkdtemp(join(tmpdir(), 'rampart-'));
  try {
    await symlink(directory, join(short, 'd'));
    return await use(join(short, 'd', SOCKET));
  } finally {
    await rm(short, { recursive: true });
  }
}

async function claim(socket: string, directory: string): Promise<Server> {
  const before = await owner(socket);
  if (before.alive) throw inUse(directory, before.pid);
  if (before.stale) await unlink(socket).catch(() => undefined);
  const server = await listen(socket).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw inUse(directory, (await owner(socket)).pid);
    throw new EmbeddedPostgresError(
      `Cannot create a socket in ${directory} (${error.code}). Name a directory on a local file system in RAMPART_DATA_DIR.`,
      { cause: error },
    );
  });
  if (before.stale) {
    // When two processes find the same dead owner, the later one replaces the socket of the other.
    const mine = await stat(socket);
    await wait(SETTLING_MS);
    if ((await stat(socket)).ino !== mine.ino) {
      const { pid } = await owner(socket);
      // Closing removes the socket by its path, where the socket of the other process is by now.
      await unlink(dirname(socket));
      server.close();
      throw inUse(directory, pid);
    }
  }
  return server;
}

function listen(socket: string): Promise<Server> {
  const server = createServer((connection) => connection.on('error', () => undefined).end(`${process.pid}`)).unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(socket, () => resolve(server));
  });
}

interface Owner {
  alive: boolean;
  /** The socket exists, but no process answers on it. */
  stale: boolean;
  pid?: string;
}

function owner(socket: string): Promise<Owner> {
  return new Promise((resolve, reject) => {
    let pid = '';
    const connection = connect(socket);
    connection
      .setEncoding('utf8')
      .setTimeout(ANSWER_MS, () => connection.destroy())
      .on('data', (text: string) => {
        pid += text;
      })
      .on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') resolve({ alive: false, stale: false });
        else if (error.code === 'ECONNREFUSED') resolve({ alive: false, stale: true });
        else reject(error);
      })
      .on('close', () => resolve({ alive: true, stale: false, pid }));
  });
}

function inUse(directory: string, pid = ''): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database in ${directory} is in use by another Rampart management (process ${pid || 'unknown'}). ` +
      'Stop that one first, or name another directory in RAMPART_DATA_DIR; several managements share a server named in DATABASE_URL.',
  );
}
