import { readdir, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { API_HOST } from '../names/reserved.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** How many files a process has open, and may have. Sockets count. */
export interface OpenFiles {
  readonly open: number;
  readonly limit: number;
}

/** Undefined where the system does not tell, or the process has ended. */
export async function openFilesOf(pid: number | undefined, rights?: EngineRights): Promise<OpenFiles | undefined> {
  if (pid === undefined) return undefined;
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(await readFile(`/proc/${pid}/limits`, 'utf8')) ?? [];
    return { open: await countFiles(`/proc/${pid}/fd`, rights), limit: Number(soft ?? Number.POSITIVE_INFINITY) };
  } catch {
    return undefined;
  }
}

async function countFiles(folder: string, rights: EngineRights | undefined): Promise<number> {
  // Linux 6.2 and later tell everybody the number.
  const { size } = await stat(folder);
  if (size > 0) return size;
  const files = await readdir(folder).catch(() => undefined);
  if (files !== undefined) return files.length;
  // A root without CAP_SYS_PTRACE lists them with the account of the engine.
  if (rights === undefined) throw new Error(`${folder} cannot be listed`);
  return (await rights.runAsEngine(['ls', folder])).trim().split('\n').length;
}

/** A proxy refuses it, because it says no URL to connect to. By the host the node knows the line that the log has of it. */
const REQUEST = `GET / HTTP/1.1\r\nHost: ${API_HOST}\r\n\r\n`;

/** Opens a connection to a proxy for HTTP at this socket, and waits until it answers. */
export function knockAt(socketPath: string, deadlineMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath, () => socket.write(REQUEST));
    const timer = setTimeout(() => socket.destroy(), deadlineMs);
    let isAnswered = false;
    socket.once('data', () => {
      isAnswered = true;
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      if (isAnswered) resolve();
      else reject(new Error('no answer'));
    });
  });
}
