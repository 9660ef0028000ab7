import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { NodeError } from '../../../errors/node-error.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** Environment variable that marks every engine with the node that started it. */
export const OWNER_VARIABLE = 'RAMPART_ENGINE_OWNER';

const MAX_EXIT_MS = 3000;
const POLL_MS = 10;

interface Owner {
  readonly pid: number;
  /** Distinguishes two processes with the same process id. */
  readonly startTime: string;
}

/** The mark of an engine that this process starts for a data directory. */
export async function engineOwnerMark(dataDir: string): Promise<string> {
  return `${process.pid}:${(await startTime(process.pid)) ?? ''}:${dataDir}`;
}

/**
 * Ends engines that a dead node with the same data directory left behind: otherwise they would go on serving its users
 * on the same ports. START_FAILED when that node is alive. Does nothing where there is no /proc.
 */
export async function endOrphanedEngines(dataDir: string, rights?: EngineRights): Promise<void> {
  const ourNamespace = await pidNamespace('self');
  for (const pid of await processIds()) {
    const owner = await ownerOf(pid, dataDir, rights);
    // Seen from outside a container, the owner's process id and the directory have another meaning.
    if (owner === undefined || (await pidNamespace(pid)) !== ourNamespace) continue;
    if (owner.startTime !== (await startTime(owner.pid))) await endProcess(pid);
    else if (owner.pid !== process.pid) {
      throw new NodeError('START_FAILED', `another node (process ${owner.pid}) runs an engine for ${dataDir}`);
    }
  }
}

async function pidNamespace(pid: number | 'self'): Promise<string> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => '');
}

async function processIds(): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => []);
  return entries.filter((name) => /^\d+$/.test(name)).map(Number);
}

async function ownerOf(pid: number, dataDir: string, rights?: EngineRights): Promise<Owner | undefined> {
  const environment = await environmentOf(pid, rights);
  const mark = environment.split('\0').find((entry) => entry.startsWith(`${OWNER_VARIABLE}=`));
  const [, owner, time = '', directory] = /=(\d+):(\d*):(.*)$/s.exec(mark ?? '') ?? [];
  return directory === dataDir ? { pid: Number(owner), startTime: time } : undefined;
}

/** The environment of a process; empty when it cannot be read. */
async function environmentOf(pid: number, rights?: EngineRights): Promise<string> {
  const path = `/proc/${pid}/environ`;
  try {
    return await readFile(path, 'utf8');
  } catch {
    // A root without CAP_SYS_PTRACE, as in containers, cannot read processes of another account.
    const account = rights?.account;
    const owner = await stat(path).catch(() => undefined);
    if (rights === undefined || account === undefined || owner?.uid !== account.uid) return '';
    return rights.runAsEngine(['cat', path]).catch(() => '');
  }
}

/** Start time in clock ticks; undefined when there is no such process. */
async function startTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is a name in parentheses that may contain anything; the start time is the 20th field after
  // it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

async function endProcess(pid: number): Promise<void> {
  const began = await startTime(pid);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
  for (let waited = 0; waited < MAX_EXIT_MS && (await startTime(pid)) === began; waited += POLL_MS) {
    await setTimeout(POLL_MS);
  }
}
