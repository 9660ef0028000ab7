import { readFileSync } from 'node:fs';

/** The fields of /proc/PID/stat behind the name of the program; undefined when there is no such process, or no /proc. */
export function processStat(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses that may contain anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
