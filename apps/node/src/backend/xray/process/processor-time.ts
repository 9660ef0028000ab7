import { processStat } from './process-stat.js';

/** The unit of times in /proc: 1/100 s on all architectures that Node.js runs on. */
const TICK_MS = 10;
const [UTIME, STIME] = [11, 12];

/** The time that all threads of a process have used processors so far; undefined when it cannot be seen. */
export function processorMsOf(pid: number | undefined): number | undefined {
  const fields = pid === undefined ? undefined : processStat(pid);
  return fields && (Number(fields[UTIME]) + Number(fields[STIME])) * TICK_MS;
}
