// What Linux tells of a process.
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Of all its threads, in user and kernel. */
export function cpuSeconds(pid) {
  // The name, which may hold anything, ends with the last bracket.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentMebibytes(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) / 1024;
}
