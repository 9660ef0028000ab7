import { freemem, totalmem } from 'node:os';
import { cgroupLevels } from './cgroup-levels.js';
import { parseKeyedNumber, parseWholeNumber, type ReadKernelFile, readKernelFile } from './kernel-files.js';

export interface MemoryGroup {
  readonly limit: number;
  /** Memory in use, without file caches that the kernel drops when memory is short. */
  readonly inUse: number;
}

export interface CpuGroup {
  /** Processors that the group may use, such as 1.5. */
  readonly cpus: number;
  /** Processor time that the group has used, in microseconds. */
  readonly used: number;
}

/** All groups, from our own upwards, that limit the memory of this process. */
export function memoryGroups(read: ReadKernelFile = readKernelFile): MemoryGroup[] {
  const levels = cgroupLevels(read, 'memory');
  if (levels === undefined) return [];
  const group = levels.version === 2 ? memoryGroup2 : memoryGroup1;
  return levels.directories.flatMap((directory) => group(read, directory) ?? []);
}

/** All groups that limit the processor time of this process. */
export function cpuGroups(read: ReadKernelFile = readKernelFile): CpuGroup[] {
  const levels = cgroupLevels(read, 'cpu');
  if (levels === undefined) return [];
  if (levels.version === 2) return levels.directories.flatMap((directory) => cpuGroup2(read, directory) ?? []);
  const accounts = cgroupLevels(read, 'cpuacct')?.directories ?? [];
  return levels.directories.flatMap((directory, index) => cpuGroup1(read, directory, accounts[index] ?? '') ?? []);
}

/** The element with the lowest measure. */
export function smallestBy<T>(groups: readonly T[], measure: (group: T) => number): T | undefined {
  return groups.reduce<T | undefined>(
    (least, group) => (least === undefined || measure(group) < measure(least) ? group : least),
    undefined,
  );
}

/** Bytes that this process and its children may use together; undefined where only the machine is the limit. */
export const memoryLimit = (): number | undefined => limitingMemoryGroup()?.limit;

/** Bytes in use by the group that sets `memoryLimit`; undefined where only the machine is the limit. */
export const memoryInUse = (): number | undefined => limitingMemoryGroup()?.inUse;

/** Bytes that can still be allocated within every limit and the machine's free memory. */
export function memoryAvailable(): number {
  const left = memoryGroups().map(({ limit, inUse }) => Math.max(0, limit - inUse));
  return Math.min(freemem(), ...left);
}

/** The group with the lowest limit; undefined when the machine has no more memory than that. */
export function limitingMemoryGroup(
  read: ReadKernelFile = readKernelFile,
  machine: number = totalmem(),
): MemoryGroup | undefined {
  const group = smallestBy(memoryGroups(read), ({ limit }) => limit);
  return group !== undefined && group.limit < machine ? group : undefined;
}

function memoryGroup2(read: ReadKernelFile, directory: string): MemoryGroup | undefined {
  const limit = parseWholeNumber(read(`${directory}/memory.max`));
  const current = parseWholeNumber(read(`${directory}/memory.current`));
  if (limit === undefined || current === undefined) return undefined;
  return {
    limit,
    inUse: subtractDroppable(current, parseKeyedNumber(read(`${directory}/memory.stat`), 'inactive_file')),
  };
}

/**
 * Version 1 writes a very large number for no limit. memory.stat has the limit of groups above, even invisible ones.
 */
function memoryGroup1(read: ReadKernelFile, directory: string): MemoryGroup | undefined {
  const own = parseWholeNumber(read(`${directory}/memory.limit_in_bytes`));
  const usage = parseWholeNumber(read(`${directory}/memory.usage_in_bytes`));
  if (own === undefined || usage === undefined) return undefined;
  const stat = read(`${directory}/memory.stat`);
  const limit = Math.min(own, parseKeyedNumber(stat, 'hierarchical_memory_limit') ?? own);
  if (limit > Number.MAX_SAFE_INTEGER) return undefined;
  return { limit, inUse: subtractDroppable(usage, parseKeyedNumber(stat, 'total_inactive_file')) };
}

function cpuGroup2(read: ReadKernelFile, directory: string): CpuGroup | undefined {
  const [quota, period] = (read(`${directory}/cpu.max`) ?? '').split(' ').map(parseWholeNumber);
  return cpuGroup(quota, period, parseKeyedNumber(read(`${directory}/cpu.stat`), 'usage_usec'));
}

function cpuGroup1(read: ReadKernelFile, directory: string, accounts: string): CpuGroup | undefined {
  const quota = parseWholeNumber(read(`${directory}/cpu.cfs_quota_us`));
  const period = parseWholeNumber(read(`${directory}/cpu.cfs_period_us`));
  const nanoseconds = parseWholeNumber(read(`${accounts}/cpuacct.usage`));
  return cpuGroup(quota, period, nanoseconds === undefined ? undefined : nanoseconds / 1000);
}

function cpuGroup(quota: number | undefined, period: number | undefined, used: number | undefined) {
  if (quota === undefined || period === undefined || used === undefined || period === 0) return undefined;
  return { cpus: quota / period, used };
}

const subtractDroppable = (bytes: number, droppable = 0): number => Math.max(0, bytes - droppable);
