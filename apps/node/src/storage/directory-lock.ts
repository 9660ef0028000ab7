import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { OperatorError } from '@rampart/program';
import { errorCodeOf } from './disk-problem.js';

const MAX_LOCK_ATTEMPTS = 5;

/** Another living process uses the directory. */
export class DirectoryInUse extends OperatorError {
  override readonly name = 'DirectoryInUse';

  constructor(directory: string) {
    super(`another node uses ${directory}: give each node a directory of its own (RAMPART_NODE_DATA_DIR)`);
  }
}

/**
 * Locks a directory for this process with a socket in it. Unlike a file with a process id, the kernel tells whether its
 * owner is alive, across containers too.
 */
export class DirectoryLock {
  private constructor(
    private readonly server: Server,
    private readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws DirectoryInUse */
  static async acquire(directory: string): Promise<DirectoryLock> {
    const path = join(directory, 'lock');
    const handle = await open(directory, 'r');
    // The path of a socket is limited to 107 bytes, but the directory's path may be longer.
    const short = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}/lock` : path;
    try {
      for (let attempt = 1; attempt <= MAX_LOCK_ATTEMPTS; attempt += 1) {
        const server = await tryListen(short);
        if (server !== undefined) return new DirectoryLock(server, path, handle);
        if (await ownerIsAlive(short)) break;
        // The socket is moved before the check, since another node may just have replaced the one of a dead
        // node.
        const aside = `${short}.${process.pid}`;
        await rename(short, aside).catch(() => undefined);
        if (await ownerIsAlive(aside)) {
          await rename(aside, short);
          break;
        }
        await rm(aside, { force: true });
      }
      throw new DirectoryInUse(directory);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Never fails: the next node takes over a lock that a broken disk keeps. */
  async release(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => undefined);
    this.server.close();
    await this.handle.close().catch(() => undefined);
  }
}

/** Listens on a unix socket. Resolves with undefined when its path is in use. */
async function tryListen(path: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(path);
  try {
    await once(server, 'listening');
    server.unref();
    return server;
  } catch (error) {
    if (errorCodeOf(error) === 'EADDRINUSE') return undefined;
    throw error;
  }
}

async function ownerIsAlive(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    if (['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(errorCodeOf(error))) return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
