import { readFile, writeFile } from 'node:fs/promises';
import { memoryAvailable, memoryLimit } from '../../../machine/cgroup.js';

const MIB = 2 ** 20;
/** The node with 100,000 users, or a quarter where that would be too much. */
const RESERVED_FOR_NODE_BYTES = 256 * MIB;
/** Of two engines it is the old one that has to go first, and the node never. */
const ENGINE_OOM_SCORE = 500;

/**
 * What the engine's collector should keep to, as GOMEMLIMIT; nothing without a limit. Half of what the node leaves: a
 * second engine runs beside the first while a configuration is handed over. Go does not know the limits of a container,
 * and would double its heap right into them.
 */
export function goMemoryLimit(limit = memoryLimit()): string | undefined {
  if (limit === undefined) return undefined;
  const share = (limit - Math.min(RESERVED_FOR_NODE_BYTES, limit / 4)) / 2;
  return `${Math.floor(share / MIB)}MiB`;
}

/** Why there is no room for another engine like this one, if there is none. */
export async function memoryShortage(
  pid: number | undefined,
  available = memoryAvailable(),
): Promise<string | undefined> {
  const needed = await residentBytes(pid);
  if (needed <= available) return undefined;
  const inMib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
  return `a second engine would need ${inMib(needed)} of memory, and there are ${inMib(available)}`;
}

/** When memory runs out the kernel ends the engine, which comes up again, rather than the node. Where that is permitted. */
export async function preferForOomKill(pid: number | undefined): Promise<void> {
  await writeFile(`/proc/${pid}/oom_score_adj`, `${ENGINE_OOM_SCORE}`).catch(() => undefined);
}

async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
