// CPU time and memory of a process, from /proc.
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** CPU seconds of all threads of a process, in user and kernel mode. */
export function cpuSeconds(pid) {
  // The process name may contain anything; it ends with the last parenthesis.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentMebibytes(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) / 1024;
}
