import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const POLL_MS = 20;
const FAST_SHUTDOWN_MS = 10_000;

/**
 * Stops a server that an earlier process left running on this cluster. Only the owner of the cluster may call it.
 * @returns whether there was such a server
 */
export async function stopOrphan(cluster: string): Promise<boolean> {
  const file = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  // The PID file of a dead server stays: PostgreSQL uses it to find out whether one of its processes still lives.
  if (!(pid > 0) || !isAlive(pid)) return false;
  if (!(await isServerOf(pid, cluster))) {
    // Another program has the process id now, as often happens in containers, and PostgreSQL would take it for a
    // server.
    await rm(file);
    return false;
  }
  await endServer(pid, () => !isAlive(pid));
  return true;
}

/**
 * Tries a fast shutdown, which rolls back open transactions, then an immediate one, after which the next start runs
 * recovery.
 */
export async function endServer(pid: number, ended: () => boolean): Promise<void> {
  signal(pid, 'SIGINT');
  for (const deadline = Date.now() + FAST_SHUTDOWN_MS; !ended() && Date.now() < deadline; ) await wait(POLL_MS);
  if (!ended()) signal(pid, 'SIGQUIT');
  while (!ended()) await wait(POLL_MS);
}

function isAlive(pid: number): boolean {
  return signal(pid, 0);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    // EPERM means that the process lives under another account.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process is a PostgreSQL server on this cluster, which is then its working directory. */
async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  const directory = await realpath(cluster);
  if (process.platform === 'linux') {
    const [program, cwd] = await Promise.all(
      ['exe', 'cwd'].map((name) => readlink(`/proc/${pid}/${name}`).catch(() => '')),
    );
    return basename(program ?? '') === 'postgres' && cwd === directory;
  }
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(() => ({
    stdout: '',
  }));
  return stdout.includes('postgres') && stdout.includes(directory);
}
