// Memory and processor time of a process and of all processes below it, from /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { cpuSeconds } from '../subscription/process-figures.mjs';

/** The process ids of the descendants of a process. */
export function descendantsOf(pid) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)]);
  const below = (parent) => parents.flatMap(([id, of]) => (of === parent ? [id, ...below(id)] : []));
  return below(pid);
}

/** The sum over processes, in which memory that several of them share counts once (`Pss`). Processes that ended count as 0. */
export const memoryMegabytes = (pids) => sum(pids, proportionalMegabytes);

/** The processor seconds of each process by its id. */
export const processorTimes = (pids) => new Map(pids.map((pid) => [pid, unlessEnded(() => cpuSeconds(pid)) ?? 0]));

/** The processor seconds of processes since `before`; of those that ended meanwhile nothing is known. */
export const secondsSince = (before, pids) => sum(pids, (pid) => Math.max(0, cpuSeconds(pid) - (before.get(pid) ?? 0)));

const sum = (pids, figure) => pids.reduce((total, pid) => total + (unlessEnded(() => figure(pid)) ?? 0), 0);

const proportionalMegabytes = (pid) =>
  (Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))[1]) * 1024) / 1e6;

const parentOf = (pid) =>
  Number(
    unlessEnded(
      () =>
        readFileSync(`/proc/${pid}/stat`, 'latin1')
          .replace(/^.*\) /, '')
          .split(' ')[1],
    ),
  );

function unlessEnded(read) {
  try {
    return read();
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return undefined;
    throw error;
  }
}
