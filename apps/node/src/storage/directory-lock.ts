import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { OperatorError } from '@rampart/program';
import { errorCodeOf } from './disk-problem.js';

const MAX_LOCK_ATTEMPTS = 5;

/** The directory belongs to another process that lives. */
export class DirectoryInUse extends OperatorError {
  override readonly name = 'DirectoryInUse';

  constructor(directory: string) {
    super(`another node uses ${directory}: give each node a directory of its own (RAMPART_NODE_DATA_DIR)`);
  }
}

/**
 * Keeps a directory for this process by a socket in it: unlike a file with a process id, the kernel itself tells whether
 * its owner lives, across containers too.
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
    // The path of a socket may have 107 bytes only, whatever the directory's is.
    const short = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}/lock` : path;
    try {
      for (let attempt = 1; attempt <= MAX_LOCK_ATTEMPTS; attempt += 1) {
        const server = await tryListen(short);
        if (server !== undefined) return new DirectoryLock(server, path, handle);
        if (await ownerIsAlive(short)) break;
        // Moved first, then looked at: another node that starts now may just have taken the place of a dead one.
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

  /** Never fails: a lock that a broken disk keeps is taken over by the next node. */
  async release(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => undefined);
    this.server.close();
    await this.handle.close().catch(() => undefined);
  }
}

/** Undefined when the path is taken, by whoever or whatever. */
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
