import { readFileSync, readlinkSync } from 'node:fs';

/** A process, told apart from later ones with the same process id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since the machine started. */
  readonly startTime: string;
  /** The kernel's name of the namespace that the process id belongs to. */
  readonly pidNamespace: string;
}

/** Start time of a process in clock ticks; undefined when there is no such process, or no /proc. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses that may contain anything; the start time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** The namespace of process ids of this process; empty where there is no /proc. */
export function ownPidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Whether the process runs in another namespace of process ids, so that its id has another meaning here. */
export function isForeign({ pidNamespace }: ProcessIdentity): boolean {
  return pidNamespace !== ownPidNamespace();
}

export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return startTimeOf(pid) === startTime;
}
