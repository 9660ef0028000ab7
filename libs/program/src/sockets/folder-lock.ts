import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';

const MAX_ANSWER_MS = 5_000;

/**
 * Locks a folder for this process with a listening socket in it. Unlike a file with a process id, the kernel tells whether its
 * owner is alive, across containers too. The names are numbers that only grow, and the socket with the highest one stays
 * when its owner ends: so nobody who looked earlier can take a lock that was taken since.
 */
export class FolderLock {
  private constructor(
    private readonly server: Server,
    private readonly handle: FileHandle,
  ) {}

  /**
   * Creates the folder where it is missing.
   *
   * @param answer what the owner answers to the text that another process sends, see {@link FolderLock.ask}
   * @returns undefined when a living process has the lock
   * @throws the system's error where the folder takes no sockets
   */
  static async acquire(folder: string, answer: (question: string) => string): Promise<FolderLock | undefined> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(folder, 'r');
    try {
      const server = await tryLock(shortPath(folder, handle), answer);
      if (server) return new FolderLock(server, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return undefined;
  }

  /** Whether a living process has the lock. A folder that does not exist is not locked. */
  static async isHeld(folder: string): Promise<boolean> {
    return (await withNewest(folder, (socket) => connected(socket, async () => true))) ?? false;
  }

  /** Sends a text to the process that has the lock, and returns its answer; empty when there is none within 5 seconds. */
  static async ask(folder: string, question: string): Promise<string> {
    return (await withNewest(folder, (socket) => connected(socket, (open) => answerOf(open, question)))) ?? '';
  }

  /** Never fails: nothing on the disk has to change for the next owner. */
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
async function tryLock(folder: string, answer: (question: string) => string): Promise<Server | undefined> {
  const newest = await newestNumber(folder);
  if (newest > 0 && (await connected(`${folder}/${newest}`, async () => true))) return undefined;
  // It listens before it gets its number: a socket that does not listen yet looks like one of a dead process.
  const unnumbered = `${folder}/${randomUUID()}`;
  const server = await listen(unnumbered, answer);
  let locked = false;
  try {
    const number = newest + 1;
    await link(unnumbered, `${folder}/${number}`);
    locked = (await newestNumber(folder)) === number;
    if (locked) await removeOlder(folder, number);
    else await rm(`${folder}/${number}`, { force: true });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(unnumbered, { force: true });
    if (!locked) server.close();
  }
  return locked ? server : undefined;
}

/** Calls `use` with the path of the socket of the last owner, alive or not; undefined where there never was one. */
async function withNewest<T>(folder: string, use: (socket: string) => Promise<T>): Promise<T | undefined> {
  const handle = await open(folder, 'r').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const short = shortPath(folder, handle);
    const newest = await newestNumber(short);
    return newest > 0 ? await use(`${short}/${newest}`) : undefined;
  } finally {
    await handle.close();
  }
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

async function listen(path: string, answer: (question: string) => string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.setTimeout(MAX_ANSWER_MS, () => socket.destroy());
    socket.once('data', (said: Buffer) => socket.end(answer(said.toString())));
  });
  server.listen(path);
  await once(server, 'listening');
  server.unref();
  return server;
}

/** Calls `use` with a connection to the owner; undefined when nobody listens any more. */
async function connected<T>(path: string, use: (socket: Socket) => Promise<T>): Promise<T | undefined> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return await use(socket);
  } catch (error) {
    if (['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(codeOf(error))) return undefined;
    throw error;
  } finally {
    socket.destroy();
  }
}

async function answerOf(socket: Socket, question: string): Promise<string> {
  socket.setTimeout(MAX_ANSWER_MS, () => socket.destroy());
  let answer = '';
  try {
    socket.write(question);
    for await (const chunk of socket) answer += chunk;
  } catch {
    // The owner ended, or does not answer.
  }
  return answer;
}

/** Looks at the member instead of the class: in some runtimes errors of Node.js belong to another realm. */
const codeOf = (error: unknown): string => String(Reflect.get(Object(error), 'code') ?? '');
