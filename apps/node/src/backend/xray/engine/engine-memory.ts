import { readFile, writeFile } from 'node:fs/promises';
import { memoryAvailable, memoryLimit } from '../../../machine/cgroup.js';

const MIB = 2 ** 20;
/** Memory reserved for the node: enough for 100,000 users, but at most a quarter of the limit. */
const RESERVED_FOR_NODE_BYTES = 256 * MIB;
/** Raises the engine's OOM score above the node's, so that the kernel ends the engine first. */
const ENGINE_OOM_SCORE = 500;

/**
 * GOMEMLIMIT for the engine; undefined when memory has no limit. It is half of what the node leaves, since two engines
 * run during a handover. Go does not know the limits of a container, and its heap would grow beyond them.
 */
export function goMemoryLimit(limit = memoryLimit()): string | undefined {
  if (limit === undefined) return undefined;
  const share = (limit - Math.min(RESERVED_FOR_NODE_BYTES, limit / 4)) / 2;
  return `${Math.floor(share / MIB)}MiB`;
}

/** Why memory does not suffice for a second engine like this one; undefined when it does. */
export async function memoryShortage(
  pid: number | undefined,
  available = memoryAvailable(),
): Promise<string | undefined> {
  const needed = await residentBytes(pid);
  if (needed <= available) return undefined;
  const inMib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
  return `a second engine would need ${inMib(needed)} of memory, and there are ${inMib(available)}`;
}

/**
 * Makes the kernel end the engine, which is restarted, rather than the node when memory runs out. Errors are ignored.
 */
export async function preferForOomKill(pid: number | undefined): Promise<void> {
  await writeFile(`/proc/${pid}/oom_score_adj`, `${ENGINE_OOM_SCORE}`).catch(() => undefined);
}

/** The resident memory of a process; 0 when it has ended. */
export async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
