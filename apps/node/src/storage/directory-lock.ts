import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { OperatorError } from '@rampart/program';
import { errorCodeOf } from './disk-problem.js';

/** What a process writes that wants the directory, and what the owner answers when it gives it up. */
const REQUEST = 'take over\n';
const CONSENT = 'yes\n';
const MAX_ANSWER_MS = 5000;

/** Another living process uses the directory. */
export class DirectoryInUse extends OperatorError {
  override readonly name = 'DirectoryInUse';

  constructor(directory: string) {
    super(`another node uses ${directory}: give each node a directory of its own (RAMPART_NODE_DATA_DIR)`);
  }
}

/**
 * Locks a directory for this process with a listening socket in its folder `locks`. Unlike a file with a process id, the
 * kernel tells whether its owner is alive, across containers too. The names are numbers that only grow, and the socket
 * with the highest one stays when its owner ends: so nobody who looked earlier can take a lock that was taken since.
 */
export class DirectoryLock {
  private constructor(
    private readonly server: Server,
    private readonly handle: FileHandle,
  ) {}

  /**
   * @param onRequest called when another process asks for the directory; returns whether the owner will release it
   * @throws DirectoryInUse
   */
  static async acquire(directory: string, onRequest: () => boolean = () => false): Promise<DirectoryLock> {
    const folder = join(directory, 'locks');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(folder, 'r');
    try {
      const server = await tryLock(shortPath(folder, handle), onRequest);
      if (server === undefined) throw new DirectoryInUse(directory);
      return new DirectoryLock(server, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Asks the process that has locked a directory to release it. Resolves with whether it will. */
  static async request(directory: string): Promise<boolean> {
    const folder = join(directory, 'locks');
    const handle = await open(folder, 'r');
    try {
      const short = shortPath(folder, handle);
      return await askOwner(`${short}/${await newestNumber(short)}`);
    } finally {
      await handle.close();
    }
  }

  /** Never fails: nothing on the disk has to change for the next node. */
  async release(): Promise<void> {
    this.server.close();
    await this.handle.close().catch(() => undefined);
  }
}

/** The path of a socket is limited to 107 bytes, but the path of the folder may be longer. */
function shortPath(folder: string, { fd }: FileHandle): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}` : folder;
}

/** Resolves with the server that holds the lock, or with undefined when another process holds it. */
async function tryLock(folder: string, onRequest: () => boolean): Promise<Server | undefined> {
  const newest = await newestNumber(folder);
  if (newest > 0 && (await ownerIsAlive(`${folder}/${newest}`))) return undefined;
  // It listens before it gets its number: a socket that does not listen yet looks like one of a dead process.
  const unnumbered = `${folder}/${randomUUID()}`;
  const server = await listen(unnumbered, onRequest);
  let locked = false;
  try {
    const number = newest + 1;
    await link(unnumbered, `${folder}/${number}`);
    locked = (await newestNumber(folder)) === number;
    if (locked) await removeOlder(folder, number);
    else await rm(`${folder}/${number}`, { force: true });
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(unnumbered, { force: true });
    if (!locked) server.close();
  }
  return locked ? server : undefined;
}

/** The highest number among the sockets, 0 when there is none. */
async function newestNumber(folder: string): Promise<number> {
  return Math.max(0, ...(await readdir(folder)).filter(isNumber).map(Number));
}

async function removeOlder(folder: string, number: number): Promise<void> {
  const older = (await readdir(folder)).filter((name) => isNumber(name) && Number(name) < number);
  for (const name of older) await rm(`${folder}/${name}`, { force: true });
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

/** Listens on a unix socket, and answers whoever asks for the directory. */
async function listen(path: string, onRequest: () => boolean): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.setTimeout(MAX_ANSWER_MS, () => socket.destroy());
    socket.once('data', (said: Buffer) => socket.end(said.toString() === REQUEST && onRequest() ? CONSENT : ''));
  });
  server.listen(path);
  await once(server, 'listening');
  server.unref();
  return server;
}

async function askOwner(path: string): Promise<boolean> {
  const socket = connect(path);
  socket.setTimeout(MAX_ANSWER_MS, () => socket.destroy());
  let answer = '';
  try {
    await once(socket, 'connect');
    socket.write(REQUEST);
    for await (const chunk of socket) answer += chunk;
  } catch {
    // Nobody listens, or somebody who does not know this request.
  } finally {
    socket.destroy();
  }
  return answer === CONSENT;
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
