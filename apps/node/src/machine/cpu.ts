import { availableParallelism, cpus } from 'node:os';
import { type CpuGroup, cpuGroups, smallestBy } from './cgroup.js';
import type { ReadKernelFile } from './kernel-files.js';

/** Processor time used since boot, both in the same unit. */
export interface CpuTimes {
  readonly busy: number;
  readonly total: number;
}

export interface CpuReading {
  /** Processors that may be used; a container may have a part of one. */
  readonly cpus: number;
  /** Time used by the limiting group in microseconds; undefined when the machine is the limit. */
  readonly groupUsed: number | undefined;
  /** Times of the processors that this process may run on. */
  readonly times: CpuTimes;
}

export function readCpu(read: ReadKernelFile, parallelism: number = availableParallelism()): CpuReading {
  const group = smallestBy(cpuGroups(read), ({ cpus: limit }) => limit);
  const limiting: CpuGroup | undefined = group !== undefined && group.cpus < parallelism ? group : undefined;
  return { cpus: limiting?.cpus ?? parallelism, groupUsed: limiting?.used, times: allowedTimes(read) };
}

/** Processor usage between two readings, in percent of what may be used. */
export function cpuUsage(from: CpuReading, to: CpuReading, elapsedMs: number): number {
  const used =
    from.groupUsed !== undefined && to.groupUsed !== undefined
      ? (to.groupUsed - from.groupUsed) / (elapsedMs * 1000 * to.cpus)
      : (to.times.busy - from.times.busy) / (to.times.total - from.times.total);
  return Number.isFinite(used) ? Math.min(100, Math.max(0, used * 100)) : 0;
}

/** Parses `cpu0 user nice system idle iowait irq softirq steal guest guest_nice`; user and nice include the guests. */
export function parseCpuTimes(text: string): Map<number, CpuTimes> {
  const times = new Map<number, CpuTimes>();
  for (const [, index, columns = ''] of text.matchAll(/^cpu(\d+)((?: +\d+){4,})$/gm)) {
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, ...others] = columns.trim().split(/ +/).map(Number);
    const busy = [user, nice, system, ...others.slice(0, 3)].reduce((sum, value) => sum + value, 0);
    times.set(Number(index), { busy, total: busy + idle + iowait });
  }
  return times;
}

/** Parses `Cpus_allowed_list: 0-3,8` of `/proc/self/status`. */
export function parseAllowedCpus(status: string): Set<number> | undefined {
  const list = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(status)?.[1];
  if (list === undefined) return undefined;
  const allowed = new Set<number>();
  for (const range of list.split(',')) {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    for (let index = first; index <= last && allowed.size < 65_536; index += 1) allowed.add(index);
  }
  return allowed;
}

function allowedTimes(read: ReadKernelFile): CpuTimes {
  const machine = parseCpuTimes(read('/proc/stat') ?? '');
  const allowed = parseAllowedCpus(read('/proc/self/status') ?? '');
  const times = machine.size > 0 ? machine : systemTimes();
  return sum([...times].flatMap(([index, one]) => (allowed === undefined || allowed.has(index) ? [one] : [])));
}

/** Processor times on systems without /proc. */
const systemTimes = (): Map<number, CpuTimes> =>
  new Map(
    cpus().map(({ times: { user, nice, sys, irq, idle } }, index) => {
      const busy = user + nice + sys + irq;
      return [index, { busy, total: busy + idle }];
    }),
  );

const sum = (all: readonly CpuTimes[]): CpuTimes =>
  all.reduce((left, right) => ({ busy: left.busy + right.busy, total: left.total + right.total }), {
    busy: 0,
    total: 0,
  });
