import { readFileSync } from 'node:fs';

/** The unit of times in /proc: 1/100 s on all architectures that Node.js runs on. */
const TICK_MS = 10;

/** The time that all threads of a process have used processors so far; undefined when it cannot be seen. */
export function processorMsOf(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses that may contain anything; utime and stime are the 12th and 13th after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}
