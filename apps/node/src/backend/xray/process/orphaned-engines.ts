import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { NodeError } from '../../../errors/node-error.js';
import type { EngineRights } from '../rights/engine-rights.js';
import { startTimeOf } from './process-identity.js';

/** Environment variable that marks every engine with the node that started it. */
export const OWNER_VARIABLE = 'RAMPART_ENGINE_OWNER';
/** Environment variable with the id of the run of an engine that may outlive its node. */
export const RUN_VARIABLE = 'RAMPART_ENGINE_RUN';

const MAX_EXIT_MS = 3000;
const POLL_MS = 10;

interface Owner {
  readonly pid: number;
  /** Distinguishes two processes with the same process id. */
  readonly startTime: string;
}

/** The mark of an engine that this process starts for a data directory. */
export function engineOwnerMark(dataDir: string): string {
  return `${process.pid}:${startTimeOf(process.pid) ?? ''}:${dataDir}`;
}

/**
 * Ends engines that a dead node with the same data directory left behind, except for those that are `kept`: otherwise
 * they would go on serving its users on the same ports. START_FAILED when that node is alive. Does nothing where there
 * is no /proc.
 */
export async function endOrphanedEngines(
  dataDir: string,
  rights?: EngineRights,
  kept: readonly (number | undefined)[] = [],
): Promise<void> {
  const ourNamespace = await pidNamespace('self');
  for (const pid of await processIds()) {
    if (kept.includes(pid)) continue;
    const owner = await ownerOf(pid, dataDir, rights);
    // Seen from outside a container, the owner's process id and the directory have another meaning.
    if (owner === undefined || (await pidNamespace(pid)) !== ourNamespace) continue;
    if (owner.startTime !== startTimeOf(owner.pid)) await endProcess(pid);
    else if (owner.pid !== process.pid) {
      throw new NodeError('START_FAILED', `another node (process ${owner.pid}) runs an engine for ${dataDir}`);
    }
  }
}

/** Whether a process is the engine of this run. */
export async function isEngineOfRun(pid: number, run: string, rights?: EngineRights): Promise<boolean> {
  return (await environmentOf(pid, rights)).split('\0').includes(`${RUN_VARIABLE}=${run}`);
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

async function endProcess(pid: number): Promise<void> {
  const began = startTimeOf(pid);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
  for (let waited = 0; waited < MAX_EXIT_MS && startTimeOf(pid) === began; waited += POLL_MS) {
    await setTimeout(POLL_MS);
  }
}
